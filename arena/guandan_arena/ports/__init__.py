"""What the services need from outside, as Protocols; ``app.build`` chooses the adapters."""

from __future__ import annotations

from dataclasses import dataclass

from guandan_arena.ports.authors import Accounts, Bots, Stages, Versions
from guandan_arena.ports.blobs import Blobs
from guandan_arena.ports.ladder import Ladder
from guandan_arena.ports.live import Invitations, Lounge, Rulings, StreamEntry, TableStreams
from guandan_arena.ports.machine import Clock, Entropy
from guandan_arena.ports.nights import Events, Fits, Pairings, Tables
from guandan_arena.ports.queue import JobQueue
from guandan_arena.ports.store import Audit, Store, Transaction
from guandan_arena.settings import Settings

__all__ = [
    "Accounts",
    "Audit",
    "Blobs",
    "Bots",
    "Clock",
    "Entropy",
    "Events",
    "Fits",
    "Invitations",
    "JobQueue",
    "Ladder",
    "Lounge",
    "Pairings",
    "Ports",
    "Rulings",
    "Stages",
    "Store",
    "StreamEntry",
    "TableStreams",
    "Tables",
    "Transaction",
    "Versions",
]


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything a service may use."""

    store: Store
    ladder: Ladder
    tables: TableStreams
    rulings: Rulings
    lounge: Lounge
    invitations: Invitations
    blobs: Blobs
    queue: JobQueue
    clock: Clock
    entropy: Entropy
    settings: Settings
