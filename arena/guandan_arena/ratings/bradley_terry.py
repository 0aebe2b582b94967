"""Bradley-Terry refit over all matches of a ladder: ratings with 95 % intervals and a range of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Observation:
    """One board played both ways by A and B: ``score`` of A in 0..1 (see ``of_pair``)."""

    a: str
    b: str
    score: float

    @classmethod
    def of_pair(cls, a: str, b: str, gains: tuple[int, int]) -> Observation:
        """Map A's two gains (each -3..3) on one board to its mean share: (x + 3) / 6."""
        return cls(a, b, (gains[0] + gains[1] + 6) / 12)


@dataclass(frozen=True, slots=True)
class Fit:
    """A version's fitted Elo with its 95 % interval, and the ranks (from 1) its interval allows."""

    id: str
    elo: float
    low: float
    high: float
    rank_best: int
    rank_worst: int
    observations: int


def refit(
    observations: Sequence[Observation], *, anchor: str | None = None, anchor_elo: float = 1500.0
) -> tuple[Fit, ...]:
    """Fit all versions that appear, strongest first; the ``anchor`` (or else the mean) is put at ``anchor_elo``."""
    raise NotImplementedError
