"""Versions: immutable uploads, checked before they play."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace

from guandan_arena.errors import Exhausted, InvalidArgument, NotFound, PermissionDenied, Refused
from guandan_arena.ports import Ports, Transaction
from guandan_arena.services import stages, suspensions
from guandan_arena.services.afterwards import attempt
from guandan_arena.services.identity import fresh_id, require_text
from guandan_arena.services.records import Account, AuditEntry, Bot, Check, Submission, Version
from guandan_arena.services.remotes import require_door
from guandan_arena.services.states import CheckState, StageName, StageState, VersionState
from guandan_engine.quoting import quoted
from guandan_runner.archives import Limits, inspect
from guandan_runner.errors import BadArchive, TooMuch
from guandan_runner.manifest import Manifest

_HOUR_MS = 3_600_000
_REFUSED_UPLOAD = "upload.refused"
LACKED = frozenset({"no_wheels", "dependency_missing"})
"""Why a version was refused that an operator can mend: then the same bytes may come again."""


def limits(ports: Ports) -> Limits:
    """Return how much an archive may hold once unpacked."""
    return Limits(ports.settings.unpacked_max_bytes, ports.settings.unpacked_max_files)


def submit(
    ports: Ports,
    *,
    caller: Account,
    bot: str,
    archive: bytes | Iterable[bytes],
    filename: str = "",
    message: str = "",
) -> Submission:
    """Receive an archive for one of the caller's bots (by name) and queue its check.

    The same bytes again change nothing, but that a check is queued again that stalled, or failed for what the arena
    did not have.
    """
    owned = _own_bot(ports, caller, bot)
    require_text(filename, what="file name", most=255)
    require_text(message, what="message", most=500)
    data = _received(ports, archive)
    digest = hashlib.sha256(data).hexdigest()
    with ports.store.snapshot() as tx:
        known = tx.versions.find(owned.id, digest)
    manifest = _admitted(ports, caller, data) if known is None else known.manifest
    ports.blobs.put(data)
    submission = _write(ports, caller, owned, _Upload(digest, len(data), manifest, filename, message))
    attempt(lambda: _queue_check(ports, submission.version.id), what=f"queue check of {submission.version.id}")
    return submission


def _admitted(ports: Ports, caller: Account, data: bytes) -> Manifest:
    """Read a new archive, unless the account has sent enough for now; an upload that is refused counts too."""
    with ports.store.snapshot() as tx:
        _require_quota(tx, ports, caller)
    try:
        manifest = inspect(data, limits(ports), ports.settings.runtimes)
    except BadArchive as bad:
        with ports.store.transaction() as tx:
            tx.audit.add(AuditEntry(ports.clock.now_ms(), caller.name, _REFUSED_UPLOAD, caller.id, bad.code))
        cause = Exhausted if isinstance(bad, TooMuch) else InvalidArgument
        raise cause(bad.code, quoted(bad.reason), quoted(bad.hint)) from bad
    if manifest.is_remote:
        require_door(ports)
    return manifest


def _require_quota(tx: Transaction, ports: Ports, caller: Account) -> None:
    """Raise Exhausted when an account has sent as many archives within the hour as it may."""
    since, most = ports.clock.now_ms() - _HOUR_MS, ports.settings.submissions_per_hour
    refused = tx.audit.count_since(subject=caller.id, action=_REFUSED_UPLOAD, since_ms=since)
    if tx.versions.count_since(caller.id, since) + refused >= most:
        raise Exhausted(
            "quota_uploads",
            f"an account may send {most} archives an hour, those that are refused included",
            "wait until an hour has passed since the first of them",
        )


def get(ports: Ports, *, version_id: str) -> Version:
    """Return a version."""
    with ports.store.snapshot() as tx:
        return tx.versions.get(version_id)


def find(ports: Ports, *, bot: str, number: int | None = None) -> Version:
    """Return a bot's version by number, or its newest."""
    for version in history(ports, bot=bot, limit=1_000_000):
        if number in (None, version.number):
            return version
    wanted = "no version yet" if number is None else f"no version {number}"
    raise NotFound("unknown_version", f"the bot {bot!r} has {wanted}", "list its versions")


def history(ports: Ports, *, bot: str, limit: int = 50, offset: int = 0) -> tuple[Version, ...]:
    """Return a bot's versions, newest first."""
    with ports.store.snapshot() as tx:
        return tx.versions.of_bot(_bot(tx, bot).id)[offset : offset + limit]


def check_of(ports: Ports, *, version_id: str, caller: Account | None = None) -> Check:
    """Return how a version's check stands; what the bot wrote only to its owner and operators."""
    with ports.store.snapshot() as tx:
        bot = tx.bots.get(tx.versions.get(version_id).bot_id)
        check = tx.versions.check(version_id)
    return check if caller is not None and _may_see(caller, bot) else replace(check, output="")


