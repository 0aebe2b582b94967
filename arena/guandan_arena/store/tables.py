"""Tables that counted, and the journal, in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Select, and_, func, select
from sqlalchemy.engine import RowMapping

from guandan_arena.services.records import AuditEntry, BoardScore, Table, TableResult
from guandan_arena.store.pairings import RATED
from guandan_arena.store.rows import one
from guandan_arena.store.schema import audit_entry, event, pairing, played_table
from guandan_engine.conduct import Verdict
from guandan_engine.decisions import DecisionPhase, Decisions, DecisionTimes
from guandan_engine.pace import Pace
from guandan_runner.results import SeatFacts


class SqlTables:
    """The ``Tables`` repository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, tables: Sequence[Table]) -> None:
        """Add the tables of a match."""
        self._connection.execute(played_table.insert(), [_values(table) for table in tables])

    def get(self, table_id: str) -> Table:
        """Return a table."""
        query = select(played_table).where(played_table.c.id == table_id)
        return _table(one(self._connection, query, what="table", key=table_id))

    def of_match(self, match_id: str) -> tuple[Table, ...]:
        """Return a match's tables in order of board and way."""
        return self._all(select(played_table).where(played_table.c.match_id == match_id))

    def of_matches(self, match_ids: Iterable[str]) -> tuple[Table, ...]:
        """Return the tables of several matches, by match, board and way."""
        return self._all(select(played_table).where(played_table.c.match_id.in_(tuple(match_ids))))

    def of_event(self, event_id: str) -> tuple[Table, ...]:
        """Return all tables of an event."""
        return self._all(select(played_table).join(pairing).where(pairing.c.event_id == event_id))

    def board_scores(self) -> tuple[BoardScore, ...]:
        """Return every board of every rated match."""
        first, second = played_table.alias(), played_table.alias()
        same_board = and_(first.c.match_id == second.c.match_id, first.c.board == second.c.board)
        query = (
            select(pairing.c.a, pairing.c.b, first.c.points, second.c.points, pairing.c.event_id)
            .select_from(pairing.join(first, first.c.match_id == pairing.c.id).join(second, same_board))
            .where(RATED, first.c.way == 0, second.c.way == 1)
            .order_by(pairing.c.id, first.c.board)
        )
        rules = self._connection.execute(select(event.c.id, event.c.rules))
        most = {event_id: max(parameters["gains"]) for event_id, parameters in rules}
        return tuple(BoardScore(a, b, (x, y), most[e]) for a, b, x, y, e in self._connection.execute(query))

    def _all(self, query: Select[Any]) -> tuple[Table, ...]:
        ordered = query.order_by(played_table.c.match_id, played_table.c.board, played_table.c.way)
        return tuple(map(_table, self._connection.execute(ordered).mappings()))


class SqlAudit:
    """The ``Audit`` repository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, entry: AuditEntry) -> None:
        """Add an entry at the end of the journal."""
        self._connection.execute(audit_entry.insert().values(**asdict(entry)))

    def count_since(self, *, subject: str, action: str, since_ms: int) -> int:
        """Return how often something was done to a subject at or after a time."""
        query = select(func.count()).where(
            audit_entry.c.subject == subject, audit_entry.c.action == action, audit_entry.c.at_ms >= since_ms
        )
        return self._connection.execute(query).scalar_one()

    def browse(self, *, subject: str | None = None, limit: int = 100) -> tuple[AuditEntry, ...]:
        """Return entries, newest first."""
        query = select(audit_entry).order_by(audit_entry.c.id.desc()).limit(limit)
        if subject is not None:
            query = query.where(audit_entry.c.subject == subject)
        rows = self._connection.execute(query).mappings()
        return tuple(AuditEntry(r["at_ms"], r["actor"], r["action"], r["subject"], r["detail"]) for r in rows)


def _values(table: Table) -> dict[str, object]:
    result = table.result
    return {
        "id": result.table_id,
        "match_id": table.match_id,
        "fence": table.fence,
        "board": result.board,
        "way": result.way,
        "points": result.points,
        "finishing": list(result.order),
        "verdicts": list(result.verdicts),
        "details": list(result.details),
        "decisions": [_times_json(times) for times in result.decisions],
        "pace": asdict(result.pace),
        "replay_digest": result.replay_digest,
        "log_digests": list(result.log_digests),
        "facts": [asdict(facts) for facts in result.facts],
        "lost": list(result.lost),
    }


def _times_json(times: DecisionTimes) -> dict[str, object]:
    parts = ((phase, times.of_phase(phase)) for phase in DecisionPhase)
    return {phase: {"buckets": [list(b) for b in part.buckets], "max_ms": part.max_ms} for phase, part in parts}


def _times(value: dict[str, Any]) -> DecisionTimes:
    return DecisionTimes(
        **{
            phase: Decisions(tuple((bucket, count) for bucket, count in part["buckets"]), part["max_ms"])
            for phase, part in value.items()
        }
    )


def _table(row: RowMapping) -> Table:
    v0, v1, v2, v3 = (Verdict(value) for value in row["verdicts"])
    d0, d1, d2, d3 = map(_times, row["decisions"])
    f0, f1, f2, f3 = (SeatFacts(**value) for value in row["facts"])
    result = TableResult(
        table_id=row["id"],
        board=row["board"],
        way=row["way"],
        points=row["points"],
        order=tuple(row["finishing"]),
        verdicts=(v0, v1, v2, v3),
        replay_digest=row["replay_digest"],
        decisions=(d0, d1, d2, d3),
        details=tuple(row["details"]),
        log_digests=tuple(row["log_digests"]),
        pace=Pace(**row["pace"]),
        facts=(f0, f1, f2, f3),
        lost=tuple(row["lost"]),
    )
    return Table(row["match_id"], row["fence"], result)
