"""Suspension: a version whose seats were given up in three pairings running plays in no coming event.

Its owner lifts it by activating the version, which has it checked again first; an operator lifts it at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from guandan_arena.ports import Transaction
from guandan_arena.services import stages
from guandan_arena.services.records import AuditEntry, Match, TableResult, Version
from guandan_arena.services.standings import entrant_at
from guandan_arena.services.states import CheckState, MatchState, StageName, StageState, VersionState

__all__ = ["FAULTY_RUNNING", "has_fault", "lift", "suspend_if_due"]

FAULTY_RUNNING: Final = 3
_LOOKED_AT: Final = 20  # newest matches, among them byes and void ones, which count neither way


def has_fault(match: Match, tables: Sequence[TableResult], version_id: str) -> bool:
    """Whether a seat of a version was given up at a table of a match."""
    return any(
        facts.given_up and entrant_at(match, table.way, seat) == version_id
        for table in tables
        if table.is_played
        for seat, facts in enumerate(table.facts)
    )


def suspend_if_due(tx: Transaction, match: Match, tables: Sequence[TableResult], *, at_ms: int) -> None:
    """Suspend a version of a match just finished, if this was its third faulty one running since it was activated."""
    assert match.b is not None
    faulty = [side.version_id for side in (match.a, match.b) if has_fault(match, tables, side.version_id)]
    found = sorted((tx.versions.get(version_id) for version_id in faulty), key=lambda version: version.bot_id)
    for version in found:  # bots are held in one order, so that two matches never wait for each other
        tx.bots.lock(version.bot_id)
        held = tx.versions.get(version.id)
        if held.state is VersionState.ACTIVE:
            running = _running(tx, held)
            if len(running) == FAULTY_RUNNING:
                _suspend(tx, held, running, at_ms)


def _running(tx: Transaction, version: Version) -> list[Match]:
    """Return the newest matches of a version since its activation that were all faulty, at most three."""
    since_ms = stages.one(tx, version.id, StageName.ACTIVE).started_ms or 0
    newest = tx.pairings.browse(version_id=version.id, limit=_LOOKED_AT)
    over = [match for match in newest if match.state is MatchState.DONE and match.b is not None]
    over.sort(key=lambda match: (match.finished_ms or 0, match.round), reverse=True)
    faulty: list[Match] = []
    for match in over[:FAULTY_RUNNING]:
        results = [table.result for table in tx.tables.of_match(match.id)]
        if (match.finished_ms or 0) < since_ms or not has_fault(match, results, version.id):
            break
        faulty.append(match)
    return faulty


def _suspend(tx: Transaction, version: Version, running: Sequence[Match], at_ms: int) -> None:
    names = ", ".join(match.id for match in running)
    reason = f"its seats were given up in {FAULTY_RUNNING} matches running: {names}"
    hint = (
        f"guandan logs {running[0].id} says why; "
        f"guandan bot activate {version.bot} --version {version.number} has it checked again, then it plays"
    )
    tx.versions.set_state(version, VersionState.SUSPENDED)
    stages.end(
        tx, version.id, StageName.ACTIVE, StageState.WAITING, at_ms=at_ms, code="suspended", reason=reason, hint=hint
    )
    tx.audit.add(AuditEntry(at_ms, "arena", "version.suspend", version.id, names))


def lift(tx: Transaction, version: Version, *, actor: str, at_ms: int) -> Version:
    """Have a suspended version, whose bot is held, checked again: it becomes active when that goes well."""
    check = tx.versions.lock_check(version.id)
    tx.versions.save_check(replace(check, state=CheckState.QUEUED, attempts=0, queued_ms=at_ms, verdict=None))
    stages.restart(tx, version.id, reason="checked again after a suspension")
    tx.audit.add(AuditEntry(at_ms, actor, "version.recheck", version.id))
    return tx.versions.set_state(version, VersionState.RECEIVED)
