"""Many random endings of one deal, for a search that asks what a position is worth."""

from __future__ import annotations

from typing import NamedTuple

from guandan_engine.errors import EngineError
from guandan_engine.kernel.chance import high_half, low_half, sow
from guandan_engine.kernel.moves import FOUND
from guandan_engine.kernel.play import GAINS, GAME, ORDER, RNG, play_on
from guandan_engine.kernel.state import State, checked
from guandan_engine.kernel.types import i64, vec

MOST_PLAYOUTS = 1_000_000_000


class Playouts(NamedTuple):
    """What so many playouts came to.

    ``points``: what sides 0 and 1 gained, summed (§9.2). ``orders``: how often each finishing order came.
    """

    n: int
    points: tuple[int, int]
    orders: dict[tuple[int, int, int, int], int]


def playouts(state: State, seed: int, n: int) -> Playouts:
    """Play a deal to its end ``n`` times, each time any of what is legal, passing included, with equal chance.

    The same seed, of any size, gives the same result. ``state`` is left as it is; one that is over counts ``n`` times.
    Raise EngineError when ``n`` is below 0 or above 10^9.
    """
    if not 0 <= n <= MOST_PLAYOUTS:
        raise EngineError(f"{n} playouts; from 0 to {MOST_PLAYOUTS} can be made")
    tally = vec[i64]([0] * 256)
    w = vec[i64]([0] * GAME)
    found = vec[i64]([0] * FOUND)
    sow(w, RNG, low_half(seed), high_half(seed), 0, 0)
    start = checked(state).words
    book = state.book
    i: i64
    _: i64
    for _ in range(n):
        for i in range(RNG):
            w[i] = start[i]
        play_on(w, 0, book, found)
        tally[w[ORDER]] += 1
    return _summed(tally, start, n)


def _summed(tally: vec[i64], start: vec[i64], n: int) -> Playouts:
    """Add up the points of each finishing order."""
    points = [0, 0]
    orders: dict[tuple[int, int, int, int], int] = {}
    for packed in range(256):
        times: int = tally[packed]
        if times:
            order = (packed & 3, packed >> 2 & 3, packed >> 4 & 3, packed >> 6)
            orders[order] = times
            place = order.index(order[0] ^ 2)
            points[order[0] & 1] += times * start[GAINS + place - 1]
    return Playouts(n, (points[0], points[1]), orders)