def check_log(ports: Ports, *, caller: Account, version_id: str) -> bytes:
    """Return what the bot printed during its check; only for its owner and operators."""
    with ports.store.snapshot() as tx:
        bot = tx.bots.get(tx.versions.get(version_id).bot_id)
        digest = tx.versions.check(version_id).log_digest
    _require_owner(caller, bot)
    return ports.blobs.get(digest) if digest else b""


def archive(ports: Ports, *, version_id: str) -> bytes:
    """Return the bytes that were uploaded. For workers: whoever serves people asks for the owner first."""
    return ports.blobs.get(get(ports, version_id=version_id).digest)


def activate(ports: Ports, *, caller: Account, version_id: str) -> Version:
    """Make a checked version the one that plays; the one before may come back.

    A suspended version is checked again first, and becomes active by that; for an operator it is so at once.
    """
    now = ports.clock.now_ms()
    with ports.store.transaction() as tx:
        version = _own_version(tx, caller, version_id)
        if version.state is VersionState.ACTIVE:
            return version
        if version.state is not VersionState.SUSPENDED or caller.operator:
            return make_active(tx, version, most=ports.settings.active_per_account, actor=caller.name, at_ms=now)
        lifted = suspensions.lift(tx, version, actor=caller.name, at_ms=now)
    attempt(lambda: _queue_check(ports, version_id), what=f"queue check of {version_id}")
    return lifted


def rollback(ports: Ports, *, caller: Account, bot: str) -> Version:
    """Bring back the version that played before the present one; raise Refused when there is none."""
    now = ports.clock.now_ms()
    with ports.store.transaction() as tx:
        held = tx.bots.lock(_bot(tx, bot).id)
        _require_owner(caller, held)
        played = [
            (started, version)
            for version in tx.versions.of_bot(held.id)
            if version.state is VersionState.CHECKED
            and (started := stages.one(tx, version.id, StageName.ACTIVE).started_ms) is not None
        ]
        if not played:
            reason, hint = f"no other version of {held.name} has played", f"guandan bot versions {held.name}"
            raise Refused("nothing_before", reason, hint)
        _, before = max(played, key=lambda pair: (pair[0], pair[1].number))
        tx.audit.add(AuditEntry(now, caller.name, "version.rollback", before.id))
        return make_active(tx, before, most=ports.settings.active_per_account, actor=caller.name, at_ms=now)


def retire(ports: Ports, *, caller: Account, version_id: str) -> Version:
    """Take a version out of coming events for good; retiring it again changes nothing."""
    with ports.store.transaction() as tx:
        version = _own_version(tx, caller, version_id)
        if version.state is VersionState.RETIRED:
            return version
        now = ports.clock.now_ms()
        tx.audit.add(AuditEntry(now, caller.name, "version.retire", version.id))
        retired = tx.versions.set_state(version, VersionState.RETIRED)
        _rest(tx, version, code="retired", reason=f"retired by {caller.name}", hint="send a new version", at_ms=now)
        return retired


def make_active(tx: Transaction, version: Version, *, most: int, actor: str, at_ms: int) -> Version:
    """Activate a version within a transaction that holds its bot; raise Exhausted when the account has enough."""
    bot = tx.bots.get(version.bot_id)
    before = bot.active
    if before is not None:
        other = tx.versions.set_state(tx.versions.get(before), VersionState.CHECKED)
        hint = f"bring it back with: guandan bot activate {other.bot} --version {other.number}"
        _rest(tx, other, code="replaced", reason=f"version {version.number} plays instead", hint=hint, at_ms=at_ms)
    else:
        _require_room(tx, bot, version, most=most)
    stages.begin(tx, version.id, StageName.ACTIVE, at_ms=at_ms)
    stages.end(tx, version.id, StageName.ACTIVE, StageState.DONE, at_ms=at_ms)
    tx.audit.add(AuditEntry(at_ms, actor, "version.activate", version.id, f"instead of {before}" if before else ""))
    return tx.versions.set_state(version, VersionState.ACTIVE)


def _require_room(tx: Transaction, bot: Bot, version: Version, *, most: int) -> None:
    """Raise Exhausted when the owner of a bot has as many active versions as an account may."""
    tx.accounts.lock(bot.account_id)
    if tx.versions.active_count(bot.account_id) >= most:
        raise Exhausted(
            "quota_active",
            f"an account may have {most} active versions",
            f"retire one of another bot, then: guandan bot activate {version.bot} --version {version.number}",
        )


