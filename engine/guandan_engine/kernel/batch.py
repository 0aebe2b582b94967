"""Many deals stepped at once, for learning: what each seat on turn knows and may do, in buffers others can view."""

from __future__ import annotations

from typing import Final

from guandan_engine.cards import Rank
from guandan_engine.errors import EngineError, IllegalAction
from guandan_engine.kernel.book import Book, book_of
from guandan_engine.kernel.chance import deal_cards, draw, high_half, low_half, sow
from guandan_engine.kernel.hands import SEAT, hold
from guandan_engine.kernel.moves import FOUND, find
from guandan_engine.kernel.observing import ROW_WORDS, observe
from guandan_engine.kernel.play import (
    GAME,
    ORDER,
    PLACES,
    RNG,
    TO_BEAT,
    TURN,
    begin,
    gain,
    lay,
    set_terms,
    step_aside,
)
from guandan_engine.kernel.state import State, checked
from guandan_engine.kernel.types import buffer, i16, i32, i64, u8, vec
from guandan_engine.kernel.words import BITS8, POP8
from guandan_engine.rules import RuleSet

LEGAL: Final = 1024
"""Room for the actions of one row: no hand of 27 cards has as many plays."""
MOST_GAMES: Final = 65536


class Batch:
    """So many random deals without tribute at once; a new one begins wherever one ends.

    Buffers are made once and change as the games go on; they are for reading. By game:

    - ``obs``: 16 words, the 128 bytes of ``kernel.observing`` for the seat on turn (the lowest byte first).
    - ``legal``: room for 1,024 actions, of which ``cnt`` count: passing first unless it leads, then as ``legal_plays``.
    - ``turn``, ``level``: the seat on turn and the level.
    - ``done``: 1 when the step before ended a deal, all the others being those of the next deal already; then
      ``order``, four seats, is its finishing order and ``reward`` what side 0 gained more than side 1 by it (else 0).
    """

    def __init__(self, games: int, rules: RuleSet, *, level: Rank | None = None) -> None:
        """Make room for games, all at one level, or each deal at a random one; ``reset`` must follow."""
        if not 1 <= games <= MOST_GAMES:
            raise EngineError(f"{games} games; a batch has 1 to {MOST_GAMES}")
        self.games = games
        self.rules = rules
        self.books: list[Book] = [book_of(rules, rank if level is None else level) for rank in tuple(Rank)[:13]]
        self.level_given: i64 = -1 if level is None else int(level)
        self.words = vec[i64]([0] * (GAME * games))
        self.deals = vec[i64]([0] * games)
        self.seed_low: i64 = 0
        self.seed_high: i64 = 0
        self.found = vec[i64]([0] * FOUND)
        self.deck = vec[i64]([0] * 108)
        self.planes = vec[i64]([0] * 8)
        self.obs = buffer[i64]([0] * (ROW_WORDS * games))
        self.legal = buffer[i16]([i16(0)] * (LEGAL * games))
        self.cnt = buffer[i32]([i32(0)] * games)
        self.turn = buffer[u8]([u8(0)] * games)
        self.level = buffer[u8]([u8(0)] * games)
        self.done = buffer[u8]([u8(0)] * games)
        self.order = buffer[u8]([u8(0)] * (4 * games))
        self.reward = buffer[i32]([i32(0)] * games)
        for game in range(games):
            set_terms(self.words, GAME * game, rules)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Begin a first deal in every game. The deals of a game follow from the seed and the game's number alone."""
        self.seed_low = low_half(seed)
        self.seed_high = high_half(seed)
        game: i64
        for game in range(self.games):
            self.deals[game] = 0
            self.done[game] = u8(0)
            self.reward[game] = i32(0)
            self._deal(game)
            self._write(game)

    def step(self, actions: list[int]) -> None:
        """Act once in every game; ``actions``: for each the place of an action in its row of ``legal``.

        Raise IllegalAction (``no_such_choice``) before anything is done when one is not among those or their number
        is not that of the games.
        """
        games: i64 = self.games
        if len(actions) != games:
            raise IllegalAction("no_such_choice", f"{len(actions)} actions for {games} games", "give one for each")
        game: i64
        for game in range(games):
            which: int = actions[game]
            if not 0 <= which < int(self.cnt[game]) or self.legal[LEGAL * game + which] < 0:
                raise IllegalAction("no_such_choice", f"game {game} has no choice {which}", "look at cnt")
        for game in range(games):
            self._act(game, actions[game])

    def state(self, game: int) -> State:
        """Return a copy of a game, all cards open."""
        at = GAME * self._game(game)
        copied = State(self.books[i64(self.level[game])], self.rules)
        i: i64
        for i in range(GAME):
            copied.words[i] = self.words[at + i]
        return copied

    def load(self, game: int, state: State) -> None:
        """Put a position of the same rule set that is not over in the place of a game; its next deal stays the same."""
        number = self._game(game)
        if checked(state).over or state.rules != self.rules:
            raise EngineError("only a deal under the same rule set that is not over can be loaded")
        at = GAME * number
        i: i64
        for i in range(RNG):
            self.words[at + i] = state.words[i]
        self.level[number] = u8(state.book.level)
        self.done[number] = u8(0)
        self.reward[number] = i32(0)
        self._write(number)

    def _game(self, game: int) -> i64:
        if not 0 <= game < self.games:
            raise EngineError(f"there is no game {game}; games are 0 to {self.games - 1}")
        return game

    def _act(self, game: i64, which: i64) -> None:
        w = self.words
        at = GAME * game
        action = i64(self.legal[LEGAL * game + which])
        if action:
            lay(w, at, self.books[i64(self.level[game])], action)
        else:
            step_aside(w, at)
        if w[at + PLACES] == 4:
            order = w[at + ORDER]
            place: i64
            for place in range(4):
                self.order[4 * game + place] = u8(order >> 2 * place & 3)
            self.reward[game] = i32(gain(w, at))
            self.done[game] = u8(1)
            self._deal(game)
        else:
            self.reward[game] = i32(0)
            self.done[game] = u8(0)
        self._write(game)

    def _deal(self, game: i64) -> None:
        """Begin the next deal of a game."""
        w = self.words
        at = GAME * game
        sow(w, at + RNG, self.seed_low, self.seed_high, game, self.deals[game])
        self.deals[game] += 1
        level = draw(w, at + RNG, 13)
        if self.level_given >= 0:
            level = self.level_given
        begin(w, at, draw(w, at + RNG, 4))
        deal_cards(w, at + RNG, self.deck, self.planes)
        book = self.books[level]
        seat: i64
        for seat in range(4):
            hold(w, at + SEAT * seat, self.planes[2 * seat], self.planes[2 * seat + 1], book)
        self.level[game] = u8(level)

    def _write(self, game: i64) -> None:
        """Write what the seat on turn knows and may do."""
        w = self.words
        at = GAME * game
        level = i64(self.level[game])
        book = self.books[level]
        turn = w[at + TURN]
        self.turn[game] = u8(turn)
        observe(w, at, turn, level, self.obs, ROW_WORDS * game)
        first = LEGAL * game
        last = first
        legal = self.legal
        if w[at + TO_BEAT]:
            legal[last] = i16(0)
            last += 1
        n = find(w, at + SEAT * turn, book, w[at + TO_BEAT], self.found)
        found = self.found
        actions = book.actions
        i: i64
        j: i64
        for i in range(0, n, 2):
            place = found[i] * 64
            mask = found[i + 1]
            while mask:
                byte = mask & 255
                for j in range(POP8[byte]):
                    legal[last] = i16(actions[place + BITS8[8 * byte + j]])
                    last += 1
                mask >>= 8
                place += 8
        self.cnt[game] = i32(last - first)
