"""Attending for a remote bot: its owner is told of its events, of every seat that waits, and of the end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from guandan_arena.errors import NotFound, PermissionDenied, Refused
from guandan_arena.ports import Ports, Transaction
from guandan_arena.services import events
from guandan_arena.services.identity import fresh_id
from guandan_arena.services.records import Account, Bot, Entrant, Event, Standing
from guandan_arena.services.remotes import require_door
from guandan_arena.services.states import EventKind, EventState

__all__ = ["LOOK_MS", "Attendance", "Attended", "Ended", "Invited", "Notice", "attend", "notices"]

LOOK_MS: Final = 1_000
_LOOKS_FOR_EVENTS: Final = 3  # SQL is asked less often than Redis
_STAY_MS: Final = 60_000
_MOST_RUNNING: Final = 1_000


@dataclass(frozen=True, slots=True)
class Attendance:
    """Somebody attends for a bot, by its name. ``attendant`` is new in each call; no ``event_id`` is every event."""

    bot: str
    attendant: str
    event_id: str


@dataclass(frozen=True, slots=True)
class Attended:
    """The bot is in an event that runs."""

    event: Event
    entrant: Entrant


@dataclass(frozen=True, slots=True)
class Invited:
    """A seat waits for a process of the bot. ``lifetime_ms``: how long its ticket is still good."""

    table_id: str
    seat: int
    address: str
    ticket: str
    lifetime_ms: int


@dataclass(frozen=True, slots=True)
class Ended:
    """An event of the bot is over."""

    event_id: str
    standing: Standing


Notice: TypeAlias = Attended | Invited | Ended


def attend(ports: Ports, *, caller: Account, bot: str, event_id: str = "") -> Attendance:
    """Begin to attend for a bot of the caller's, which ends what was begun for it before; every refusal says why."""
    require_door(ports)
    with ports.store.snapshot() as tx:
        owned = _own_bot(tx, caller, bot)
        if event_id:
            _require_entrant(tx, owned, event_id)
        else:
            _require_remote(tx, owned)
    attendance = Attendance(owned.name, fresh_id(ports.entropy, "a"), event_id)
    ports.invitations.attend(owned.name, attendance.attendant, expire_ms=_STAY_MS)
    return attendance


def notices(ports: Ports, attendance: Attendance) -> Iterator[Notice | None]:
    """Yield what happens to a bot, and None whenever nothing more has; wait LOOK_MS then.

    Ends with the end of the one event that was named. Raises Refused when somebody else has begun to attend.
    """
    told: set[str] = set()
    after, looks = "0", 0
    while True:
        _require_still(ports, attendance)
        if looks % _LOOKS_FOR_EVENTS == 0:
            for notice in _of_events(ports, attendance, told):
                yield notice
                if isinstance(notice, Ended) and attendance.event_id:
                    return
        for entry in ports.invitations.read(attendance.bot, after=after):
            after = entry.id
            invited = _invited(json.loads(entry.line), attendance, ports.clock.now_ms())
            if invited is not None:
                yield invited
        looks += 1
        yield None


def _of_events(ports: Ports, attendance: Attendance, told: set[str]) -> Iterator[Notice]:
    """Yield the events that have begun or ended since they were told of."""
    running = _running(ports, attendance)
    named = {attendance.event_id} - {""}
    for event_id in sorted((told | named) - running.keys()):
        told.discard(event_id)
        yield Ended(event_id, _standing(ports, event_id, attendance.bot))
    for event_id in sorted(running.keys() - told):
        told.add(event_id)
        yield running[event_id]


def _running(ports: Ports, attendance: Attendance) -> Mapping[str, Attended]:
    """Return the open events that run and have this remote bot as an entrant."""
    found: dict[str, Attended] = {}
    with ports.store.snapshot() as tx:
        for event in tx.events.browse(state=EventState.RUNNING, limit=_MOST_RUNNING):
            if event.kind is EventKind.OPEN and attendance.event_id in ("", event.id):
                entrant = _entrant(tx, event.id, attendance.bot)
                if entrant is not None:
                    found[event.id] = Attended(event, entrant)
    return found


def _invited(invitation: Mapping[str, object], attendance: Attendance, now_ms: int) -> Invited | None:
    """Read an invitation; None when it is too late for it, or it is to another event than the one attended."""
    left_ms = int(str(invitation["until_ms"])) - now_ms
    if left_ms <= 0 or attendance.event_id not in ("", invitation["event_id"]):
        return None
    return Invited(
        table_id=str(invitation["table_id"]),
        seat=int(str(invitation["seat"])),
        address=str(invitation["address"]),
        ticket=str(invitation["ticket"]),
        lifetime_ms=left_ms,
    )


def _standing(ports: Ports, event_id: str, bot: str) -> Standing:
    return next(line for line in events.standings(ports, event_id=event_id) if line.entrant.bot == bot)


def _entrant(tx: Transaction, event_id: str, bot: str) -> Entrant | None:
    """Return the remote entrant of this bot in an event."""
    return next((e for e in tx.events.entrants(event_id) if e.bot == bot and e.remote), None)


def _require_still(ports: Ports, attendance: Attendance) -> None:
    if not ports.invitations.attends(attendance.bot, attendance.attendant, expire_ms=_STAY_MS):
        hint = "one `guandan connect` attends for a bot; end one of the two"
        raise Refused("attended_elsewhere", f"somebody else has begun to attend for {attendance.bot}", hint)


def _own_bot(tx: Transaction, caller: Account, name: str) -> Bot:
    bot = tx.bots.find(name)
    if bot is None:
        raise NotFound("unknown_bot", f"there is no bot {name[:80]!r}", "create it: guandan submit PATH")
    if bot.account_id != caller.id:  # nor an operator: a ticket is for whoever plays
        raise PermissionDenied("not_your_bot", f"{bot.name!r} belongs to {bot.owner}", "use a token of its owner")
    return bot


def _require_entrant(tx: Transaction, bot: Bot, event_id: str) -> None:
    event = tx.events.get(event_id)
    if _entrant(tx, event_id, bot.name) is None:
        reason = f"{bot.name} is no remote bot in {event.name}"
        raise Refused("not_an_entrant", reason, "only remote versions that were active when it opened are in it")


def _require_remote(tx: Transaction, bot: Bot) -> None:
    active = None if bot.active is None else tx.versions.get(bot.active)
    plays = any(
        event.kind is EventKind.OPEN and _entrant(tx, event.id, bot.name)
        for event in tx.events.browse(state=EventState.RUNNING, limit=_MOST_RUNNING)
    )
    if plays or (active is not None and active.remote):
        return
    newest = next((version for version in tx.versions.of_bot(bot.id) if version.remote), None)
    if newest is not None:
        hint = f"guandan bot status {bot.name} says why; guandan bot activate {bot.name} --version {newest.number}"
        raise Refused("not_active", f"{newest.title} is {newest.state}, not active", hint)
    hint = 'submit a bot.toml with runtime = "remote", or name an opponent for one game: --against'
    raise Refused("not_remote", f"{bot.name} has no remote version", hint)
