"""A deal in play as a search sees it: all cards open, changed in place, quick to copy."""

from __future__ import annotations

from collections.abc import Sequence

from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.combos import Combo
from guandan_engine.errors import EngineError, IllegalAction
from guandan_engine.kernel.actions import ACTION_COUNT, ACTIONS, action_of
from guandan_engine.kernel.book import SIZE_AT, Book
from guandan_engine.kernel.hands import ONES, SEAT, SIZE, TWOS
from guandan_engine.kernel.listing import planes, spread
from guandan_engine.kernel.moves import FOUND, count, find, holds, pick
from guandan_engine.kernel.observing import ROW_WORDS, observe, row_bytes
from guandan_engine.kernel.play import (
    GAME,
    LAID_ONES,
    LAID_TWOS,
    NOBODY,
    ORDER,
    OUT,
    OWNER,
    PASSES,
    PLACES,
    TO_BEAT,
    TURN,
    gain,
    lay,
    put_down,
    step_aside,
)
from guandan_engine.kernel.types import i64, vec
from guandan_engine.rules import RuleSet

_FOUR = (0, 1, 2, 3)


class State:
    """One deal from the first lead to the finishing order.

    Make one with ``state_of``, ``position`` or ``random_state``. Seats are 0 to 3; actions are numbers of ``ACTIONS``.
    """

    def __init__(self, book: Book, rules: RuleSet) -> None:
        self.book = book
        self.rules = rules
        self.words = vec[i64]([0] * GAME)
        self.found = vec[i64]([0] * FOUND)

    def clone(self) -> State:
        """Return a copy that can be played on by itself."""
        other = State(self.book, self.rules)
        i: i64
        for i in range(GAME):
            other.words[i] = self.words[i]
        return other

    @property
    def level(self) -> Rank:
        """The level of the deal."""
        return self.book.rank

    @property
    def turn(self) -> int:
        """The seat that plays now; without meaning once the deal is over."""
        return self.words[TURN]

    @property
    def owner(self) -> int | None:
        """The seat that laid what is to beat, None on the lead."""
        owner = self.words[OWNER]
        return None if owner == NOBODY else owner

    @property
    def passes(self) -> int:
        """How many have passed since."""
        return self.words[PASSES]

    @property
    def to_beat(self) -> Combo | None:
        """The combo to beat, None on the lead."""
        return ACTIONS[self.words[TO_BEAT]]

    @property
    def over(self) -> bool:
        """Whether the finishing order is decided: one side is out."""
        return self.words[PLACES] == 4

    @property
    def finished(self) -> tuple[int, ...]:
        """The seats that are out, in finishing order."""
        order: int = self.words[ORDER]
        out: int = self.words[OUT]
        known: int = self.words[PLACES]
        return tuple([seat for place in range(known) if out >> (seat := order >> 2 * place & 3) & 1])

    @property
    def order(self) -> tuple[int, ...]:
        """All four seats by place once the deal is over, else ()."""
        order: int = self.words[ORDER]
        return tuple([order >> 2 * place & 3 for place in _FOUR]) if self.over else ()

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """How many cards each seat holds."""
        w = self.words
        return w[SIZE], w[SEAT + SIZE], w[2 * SEAT + SIZE], w[3 * SEAT + SIZE]

    @property
    def laid(self) -> Hand:
        """All cards that were laid."""
        return Hand(self.words[LAID_ONES], self.words[LAID_TWOS])

    @property
    def points(self) -> tuple[int, int]:
        """What sides 0 (seats 0 and 2) and 1 gain by the deal (§9.2); (0, 0) until it is over."""
        worth: int = gain(self.words, 0) if self.over else 0
        return max(worth, 0), max(-worth, 0)

    def hand(self, seat: int) -> Hand:
        """Return the hand of a seat; raise EngineError when there is no such seat."""
        at = SEAT * seat_of(seat)
        return Hand(self.words[at + ONES], self.words[at + TWOS])

    def legal(self) -> list[Combo | None]:
        """Return what the seat on turn may do, None for passing: first unless it leads; [] when the deal is over."""
        plays: list[Combo] = []
        n = self._find()
        spread(plays, self.found, n, self.book)
        return [None, *plays] if self._may_pass() else [*plays]

    def legal_actions(self) -> list[int]:
        """Return the same as numbers of ``ACTIONS``, in the same order."""
        n = self._find()
        passing = [0] if self._may_pass() else []
        return passing + [int(pick(self.found, n, i, self.book)) for i in range(count(self.found, n))]

    def play(self, combo: Combo | None) -> None:
        """Lay a combo for the seat on turn, its cards as ``plays.cards_of`` picks them, or pass (None).

        Raise IllegalAction (``deal_over``, ``must_lead``, ``not_legal``) when it may not.
        """
        self.apply(action_of(combo))

    def apply(self, action: int) -> None:
        """Do as ``play`` with the number of an action."""
        self._require(action)
        if action == 0:
            step_aside(self.words, 0)
        else:
            lay(self.words, 0, self.book, action)

    def lay(self, combo: Combo, cards: Sequence[Card]) -> None:
        """Lay a combo for the seat on turn with these cards of its hand, which must be as many as the combo has.

        Whether they make the combo is for ``plays.interpret`` to say. Raise IllegalAction as ``play`` does, and with
        ``not_held``.
        """
        action = action_of(combo)
        self._require(action)
        hand = self.hand(self.words[TURN])
        try:
            gone = Hand.of(cards)
        except AttributeError as error:
            raise TypeError(f"cards are needed: {error}") from error
        if not gone <= hand or len(gone) != self.book.moves[action] >> SIZE_AT & 15:
            raise IllegalAction("not_held", "these cards are not of the hand, or not as many as the combo has")
        ones, twos = planes(hand.minus(gone))
        put_down(self.words, 0, self.book, action, ones, twos)

    def observe(self, seat: int) -> bytes:
        """Return what a seat knows of the cards and of the trick, as ``ROW_BYTES`` bytes: see ``kernel.observing``."""
        row = vec[i64]([0] * ROW_WORDS)
        observe(self.words, 0, seat_of(seat), self.book.level, row, 0)
        return row_bytes(row)

    def _find(self) -> i64:
        w = self.words
        return 0 if w[PLACES] == 4 else find(w, SEAT * w[TURN], self.book, w[TO_BEAT], self.found)

    def _may_pass(self) -> bool:
        return self.words[TO_BEAT] != 0 and self.words[PLACES] != 4

    def _require(self, action: int) -> None:
        """Raise IllegalAction unless the action is legal now."""
        if self.over:
            raise IllegalAction("deal_over", "the deal is over")
        if action == 0:
            if not self._may_pass():
                raise IllegalAction("must_lead", "whoever leads may not pass", "lay any combo")
        elif not 0 < action < ACTION_COUNT or not holds(self.found, self._find(), action, self.book):
            raise IllegalAction("not_legal", f"action {action} is not legal now", "choose from legal_actions()")


def checked(state: object) -> State:
    """Return a state; raise TypeError for what is none."""
    if not isinstance(state, State):
        raise TypeError(f"a State is needed, not {type(state).__name__}")
    return state


def seat_of(seat: int) -> i64:
    """Return a seat; raise EngineError when there is none of this number."""
    if not 0 <= seat <= 3:
        raise EngineError(f"there is no seat {seat}; seats are 0 to 3")
    return seat
