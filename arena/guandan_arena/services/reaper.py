"""The sweep that puts right whatever died: at any time, any number of times, by any number of processes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from guandan_arena.ports import Ports
from guandan_arena.services import checks, events, ladder, matches
from guandan_arena.services.afterwards import attempt
from guandan_arena.services.records import Check, Match, ReapReport
from guandan_arena.services.states import CheckState, EventState, MatchState

_EXPIRED = "the lease of its worker expired"


def reap(ports: Ports) -> ReapReport:
    """Put right expired leases, lost tasks, rounds not closed, and ratings not applied.

    A task counts as lost when it has waited for settings.requeue_ms and nothing is being played by the workers it waits
    for: while they play, a long queue is no sign of a loss. A task that comes twice is refused at the claim.
    """
    now = ports.clock.now_ms()
    with ports.store.snapshot() as tx:
        # Matches with a remote side have workers of their own, which may be busy for hours.
        busy = frozenset(match.remote for match in tx.pairings.playing())
        since = -1 if tx.events.paused() else now - ports.settings.requeue_ms
        stale = tx.pairings.stale(now_ms=now, queued_before_ms=since)
        stale_checks = tx.versions.stale_checks(now_ms=now, queued_before_ms=now - ports.settings.requeue_ms)
        running = tx.events.browse(state=EventState.RUNNING, limit=1000)
    touched = [match for match_id in stale if (match := _put_right(ports, match_id, now, since, busy))]
    seen = [check for version_id in stale_checks if (check := _put_check_right(ports, version_id, now))]
    for match in touched:
        matches.resume(ports, match)
    for check in seen:
        if check.state is CheckState.QUEUED:
            attempt(partial(ports.queue.check_version, check.version_id), what=f"queue check of {check.version_id}")
    return ReapReport(
        requeued=tuple(match.id for match in touched if match.state is MatchState.QUEUED),
        voided=tuple(match.id for match in touched if match.state is MatchState.VOID),
        checks=tuple(check.version_id for check in seen),
        advanced=tuple(event.id for event in running if _advanced(ports, event.id)),
        reconciled=ladder.reconcile(ports),
    )


def _put_right(ports: Ports, match_id: str, now_ms: int, queued_before_ms: int, busy: frozenset[bool]) -> Match | None:
    """Look again at a match, now holding it, and put it back if it is still stale.

    ``busy``: whether a worker with a door (True) and one without (False) plays a match.
    """
    with ports.store.transaction() as tx:
        match = tx.pairings.lock(match_id)
        if match.state is MatchState.PLAYING and (match.lease_until_ms or 0) <= now_ms:
            return matches.put_back(tx, match, ports.settings, now_ms=now_ms, detail=_EXPIRED)
        if match.state is MatchState.QUEUED and match.queued_ms <= queued_before_ms and match.remote not in busy:
            again = replace(match, queued_ms=now_ms)
            tx.pairings.save(again)
            return again
    return None


def _put_check_right(ports: Ports, version_id: str, now_ms: int) -> Check | None:
    with ports.store.transaction() as tx:
        check = tx.versions.lock_check(version_id)
        if check.state is CheckState.PLAYING and (check.lease_until_ms or 0) <= now_ms:
            return checks.put_back(tx, check, ports.settings, now_ms=now_ms, detail=_EXPIRED)
        if check.state is CheckState.QUEUED and check.queued_ms <= now_ms - ports.settings.requeue_ms:
            again = replace(check, queued_ms=now_ms)
            tx.versions.save_check(again)
            return again
    return None


def _advanced(ports: Ports, event_id: str) -> bool:
    """Advance an event; tell whether that changed anything."""
    with ports.store.snapshot() as tx:
        before = len(tx.events.rounds(event_id))
    after = events.advance(ports, event_id=event_id)
    with ports.store.snapshot() as tx:
        return after.state is EventState.OVER or len(tx.events.rounds(event_id)) > before
