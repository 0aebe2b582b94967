"""Bradley-Terry refit over all matches of a ladder: ratings with 95 % intervals and a range of ranks.

Newton's method on the likelihood of the boards' shares, with one virtual draw per version against the pool's mean, so
that the unbeaten stay finite. Both ways of a board are one observation, since they share their cards; such means
scatter less than single games, so the covariance is scaled by the spread seen (a quasi-likelihood). The
covariance is centred: only differences between versions are known, never their common level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

_ELO_PER_LOGIT: Final = 400 / log(10)
_NORMAL_95: Final = 1.959964
_PRIOR_WEIGHT: Final = 1.0
_SPREAD_PRIOR: Final = 10.0
"""Boards' worth of faith in the binomial spread, so that a handful of equal boards claims no certainty."""

_Vector: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Observation:
    """One board played both ways by A and B: ``score`` of A in 0..1 (see ``of_pair``)."""

    a: str
    b: str
    score: float

    @classmethod
    def of_pair(cls, a: str, b: str, gains: tuple[int, int], *, most: int = 3) -> Observation:
        """Map A's two gains (each of -most..most) on one board to its mean share of 0..1: (x + most) / 2 most.

        What a sanction costs beyond the cards counts no further.
        """
        share = (gains[0] + gains[1] + 2 * most) / (4 * most)
        return cls(a, b, min(max(share, 0.0), 1.0))


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
    """Fit all versions that appear, strongest first; the ``anchor`` (or else the mean) is put at ``anchor_elo``.

    Raise ValueError when the anchor appears in no observation or a share is outside 0..1.
    """
    ids = sorted({o.a for o in observations} | {o.b for o in observations})
    if anchor is not None and anchor not in ids:
        raise ValueError(f"the anchor {anchor!r} has played no board")
    if any(not 0 <= o.score <= 1 for o in observations):
        raise ValueError("a share of a board lies in 0..1")
    if not ids:
        return ()
    position = {version: i for i, version in enumerate(ids)}
    a = np.array([position[o.a] for o in observations])
    b = np.array([position[o.b] for o in observations])
    share = np.array([o.score for o in observations], dtype=np.float64)
    logits, errors = _fit(a, b, share, len(ids))
    elo = logits * _ELO_PER_LOGIT
    elo += anchor_elo - (elo.mean() if anchor is None else elo[position[anchor]])
    half = _NORMAL_95 * errors * _ELO_PER_LOGIT
    counts = np.bincount(a, minlength=len(ids)) + np.bincount(b, minlength=len(ids))
    return _ranked(ids, elo, half, counts)


def _fit(a: NDArray[np.intp], b: NDArray[np.intp], share: _Vector, size: int) -> tuple[_Vector, _Vector]:
    """Return the logit of each version (their mean is 0) and its standard error."""
    theta = np.zeros(size)
    for _ in range(50):
        p = 1 / (1 + np.exp(theta[b] - theta[a]))
        own = 1 / (1 + np.exp(-theta))
        gradient = _PRIOR_WEIGHT * (0.5 - own)
        np.add.at(gradient, a, share - p)
        np.add.at(gradient, b, p - share)
        information = np.diag(_PRIOR_WEIGHT * own * (1 - own))
        weight = p * (1 - p)
        for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            np.add.at(information, (i, j), sign * weight)
        step = np.linalg.solve(information, gradient)
        theta += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-10:
            break
    centre = np.eye(size) - 1 / size
    spread = (np.sum((share - p) ** 2 / weight) + _SPREAD_PRIOR) / (max(len(share) - (size - 1), 0) + _SPREAD_PRIOR)
    covariance = spread * centre @ np.linalg.inv(information) @ centre
    return theta - theta.mean(), np.sqrt(np.diag(covariance))


def _ranked(ids: Sequence[str], elo: _Vector, half: _Vector, counts: NDArray[np.intp]) -> tuple[Fit, ...]:
    """Order by Elo; a rank is out of reach when so many intervals lie wholly above, or below, one's own."""
    low, high = elo - half, elo + half
    order = sorted(range(len(ids)), key=lambda i: (-elo[i], ids[i]))
    return tuple(
        Fit(
            id=ids[i],
            elo=float(elo[i]),
            low=float(low[i]),
            high=float(high[i]),
            rank_best=1 + int(np.sum(low > high[i])),
            rank_worst=len(ids) - int(np.sum(high < low[i])),
            observations=int(counts[i]),
        )
        for i in order
    )
