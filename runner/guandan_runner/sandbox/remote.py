"""Seats of remote bots: nothing is started here, somebody elsewhere is invited to a door with a one-time ticket."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from guandan_runner.door import Door
from guandan_runner.sandbox.seat import SOCKET_NAME, Evidence, Sandbox, SeatProcess, SeatSpec
from guandan_runner.tickets import Admission, Tickets

__all__ = ["Invitation", "WithRemotes"]

# What a remote bot writes stays with its author.
_UNKNOWN: Final = Evidence(None, None, killed=False, memory_exceeded=False, output_exceeded=False, log="", started_ms=0)


@dataclass(frozen=True, slots=True)
class Invitation:
    """A seat that waits for a remote bot: where its door is, the ticket that opens it, and for how long."""

    table_id: str
    seat: int
    address: str
    ticket: str
    lifetime_ms: int


class WithRemotes:
    """A sandbox for the bots that are here, and invitations for those that are not: they have no command."""

    def __init__(self, sandbox: Sandbox, door: Door, invite: Callable[[Invitation], None], *, lifetime_ms: int) -> None:
        self._sandbox = sandbox
        self._door = door
        self._invite = invite
        self._lifetime_ms = lifetime_ms

    @property
    def kind(self) -> str:
        """Name of the sandbox of those that are here."""
        return self._sandbox.kind

    @property
    def gap(self) -> str:
        """What that sandbox does not limit."""
        return self._sandbox.gap

    def start(self, spec: SeatSpec) -> SeatProcess:
        """Start a bot that is here, or invite one that is not."""
        if spec.entry:
            return self._sandbox.start(spec)
        socket = spec.socket_dir / SOCKET_NAME
        ticket, admission = self._door.tickets.issue(socket, lifetime_ms=self._lifetime_ms)
        self._invite(Invitation(spec.table_id, spec.seat, self._door.address, ticket, self._lifetime_ms))
        return _RemoteSeat(self._door.tickets, admission)

    def close(self) -> None:
        """Let go of the sandbox of those that are here."""
        self._sandbox.close()


class _RemoteSeat:
    """A process that nobody here can see: it is over when its table is, and until then it may always come back."""

    def __init__(self, tickets: Tickets, admission: Admission) -> None:
        self._tickets = tickets
        self._admission = admission
        self._over = threading.Event()

    def wait(self, timeout_s: float) -> bool:
        """Wait until the seat is ended; a lost connection does not end it."""
        return self._over.wait(timeout_s)

    def end(self) -> Evidence:
        """Let nobody in any more; of a process elsewhere nothing is known."""
        self._tickets.withdraw(self._admission)
        self._over.set()
        return _UNKNOWN
