"""Seats of remote bots at the tables of an event: a door for as long as their match lasts, and invitations to them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, replace

from guandan_arena.services import remotes
from guandan_arena.services.records import Claim
from guandan_engine.board import entrant_of
from guandan_runner.door import open_door
from guandan_runner.sandbox import Policy, Sandbox
from guandan_runner.sandbox.remote import Invitation, WithRemotes
from guandan_workers.remote import place_of
from guandan_workers.worker import Worker


@asynccontextmanager
async def seats_of(worker: Worker, claim: Claim) -> AsyncIterator[tuple[Sandbox, Policy]]:
    """Give what the seats of a match are started with and how: a remote side's are invited to a door.

    Their tables are not prepared ahead, so that an invitation is never older than the time there is to come.
    """
    if not (claim.a.remote or claim.b.remote):
        yield worker.sandbox, worker.policy
        return
    async with open_door(place_of(worker.ports.settings)) as door:
        sandbox = WithRemotes(worker.sandbox, door, _inviter(worker, claim), lifetime_ms=claim.clocks.connect_ms)
        yield sandbox, replace(worker.policy, tables_ahead=0)


def _inviter(worker: Worker, claim: Claim) -> Callable[[Invitation], None]:
    ways = {task.table_id: task.way for task in claim.tables}

    def invite(invitation: Invitation) -> None:
        side = (claim.a, claim.b)[entrant_of(invitation.seat, ways[invitation.table_id])]
        remotes.invite(worker.ports, bot=side.bot, event_id=claim.event_id, **asdict(invitation))

    return invite
