"""The refit at the end of an event: how strong each version is over all its boards, and how well that is known."""

from __future__ import annotations

from collections.abc import Iterable

from guandan_arena.ratings.bradley_terry import Fit, Observation, refit
from guandan_arena.services.records import BoardScore, RatingFit


def refitted(boards: Iterable[BoardScore]) -> tuple[RatingFit, ...]:
    """Fit all versions that have played a rated board, strongest first."""
    seen = [Observation.of_pair(board.a, board.b, board.points, most=board.most) for board in boards]
    return tuple(map(_record, refit(seen)))


def _record(fit: Fit) -> RatingFit:
    return RatingFit(
        version_id=fit.id,
        elo_milli=round(fit.elo * 1000),
        low_milli=round(fit.low * 1000),
        high_milli=round(fit.high * 1000),
        rank_best=fit.rank_best,
        rank_worst=fit.rank_worst,
        boards=fit.observations,
    )
