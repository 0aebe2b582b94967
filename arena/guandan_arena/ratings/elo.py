"""Elo on frozen ratings, in integers: 1 point = 1000 milli, so that sums are exact in any order."""

from __future__ import annotations

from typing import Final

START_MILLI: Final = 1_500_000
PROVISIONAL_MATCHES: Final = 30


def expected(a_milli: int, b_milli: int) -> float:
    """Return the share of points A should take from B: 1 / (1 + 10 ** ((B - A) / 400))."""
    return float(1 / (1 + 10 ** ((b_milli - a_milli) / 400_000)))


def k_of(matches: int) -> int:
    """Return K after so many rated matches: 40 while provisional (30 matches), then 20."""
    return 40 if matches < PROVISIONAL_MATCHES else 20


def delta_milli(a_milli: int, b_milli: int, points: int, *, matches: tuple[int, int]) -> int:
    """Return what A gains and B loses, in milli-points, when A took ``points`` (2 won, 1 drawn, 0 lost).

    Both ratings and ``matches`` (rated matches of A and of B before) are those frozen when the round was paired.
    K is the mean of both, so the sum of all ratings never changes. Rounds half away from zero.
    """
    if points not in (0, 1, 2):
        raise ValueError(f"points must be 0, 1 or 2, not {points!r}")
    k = (k_of(matches[0]) + k_of(matches[1])) / 2
    change = 1000 * k * (points / 2 - expected(a_milli, b_milli))
    return int(abs(change) + 0.5) * (1 if change > 0 else -1)
