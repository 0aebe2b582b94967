"""Seats of remote bots: a door for as long as their match lasts, and invitations to them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, replace

from guandan_arena.services import remotes
from guandan_arena.services.records import Claim
from guandan_arena.settings import Settings
from guandan_engine.board import entrant_of
from guandan_runner.door import DoorPlace, open_door
from guandan_runner.sandbox import Policy, Sandbox
from guandan_runner.sandbox.remote import Invitation, WithRemotes
from guandan_workers.worker import Worker


@asynccontextmanager
async def seats_of(worker: Worker, claim: Claim) -> AsyncIterator[tuple[Sandbox, Policy]]:
    """Give what the seats of an event's match are started with and how: a remote side's are invited to a door."""
    if not (claim.a.remote or claim.b.remote):
        yield worker.sandbox, worker.policy
        return
    async with at_a_door(worker, _inviter(worker, claim), connect_ms=claim.clocks.connect_ms) as seats:
        yield seats


@asynccontextmanager
async def at_a_door(
    worker: Worker, invite: Callable[[Invitation], None], *, connect_ms: int
) -> AsyncIterator[tuple[Sandbox, Policy]]:
    """Open a door, and give what seats are started with behind it: who is not here is invited.

    Tables are not prepared ahead, so that an invitation is never older than the time there is to come.
    """
    async with open_door(_place(worker.ports.settings)) as door:
        sandbox = WithRemotes(worker.sandbox, door, invite, lifetime_ms=connect_ms)
        yield sandbox, replace(worker.policy, tables_ahead=0)


def _place(settings: Settings) -> DoorPlace:
    """Return where this machine lets remote bots in."""
    if settings.tls_cert is None or settings.tls_key is None:
        return DoorPlace(settings.host, settings.door_ports, settings.remote_host)
    key, certificate = settings.tls_key.read_bytes(), settings.tls_cert.read_bytes()
    return DoorPlace(settings.host, settings.door_ports, settings.remote_host, key, certificate)


def _inviter(worker: Worker, claim: Claim) -> Callable[[Invitation], None]:
    ways = {task.table_id: task.way for task in claim.tables}

    def invite(invitation: Invitation) -> None:
        side = (claim.a, claim.b)[entrant_of(invitation.seat, ways[invitation.table_id])]
        remotes.invite(worker.ports, bot=side.bot, event_id=claim.event_id, **asdict(invitation))

    return invite
