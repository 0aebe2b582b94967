"""Checks of versions, as workers do them: claimed under a lease, finished once, given back when ours breaks."""

from __future__ import annotations

from dataclasses import replace

from guandan_arena.errors import LeaseLost, Refused
from guandan_arena.ports import Ports, Transaction
from guandan_arena.services.afterwards import attempt
from guandan_arena.services.boards import check_table
from guandan_arena.services.records import AuditEntry, Check, CheckClaim, Version
from guandan_arena.services.states import CheckState, VersionState
from guandan_arena.services.versions import make_active
from guandan_arena.settings import Settings
from guandan_engine.conduct import Verdict
from guandan_engine.quoting import quoted_lines
from guandan_engine.rules import load

_SECRET_BYTES = 32
_OUTPUT_CHARS = 1000


def claim(ports: Ports, *, version_id: str, worker: str) -> CheckClaim:
    """Take a queued check; raise Refused (code ``not_queued``) when another has it or it is over."""
    now = ports.clock.now_ms()
    lease = now + ports.settings.lease_ms
    with ports.store.transaction() as tx:
        check = tx.versions.lock_check(version_id)
        if check.state is not CheckState.QUEUED:
            raise Refused("not_queued", f"the check of {version_id} is {check.state}", "nothing is to be done")
        fence = check.fence + 1
        tx.versions.save_check(
            replace(check, state=CheckState.PLAYING, fence=fence, worker=worker, lease_until_ms=lease)
        )
        version = tx.versions.get(version_id)
    return CheckClaim(
        version=version,
        fence=fence,
        worker=worker,
        lease_until_ms=lease,
        table=check_table(version_id, fence, ports.entropy.token_bytes(_SECRET_BYTES)),
        clocks=ports.settings.clocks,
        rules=load(ports.settings.night_rules).as_dict(),
    )


def renew(ports: Ports, claim: CheckClaim) -> CheckClaim:
    """Prolong the lease; raise LeaseLost when another attempt has begun."""
    lease = ports.clock.now_ms() + ports.settings.lease_ms
    with ports.store.transaction() as tx:
        check = _held(tx, claim)
        tx.versions.save_check(replace(check, lease_until_ms=lease))
    return replace(claim, lease_until_ms=lease)


def finish(
    ports: Ports, claim: CheckClaim, *, verdict: Verdict, detail: str = "", output: str = "", log: bytes = b""
) -> Version:
    """Write a check's outcome once: ``ok`` activates the version, a bot's fault refuses it, ours gives it back.

    ``detail`` is for everyone; ``output``, the end of what the bot wrote, and ``log``, all of it, are its owner's.
    A version does not replace a newer one that is active already.
    """
    if verdict.is_ours:
        give_back(ports, claim, detail=detail)
        with ports.store.snapshot() as tx:
            return tx.versions.get(claim.version.id)
    passed = verdict is Verdict.OK
    now = ports.clock.now_ms()
    digest = ports.blobs.put(log) if log else None
    with ports.store.transaction() as tx:
        tx.bots.lock(claim.version.bot_id)
        version = tx.versions.get(claim.version.id)
        check = tx.versions.lock_check(version.id)
        if check.fence == claim.fence and check.state in (CheckState.PASSED, CheckState.FAILED):
            return version
        check = _held(tx, claim)
        state = CheckState.PASSED if passed else CheckState.FAILED
        over = replace(check, state=state, worker=None, lease_until_ms=None, finished_ms=now)
        found = replace(over, verdict=verdict, detail=_told(detail), output=_told(output[-_OUTPUT_CHARS:]))
        tx.versions.save_check(replace(found, log_digest=digest))
        tx.audit.add(AuditEntry(now, claim.worker, f"check.{state}", version.id, verdict))
        return _settle(tx, version, passed=passed, at_ms=now)


def give_back(ports: Ports, claim: CheckClaim, *, detail: str) -> Check:
    """Put a check back for another attempt, because something of ours broke; too many of them stall it."""
    with ports.store.transaction() as tx:
        check = tx.versions.lock_check(claim.version.id)
        if check.state is not CheckState.PLAYING or check.fence != claim.fence:
            return check
        check = put_back(tx, check, ports.settings, now_ms=ports.clock.now_ms(), detail=_told(detail))
    if check.state is CheckState.QUEUED:
        attempt(lambda: ports.queue.check_version(check.version_id), what=f"queue check of {check.version_id}")
    return check


def put_back(tx: Transaction, check: Check, settings: Settings, *, now_ms: int, detail: str) -> Check:
    """Queue a locked check again, or stall it after too many attempts."""
    state = CheckState.STALLED if check.fence >= settings.match_attempts else CheckState.QUEUED
    back = replace(check, state=state, worker=None, lease_until_ms=None, queued_ms=now_ms, detail=detail)
    tx.versions.save_check(back)
    tx.audit.add(AuditEntry(now_ms, check.worker or "reaper", f"check.{state}", check.version_id, detail))
    return back


def _told(text: str) -> str:
    """Return evidence of several lines as it may be kept and shown."""
    return quoted_lines(text[:_OUTPUT_CHARS])


def _held(tx: Transaction, claim: CheckClaim) -> Check:
    """Return the check, held until the transaction ends, if the claim on it still stands."""
    check = tx.versions.lock_check(claim.version.id)
    if check.state is not CheckState.PLAYING or check.fence != claim.fence:
        raise LeaseLost("lease_lost", f"attempt {claim.fence} of this check is over", "drop the work")
    return check


def _settle(tx: Transaction, version: Version, *, passed: bool, at_ms: int) -> Version:
    """Move a received version on: refused, or checked and, unless a newer one plays, active."""
    if not passed:
        return tx.versions.set_state(version, VersionState.REFUSED)
    checked = tx.versions.set_state(version, VersionState.CHECKED)
    active = tx.bots.get(version.bot_id).active
    if active is not None and tx.versions.get(active).number > version.number:
        return checked
    return make_active(tx, checked, actor="arena", at_ms=at_ms)
