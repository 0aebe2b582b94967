"""Refitted ratings in SQL: one fit per event, written when it ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Select, select
from sqlalchemy.engine import RowMapping

from guandan_arena.services.records import RatingFit
from guandan_arena.store.schema import event, rating_fit


class SqlFits:
    """The ``Fits`` repository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, event_id: str, fits: Sequence[RatingFit]) -> None:
        """Add the fit of an event that ends now."""
        columns = [column.name for column in rating_fit.columns if column.name != "event_id"]
        rows = [{"event_id": event_id, **{name: getattr(fit, name) for name in columns}} for fit in fits]
        if rows:
            self._connection.execute(rating_fit.insert(), rows)

    def of_event(self, event_id: str) -> Mapping[str, RatingFit]:
        """Return an event's fit by version id; empty while it runs."""
        return self._by_version(select(rating_fit).where(rating_fit.c.event_id == event_id))

    def latest(self) -> Mapping[str, RatingFit]:
        """Return the newest fit by version id; empty when no event has ended."""
        newest = (
            select(event.c.id)
            .where(event.c.id.in_(select(rating_fit.c.event_id)))
            .order_by(event.c.closed_ms.desc(), event.c.id)
            .limit(1)
        )
        return self._by_version(select(rating_fit).where(rating_fit.c.event_id == newest.scalar_subquery()))

    def _by_version(self, query: Select[Any]) -> Mapping[str, RatingFit]:
        return {row["version_id"]: _fit(row) for row in self._connection.execute(query).mappings()}


def _fit(row: RowMapping) -> RatingFit:
    return RatingFit(
        version_id=row["version_id"],
        elo_milli=row["elo_milli"],
        low_milli=row["low_milli"],
        high_milli=row["high_milli"],
        rank_best=row["rank_best"],
        rank_worst=row["rank_worst"],
        boards=row["boards"],
    )
