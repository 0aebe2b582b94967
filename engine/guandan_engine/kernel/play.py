"""The play of a deal, move by move (docs/rules.md §6), on words: four hands and what goes on between them.

A game takes ``GAME`` words of a vector: four times ``SEAT`` for the hands, then those named here.
"""

from __future__ import annotations

from typing import Final

from guandan_engine.kernel.book import Book
from guandan_engine.kernel.chance import RNG_WORDS, draw
from guandan_engine.kernel.hands import ONES, SEAT, TWOS, hold, without
from guandan_engine.kernel.moves import count, find, pick
from guandan_engine.kernel.types import i64, vec
from guandan_engine.kernel.words import POP8, bit
from guandan_engine.rules import RuleSet

TURN: Final = 88
OWNER: Final = 89
"""The seat that laid what is to beat; 4 on the lead."""
PASSES: Final = 90
TO_BEAT: Final = 91
"""Its action; 0 on the lead."""
OUT: Final = 92
"""The seats that are out, a bit each."""
ORDER: Final = 93
"""The seats in finishing order, two bits each, the first lowest."""
PLACES: Final = 94
"""How many are out; 4 once the deal is over: the others have their places too."""
LAID_ONES: Final = 95
"""The faces of which at least one copy was laid."""
LAID_TWOS: Final = 96
JIEFENG: Final = 97
"""For whom the partner leads on: 0 nobody, 1 the first who is out, 2 anybody (§6.5)."""
GAINS: Final = 98
"""What the side of the first gains: three words."""
RNG: Final = 101
GAME: Final = 106
NOBODY: Final = 4


def set_terms(w: vec[i64], at: i64, rules: RuleSet) -> None:
    """Write down what a rule set says of a game beside its combinations."""
    if rules.jiefeng != "partner":
        w[at + JIEFENG] = 0
    else:
        w[at + JIEFENG] = 2 if rules.jiefeng_scope == "any" else 1
    for i in range(3):
        w[at + GAINS + i] = rules.gains[i]


def begin(w: vec[i64], at: i64, leader: i64) -> None:
    """Begin the play of hands that are written down already."""
    w[at + TURN] = leader
    w[at + OWNER] = NOBODY
    i: i64
    for i in range(at + PASSES, at + JIEFENG):
        w[i] = 0


def lay(w: vec[i64], at: i64, book: Book, action: i64) -> None:
    """Lay a combo for the seat on turn, which can make it."""
    hand = at + SEAT * w[at + TURN]
    ones, twos = without(w[hand + ONES], w[hand + TWOS], action, book)
    put_down(w, at, book, action, ones, twos)


def put_down(w: vec[i64], at: i64, book: Book, action: i64, ones: i64, twos: i64) -> None:
    """Lay a combo for the seat on turn, which keeps the hand of these planes."""
    seat = w[at + TURN]
    hand = at + SEAT * seat
    had_ones = w[hand + ONES]
    had_twos = w[hand + TWOS]
    gone = had_ones ^ ones | had_twos ^ twos
    w[at + LAID_TWOS] |= w[at + LAID_ONES] & gone | had_twos & ~ones
    w[at + LAID_ONES] |= gone
    hold(w, hand, ones, twos, book)
    w[at + TO_BEAT] = action
    w[at + OWNER] = seat
    w[at + PASSES] = 0
    if not ones:
        _go_out(w, at, seat)
    w[at + TURN] = _next(seat, w[at + OUT])


def _go_out(w: vec[i64], at: i64, seat: i64) -> None:
    """Give a seat its place; once its partner is out as well the deal is over, and the others follow in turn."""
    places = w[at + PLACES]
    order = w[at + ORDER] | seat << 2 * places
    out = w[at + OUT] | bit(seat)
    places += 1
    if out >> (seat ^ 2) & 1:
        other = order & 3
        _: i64
        for _ in range(3):
            other = other + 1 & 3
            if not out >> other & 1:
                order |= other << 2 * places
                places += 1
    w[at + PLACES] = places
    w[at + ORDER] = order
    w[at + OUT] = out


def step_aside(w: vec[i64], at: i64) -> None:
    """Pass for the seat on turn; when all others have passed, the owner leads, or who leads on for it if it is out."""
    owner = w[at + OWNER]
    out = w[at + OUT]
    passes = w[at + PASSES] + 1
    if passes < POP8[15 & ~(out | bit(owner))]:
        w[at + PASSES] = passes
        w[at + TURN] = _next(w[at + TURN], out)
        return
    w[at + OWNER] = NOBODY
    w[at + PASSES] = 0
    w[at + TO_BEAT] = 0
    w[at + TURN] = owner
    if out >> owner & 1:
        w[at + TURN] = _next(owner, out)
        if w[at + JIEFENG] == 2 or (w[at + JIEFENG] == 1 and owner == w[at + ORDER] & 3):
            w[at + TURN] = owner ^ 2


def _next(seat: i64, out: i64) -> i64:
    """Return the next seat in play order that still holds cards."""
    seat = seat + 1 & 3
    while out >> seat & 1:
        seat = seat + 1 & 3
    return seat


def gain(w: vec[i64], at: i64) -> i64:
    """Return what side 0 gains more than side 1 by a deal that is over (§9.2)."""
    order = w[at + ORDER]
    first = order & 3
    place: i64 = 1
    while order >> 2 * place & 3 != first ^ 2:
        place += 1
    worth = w[at + GAINS + place - 1]
    return -worth if first & 1 else worth


def play_on(w: vec[i64], at: i64, book: Book, found: vec[i64]) -> None:
    """Play a deal to its end, each time any of what is legal, passing included, with equal chance."""
    while w[at + PLACES] < 4:
        to_beat = w[at + TO_BEAT]
        n = find(w, at + SEAT * w[at + TURN], book, to_beat, found)
        may_pass: i64 = 1 if to_beat else 0
        which: i64 = -1
        if n:
            which = draw(w, at + RNG, count(found, n) + may_pass) - may_pass
        if which < 0:
            step_aside(w, at)
        else:
            lay(w, at, book, pick(found, n, which, book))


assert TURN == 4 * SEAT
assert RNG + RNG_WORDS <= GAME
