"""The audit: everything the stored data can prove, looked at again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from guandan_arena.errors import NotFound, Unavailable
from guandan_arena.ports import Ports, Transaction
from guandan_arena.services import replays
from guandan_arena.services.proofs import EventRows, event_holds, replay_holds
from guandan_arena.services.records import AuditEntry, AuditReport, Finding, Match, MatchChange, Rating, Table
from guandan_arena.services.rulings import TABLE_RULE
from guandan_arena.services.states import EventState

_ALL = 1_000_000


def run(ports: Ports, *, event_id: str | None = None) -> AuditReport:
    """Check all events (or one), and that Redis holds what a rebuild from SQL would give.

    Every match once, every pairing and rating derivable, every commitment opens, every replay verifies.
    """
    with ports.store.snapshot() as tx:
        events = tx.events.browse(limit=_ALL) if event_id is None else (tx.events.get(event_id),)
    findings: list[Finding] = []
    matches = tables = 0
    for event in events:
        with ports.store.snapshot() as tx:
            rows = _rows(tx, event.id)
        findings += event_holds(rows)
        matches += len(rows.matches)
        for match in rows.matches:
            for table in rows.tables.get(match.id, ()):
                if not table.result.is_played:
                    continue
                findings += _replay(ports, rows, match, table)
                tables += 1
    findings += _ladder(ports)
    return AuditReport(len(events), matches, tables, replays=tables, findings=tuple(findings))


def journal(ports: Ports, *, subject: str | None = None, limit: int = 100) -> tuple[AuditEntry, ...]:
    """Return what was done, newest first."""
    with ports.store.snapshot() as tx:
        return tx.audit.browse(subject=subject, limit=limit)


def _rows(tx: Transaction, event_id: str) -> EventRows:
    tables: defaultdict[str, list[Table]] = defaultdict(list)
    for table in tx.tables.of_event(event_id):
        tables[table.match_id].append(table)
    return EventRows(
        event=tx.events.get(event_id),
        secret=tx.events.secret(event_id),
        entrants=tx.events.entrants(event_id),
        rounds=tx.events.rounds(event_id),
        matches=tx.pairings.of_event(event_id),
        tables={match_id: tuple(group) for match_id, group in tables.items()},
    )


def _replay(ports: Ports, rows: EventRows, match: Match, table: Table) -> Iterator[Finding]:
    try:
        lines = replays.read(ports, table).lines
    except (NotFound, Unavailable) as error:
        yield Finding("replay_missing", table.id, error.reason)
        return
    with ports.store.snapshot() as tx:
        ruled = sum(entry.action == TABLE_RULE for entry in tx.audit.browse(subject=table.id, limit=_ALL))
    yield from replay_holds(rows, match, table, lines, ruled=ruled)


def _ladder(ports: Ports) -> Iterator[Finding]:
    """Compare Redis with SQL. While a rated night runs Redis may be ahead or behind: what both know is compared."""
    with ports.store.snapshot() as tx:
        ratings, changes = tx.pairings.ratings(), tx.pairings.changes()
        running = any(event.kind.is_rated for event in tx.events.browse(state=EventState.RUNNING, limit=_ALL))
    yield from _deltas(ports, changes, running=running)
    if not running:
        yield from _ratings(ports, ratings)


def _deltas(ports: Ports, changes: tuple[MatchChange, ...], *, running: bool) -> Iterator[Finding]:
    by_event: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for change in changes:
        by_event[change.event_id][change.match_id] = change.delta_milli
    for event_id, expected in by_event.items():
        applied = ports.ladder.applied(event_id)
        both = expected.keys() & applied.keys()
        wrong = {match_id for match_id in both if expected[match_id] != applied[match_id]}
        if not running:
            wrong |= expected.keys() ^ applied.keys()
        for match_id in sorted(wrong):
            reason = f"Redis applied {applied.get(match_id)}, SQL says {expected.get(match_id)}"
            yield Finding("delta_differs", match_id, reason)


def _ratings(ports: Ports, ratings: Mapping[str, Rating]) -> Iterator[Finding]:
    live = dict(ports.ladder.top(limit=_ALL))
    for version_id in sorted(live.keys() | ratings.keys()):
        expected = ratings[version_id].elo_milli if version_id in ratings else None
        if live.get(version_id) != expected:
            reason = f"Redis has {live.get(version_id)}, a rebuild gives {expected}"
            yield Finding("rating_differs", version_id, reason)
