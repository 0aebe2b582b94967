"""Versions: immutable uploads, checked by a smoke match before they play."""

from __future__ import annotations

from collections.abc import Iterable

from guandan_engine.conduct import Verdict

from guandan_arena.ports import Ports
from guandan_arena.services.records import Account, Check, CheckClaim, Submission, Version


def submit(
    ports: Ports, *, caller: Account, bot: str, archive: bytes | Iterable[bytes], filename: str = "", message: str = ""
) -> Submission:
    """Receive an archive for one of the caller's bots (by name) and queue its check; the same bytes again change nothing."""
    raise NotImplementedError


def get(ports: Ports, *, version_id: str) -> Version:
    """Return a version."""
    raise NotImplementedError


def find(ports: Ports, *, bot: str, number: int | None = None) -> Version:
    """Return a bot's version by number, or its newest."""
    raise NotImplementedError


def history(ports: Ports, *, bot: str, limit: int = 50, offset: int = 0) -> tuple[Version, ...]:
    """Return a bot's versions, newest first."""
    raise NotImplementedError


def check_of(ports: Ports, *, version_id: str) -> Check:
    """Return how a version's check stands: state, verdict and its sentence."""
    raise NotImplementedError


def archive(ports: Ports, *, version_id: str) -> bytes:
    """Return the bytes that were uploaded."""
    raise NotImplementedError


def claim_check(ports: Ports, *, version_id: str, worker: str) -> CheckClaim:
    """Take a queued check; raise Refused (code ``not_queued``) when another has it or it is over."""
    raise NotImplementedError


def renew_check(ports: Ports, claim: CheckClaim) -> CheckClaim:
    """Prolong the lease; raise LeaseLost when another attempt has begun."""
    raise NotImplementedError


def finish_check(ports: Ports, claim: CheckClaim, *, verdict: Verdict, detail: str = "", log: bytes = b"") -> Version:
    """Write a check's outcome once: ``ok`` activates the version, a bot's fault refuses it, ours gives it back."""
    raise NotImplementedError


def give_back_check(ports: Ports, claim: CheckClaim, *, detail: str) -> Check:
    """Put a check back for another attempt, because something of ours broke."""
    raise NotImplementedError


def activate(ports: Ports, *, caller: Account, version_id: str) -> Version:
    """Make a checked version the one that plays; the one before is checked again and may come back."""
    raise NotImplementedError


def retire(ports: Ports, *, caller: Account, version_id: str) -> Version:
    """Take a version out of coming events for good."""
    raise NotImplementedError
