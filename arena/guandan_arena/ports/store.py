"""The SQL database: all repositories within one transaction."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from guandan_arena.ports.authors import Accounts, Bots, Stages, Versions
from guandan_arena.ports.nights import Events, Fits, Pairings, Tables
from guandan_arena.services import records as r


class Audit(Protocol):
    """The journal of what was done."""

    def add(self, entry: r.AuditEntry) -> None: ...
    def count_since(self, *, subject: str, action: str, since_ms: int) -> int: ...
    def browse(self, *, subject: str | None = None, limit: int = 100) -> tuple[r.AuditEntry, ...]: ...


class Transaction(Protocol):
    """All repositories within one transaction: it commits when the block ends, and rolls back on an exception."""

    accounts: Accounts
    bots: Bots
    versions: Versions
    stages: Stages
    events: Events
    pairings: Pairings
    tables: Tables
    fits: Fits
    audit: Audit


class Store(Protocol):
    """The SQL database: the truth."""

    def transaction(self) -> AbstractContextManager[Transaction]:
        """Begin a transaction that may write."""
        ...

    def snapshot(self) -> AbstractContextManager[Transaction]:
        """Begin a transaction that only reads, from one consistent state."""
        ...

    def ping(self) -> None:
        """Raise Unavailable, naming the URL without its password, when the database does not answer."""
        ...

    def close(self) -> None:
        """Give the connections back."""
        ...