def _rest(tx: Transaction, version: Version, *, code: str, reason: str, hint: str, at_ms: int) -> None:
    """Say of a version why it plays no more."""
    stages.end(tx, version.id, StageName.ACTIVE, StageState.WAITING, at_ms=at_ms, code=code, reason=reason, hint=hint)


@dataclass(frozen=True, slots=True)
class _Upload:
    """What is known of an archive once it has been read."""

    digest: str
    size: int
    manifest: Manifest
    filename: str
    message: str


def _write(ports: Ports, caller: Account, bot: Bot, upload: _Upload) -> Submission:
    now = ports.clock.now_ms()
    with ports.store.transaction() as tx:
        tx.bots.lock(bot.id)
        known = tx.versions.find(bot.id, upload.digest)
        if known is not None:
            return Submission(_once_more(tx, ports, caller, known), created=False)
        tx.accounts.lock(caller.id)
        _require_quota(tx, ports, caller)
        newest = next(iter(tx.versions.of_bot(bot.id)), None)
        version = Version(
            id=fresh_id(ports.entropy, "v"),
            bot_id=bot.id,
            owner=bot.owner,
            bot=bot.name,
            number=1 if newest is None else newest.number + 1,
            digest=upload.digest,
            size_bytes=upload.size,
            manifest=upload.manifest,
            filename=upload.filename,
            message=upload.message,
            state=VersionState.RECEIVED,
            created_ms=now,
        )
        tx.versions.add(version)
        stages.end(tx, version.id, StageName.RECEIVED, StageState.DONE, at_ms=now)
        tx.audit.add(AuditEntry(now, caller.name, "version.submit", version.id, upload.digest))
        return Submission(version, created=True)


def _once_more(tx: Transaction, ports: Ports, caller: Account, known: Version) -> Version:
    """Give a version a fresh start that stalled by our fault, or was refused for what the arena did not have."""
    now = ports.clock.now_ms()
    check = tx.versions.lock_check(known.id)
    lacked = known.state is VersionState.REFUSED and stages.one(tx, known.id, StageName.BUILT).code in LACKED
    if lacked:
        _require_quota(tx, ports, caller)
        tx.audit.add(AuditEntry(now, caller.name, _REFUSED_UPLOAD, caller.id, f"{known.title} again"))
        known = tx.versions.set_state(known, VersionState.RECEIVED)
    if lacked or check.state is CheckState.STALLED:
        fresh = replace(check, state=CheckState.QUEUED, attempts=0, queued_ms=now, finished_ms=None, detail="")
        tx.versions.save_check(fresh)
        stages.restart(tx, known.id)
    return known


def _queue_check(ports: Ports, version_id: str) -> None:
    with ports.store.snapshot() as tx:
        waits = tx.versions.check(version_id).state is CheckState.QUEUED
    if waits:
        ports.queue.check_version(version_id)


def _received(ports: Ports, archive: bytes | Iterable[bytes]) -> bytes:
    """Collect an upload, and stop as soon as it is too large."""
    most = ports.settings.archive_max_bytes
    data = bytearray()
    for chunk in (archive,) if isinstance(archive, bytes) else archive:
        data += chunk
        if len(data) > most:
            raise Exhausted(
                "archive_too_large",
                f"the archive is larger than {most // (1024 * 1024)} MB",
                "leave out what is not needed",
            )
    if not data:
        raise InvalidArgument("empty_archive", "the archive is empty", "send a zip or tar(.gz)")
    return bytes(data)


def _bot(tx: Transaction, name: str) -> Bot:
    bot = tx.bots.find(name)
    if bot is None:
        raise NotFound("unknown_bot", f"there is no bot {name[:80]!r}", "list the bots to find the one you mean")
    return bot


def _own_bot(ports: Ports, caller: Account, name: str) -> Bot:
    with ports.store.snapshot() as tx:
        bot = _bot(tx, name)
    _require_owner(caller, bot, or_operator=False)
    return bot


def _own_version(tx: Transaction, caller: Account, version_id: str) -> Version:
    """Return a version the caller may change, its bot held until the transaction ends."""
    bot = tx.bots.lock(tx.versions.get(version_id).bot_id)
    _require_owner(caller, bot)
    return tx.versions.get(version_id)


def _require_owner(caller: Account, bot: Bot, *, or_operator: bool = True) -> None:
    if bot.account_id != caller.id and not (or_operator and _may_see(caller, bot)):
        raise PermissionDenied("not_your_bot", f"{bot.name!r} belongs to {bot.owner}", "use a token of its owner")


def _may_see(caller: Account, bot: Bot) -> bool:
    """Whether what is private about a bot may be told to an account."""
    return bot.account_id == caller.id or caller.operator
