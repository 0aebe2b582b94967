"""Checks of versions, as workers do them: claimed under a lease, finished once, given back when ours breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from guandan_arena.errors import Exhausted, LeaseLost, Refused
from guandan_arena.ports import Ports, Transaction
from guandan_arena.services import incidents, stages
from guandan_arena.services.afterwards import attempt
from guandan_arena.services.records import AuditEntry, Check, CheckClaim, Version
from guandan_arena.services.states import CheckState, StageName, StageState, VersionState
from guandan_arena.services.versions import make_active
from guandan_arena.settings import Settings
from guandan_engine.conduct import Verdict
from guandan_engine.quoting import quoted_lines
from guandan_engine.rules import load
from guandan_runner.building import Wheel

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
        held = replace(check, state=CheckState.PLAYING, worker=worker, lease_until_ms=lease)
        tx.versions.save_check(replace(held, fence=fence, attempts=check.attempts + 1))
        version = tx.versions.get(version_id)
    return CheckClaim(
        version=version,
        fence=fence,
        worker=worker,
        lease_until_ms=lease,
        secret=ports.entropy.token_bytes(_SECRET_BYTES),
        boards=ports.settings.check_boards,
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


def begin(ports: Ports, claim: CheckClaim, name: StageName) -> None:
    """Say that a stage of the check is under way; raise LeaseLost when another attempt has begun."""
    with ports.store.transaction() as tx:
        _held(tx, claim)
        stages.begin(tx, claim.version.id, name, at_ms=ports.clock.now_ms())


def done(ports: Ports, claim: CheckClaim, name: StageName, *, log: bytes = b"", wheels: Sequence[Wheel] = ()) -> None:
    """Say that a stage went well, and what the version's dependencies were resolved to; raise LeaseLost."""
    digest = ports.blobs.put(log) if log else None
    with ports.store.transaction() as tx:
        _held(tx, claim)
        at_ms = ports.clock.now_ms()
        stages.end(tx, claim.version.id, name, StageState.DONE, at_ms=at_ms, log_digest=digest)
        if wheels:
            tx.versions.set_wheels(claim.version.id, wheels)


def refuse(ports: Ports, claim: CheckClaim, name: StageName, *, code: str, reason: str, hint: str) -> Version:
    """Refuse a version at a stage before its bot was started; raise LeaseLost."""
    now = ports.clock.now_ms()
    with ports.store.transaction() as tx:
        tx.bots.lock(claim.version.bot_id)
        check = _held(tx, claim)
        over = replace(check, state=CheckState.FAILED, worker=None, lease_until_ms=None, finished_ms=now)
        tx.versions.save_check(replace(over, detail=quoted_lines(f"{reason}\nhint: {hint}")))
        stages.end(tx, check.version_id, name, StageState.REFUSED, at_ms=now, code=code, reason=reason, hint=hint)
        tx.audit.add(AuditEntry(now, claim.worker, "check.failed", check.version_id, code))
        return tx.versions.set_state(tx.versions.get(check.version_id), VersionState.REFUSED)


def stall(ports: Ports, claim: CheckClaim, *, code: str, reason: str, hint: str) -> None:
    """Stop a check that no further attempt can finish until an operator acts; the same bytes again resume it."""
    now = ports.clock.now_ms()
    with ports.store.transaction() as tx:
        check = _held(tx, claim)
        back = replace(check, state=CheckState.STALLED, worker=None, lease_until_ms=None, queued_ms=now)
        tx.versions.save_check(replace(back, detail=quoted_lines(f"{reason}\nhint: {hint}")))
        stages.stall(tx, check.version_id, at_ms=now, code=code, reason=reason, hint=hint)
        tx.audit.add(AuditEntry(now, claim.worker, "check.stalled", check.version_id, reason))


def finish(
    ports: Ports, claim: CheckClaim, *, verdict: Verdict, detail: str = "", output: str = "", log: bytes = b""
) -> Version:
    """Write a check's outcome once: ``ok`` activates the version, a bot's fault refuses it, ours gives it back.

    ``detail`` is for everyone; ``output``, the end of what the bot wrote, and ``log``, all of it, are its owner's.
    A version does not replace a newer one that is active already.
    """
    if verdict.is_ours:
        give_back(ports, claim, cause=detail)
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
        reason, _, hint = detail.partition("\nhint: ")
        outcome = StageState.DONE if passed else StageState.REFUSED
        code = "" if passed else str(verdict)
        told = {"code": code, "reason": reason, "hint": hint}
        stages.end(tx, version.id, StageName.CHECKED, outcome, at_ms=now, log_digest=digest, **told)
        return _settle(tx, version, passed=passed, most=ports.settings.active_per_account, at_ms=now)


def give_back(ports: Ports, claim: CheckClaim, *, cause: str | Exception) -> Check:
    """Put a check back for another attempt, because something of ours broke; too many of them stall it.

    The cause goes to the log; everyone reads the incident's number.
    """
    detail = incidents.sentence(ports, of=f"check of {claim.version.id}, attempt {claim.fence}", cause=cause)
    with ports.store.transaction() as tx:
        check = tx.versions.lock_check(claim.version.id)
        if check.state is not CheckState.PLAYING or check.fence != claim.fence:
            return check
        check = put_back(tx, check, ports.settings, now_ms=ports.clock.now_ms(), detail=detail)
    if check.state is CheckState.QUEUED:
        attempt(lambda: ports.queue.check_version(check.version_id), what=f"queue check of {check.version_id}")
    return check


def put_back(tx: Transaction, check: Check, settings: Settings, *, now_ms: int, detail: str) -> Check:
    """Queue a locked check again, or stall it after too many attempts; ``detail`` is a sentence for everyone."""
    state = CheckState.STALLED if check.attempts >= settings.match_attempts else CheckState.QUEUED
    back = replace(check, state=state, worker=None, lease_until_ms=None, queued_ms=now_ms, detail=detail)
    tx.versions.save_check(back)
    if state is CheckState.STALLED:
        hint = "this is no fault of the bot; tell the operator, and send the same bytes again later"
        stages.stall(tx, check.version_id, at_ms=now_ms, code="arena_fault", reason=detail, hint=hint)
    else:
        stages.restart(tx, check.version_id, reason=f"again: {detail}")
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


def _settle(tx: Transaction, version: Version, *, passed: bool, most: int, at_ms: int) -> Version:
    """Move a received version on: refused, or checked and, unless a newer one plays or too many do, active."""
    if not passed:
        return tx.versions.set_state(version, VersionState.REFUSED)
    checked = tx.versions.set_state(version, VersionState.CHECKED)
    active = tx.bots.get(version.bot_id).active
    if active is not None and tx.versions.get(active).number > version.number:
        reason, hint = "a newer version plays", f"guandan bot activate {version.bot} --version {version.number}"
        stages.end(
            tx, version.id, StageName.ACTIVE, StageState.WAITING, at_ms=at_ms, code="newer", reason=reason, hint=hint
        )
        return checked
    try:
        return make_active(tx, checked, most=most, actor="arena", at_ms=at_ms)
    except Exhausted as full:
        told = {"code": full.code, "reason": full.reason, "hint": full.hint}
        stages.end(tx, version.id, StageName.ACTIVE, StageState.REFUSED, at_ms=at_ms, **told)
        return checked
