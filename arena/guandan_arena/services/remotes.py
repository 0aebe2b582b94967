"""Remote bots: whether they are let in here, and how a seat that waits is told to whoever attends for its bot."""

from __future__ import annotations

import json
from typing import Final

from guandan_arena.errors import Refused
from guandan_arena.ports import Ports

__all__ = ["CONNECT_MS", "invite", "require_door"]

CONNECT_MS: Final = 30_000
"""How long a remote bot has to come: an invitation travels, and a process starts far away."""


def require_door(ports: Ports) -> None:
    """Raise Refused where the operator lets no remote bots in."""
    if not ports.settings.door_ports:
        hint = "the operator can allow them: remote_host and remote_ports"
        raise Refused("no_remote_bots", "this arena lets no remote bots in", hint)


def invite(
    ports: Ports, *, bot: str, event_id: str, table_id: str, seat: int, address: str, ticket: str, lifetime_ms: int
) -> None:
    """Tell whoever attends for a bot that a seat waits for it, for as long as its ticket is good."""
    invitation = {
        "event_id": event_id,
        "table_id": table_id,
        "seat": seat,
        "address": address,
        "ticket": ticket,
        "until_ms": ports.clock.now_ms() + lifetime_ms,
    }
    ports.invitations.put(bot, json.dumps(invitation), expire_ms=lifetime_ms)
