"""The audit: everything the stored data can prove, looked at again."""

from __future__ import annotations

from guandan_arena.ports import Ports
from guandan_arena.services.records import AuditEntry, AuditReport


def run(ports: Ports, *, event_id: str | None = None) -> AuditReport:
    """Check all events (or one): every match once, ratings equal a rebuild, every replay verifies, every commitment opens."""
    raise NotImplementedError


def journal(ports: Ports, *, subject: str | None = None, limit: int = 100) -> tuple[AuditEntry, ...]:
    """Return what was done, newest first."""
    raise NotImplementedError
