"""One-time tickets: what a remote bot shows to be let in to its seat, instead of a socket of its own."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

__all__ = ["Admission", "NotAdmitted", "Tickets"]

_TICKET_BYTES: Final = 32
ASK_AGAIN: Final = "ask for a new game with `guandan connect`; every game brings new tickets"


class NotAdmitted(Exception):
    """A remote bot is not let in to a seat: the code for machines, the reason, and what to do."""

    def __init__(self, code: str, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.hint = hint


@dataclass(slots=True)
class Admission:
    """The right to one seat. Of the ticket and of the session token only hashes are kept.

    ``taken``: the ticket has let a stream in.
    """

    socket: Path
    ticket_hash: bytes
    expires_ms: int
    taken: bool = False
    sessions: list[bytes] = field(default_factory=list)

    def welcomed(self, session_token: str) -> None:
        """Remember the session that began: from now on the ticket alone lets nobody in."""
        digest = _hash(session_token)
        if digest not in self.sessions:
            self.sessions.append(digest)


class Tickets:
    """The tickets of the seats that are waiting or playing; usable from every thread. ``clock_ms`` never jumps."""

    def __init__(self, clock_ms: Callable[[], int]) -> None:
        self._clock_ms = clock_ms
        self._lock = threading.Lock()
        self._seats: list[Admission] = []

    def issue(self, socket: Path, *, lifetime_ms: int) -> tuple[str, Admission]:
        """Return a new ticket for the seat behind a socket, and the admission it stands for."""
        ticket = secrets.token_urlsafe(_TICKET_BYTES)
        admission = Admission(socket, _hash(ticket), self._clock_ms() + lifetime_ms)
        with self._lock:
            self._seats.append(admission)
        return ticket, admission

    def withdraw(self, admission: Admission) -> None:
        """Let nobody in with this ticket any more: its seat has ended."""
        with self._lock:
            self._seats = [seat for seat in self._seats if seat is not admission]

    def give_back(self, admission: Admission) -> None:
        """Make a ticket good again whose stream ended before the table's Welcome: that was no use of it."""
        with self._lock:
            admission.taken = bool(admission.sessions)

    def admit(self, ticket: str, session_token: str) -> Admission:
        """Return the seat a Hello may have; raise NotAdmitted.

        The first Hello shows the ticket, every later one the ticket and the session token of its Welcome. All hashes
        are compared, each in constant time, so that the time taken tells nothing.
        """
        with self._lock:
            seat = self._checked(_hash(ticket), _hash(session_token), resuming=bool(session_token))
            seat.taken = True
            return seat

    def _checked(self, ticket: bytes, session: bytes, *, resuming: bool) -> Admission:
        found = [seat for seat in self._seats if hmac.compare_digest(seat.ticket_hash, ticket)]
        others = [seat for seat in self._seats if _holds(seat, session)]
        if not found:
            raise NotAdmitted("ticket_unknown", "no seat here is waiting for this ticket", ASK_AGAIN)
        (seat,) = found
        if _holds(seat, session):
            return seat
        if others:
            hint = "one process plays one seat: keep its ticket and its session token together"
            raise NotAdmitted("ticket_of_another_seat", "the session token belongs to another seat", hint)
        if seat.taken:
            hint = "to resume a stream, send the session token of its Welcome with the ticket"
            raise NotAdmitted("ticket_used", "this ticket has been used: its seat is taken", hint)
        if self._clock_ms() >= seat.expires_ms:
            raise NotAdmitted("ticket_expired", "this ticket was not used in time", ASK_AGAIN)
        if resuming:
            raise NotAdmitted(
                "session_unknown", "this seat has no such session", "send the ticket alone the first time"
            )
        return seat


def _holds(seat: Admission, session: bytes) -> bool:
    return sum(hmac.compare_digest(known, session) for known in seat.sessions) > 0


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
