"""Events with their entrants and rounds in SQL, and the switch that pauses them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Select, and_, func, select, update
from sqlalchemy.engine import RowMapping

from guandan_arena.errors import Refused
from guandan_arena.services.records import Entrant, Event, NightSpec, Round
from guandan_arena.services.states import EventKind, EventState, RoundState, move
from guandan_arena.store.pairings import RATED_EVENTS
from guandan_arena.store.rows import insert_once, locking, one
from guandan_arena.store.schema import account, bot, entrant, event, round_, switch, version
from guandan_arena.store.versions import manifest_of
from guandan_engine.clock import Clocks

_PAUSED = "paused"


class SqlEvents:
    """The ``Events`` repository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, item: Event, secret: bytes, entrants: Sequence[Entrant]) -> None:
        """Add an event with its entrants; raise Refused when one of its kind is running already."""
        values: dict[str, object] = {
            "id": item.id,
            "name": item.name,
            "kind": item.kind,
            "state": item.state,
            "rules": dict(item.rules),
            "spec": asdict(item.spec),
            "commitment": item.commitment,
            "secret": secret,
            "created_ms": item.created_ms,
            "closed_ms": item.closed_ms,
        }
        if not insert_once(self._connection, event, values):
            raise Refused(
                "night_running",
                f"an event of this kind is running, or the name {item.name!r} is taken",
                "wait for its end, or stop it: guandan-arena stop EVENT",
            )
        for e in entrants:
            bot_id = select(version.c.bot_id).where(version.c.id == e.version_id).scalar_subquery()
            values = {"event_id": e.event_id, "version_id": e.version_id, "bot_id": bot_id, "seed": e.seed}
            self._connection.execute(entrant.insert().values(**values, elo_milli=e.elo_milli, games=e.games))

    def get(self, event_id: str) -> Event:
        """Return an event."""
        return _event(one(self._connection, _events(event_id), what="event", key=event_id))

    def lock(self, event_id: str) -> Event:
        """Return an event, holding its row."""
        return _event(one(self._connection, locking(_events(event_id), event), what="event", key=event_id))

    def secret(self, event_id: str) -> bytes:
        """Return the secret, also before it is revealed."""
        secret: bytes = one(self._connection, _events(event_id), what="event", key=event_id)["secret"]
        return secret

    def browse(self, *, state: EventState | None = None, limit: int = 50, offset: int = 0) -> tuple[Event, ...]:
        """Return events, newest first."""
        query = select(event).order_by(event.c.created_ms.desc(), event.c.id).limit(limit).offset(offset)
        if state is not None:
            query = query.where(event.c.state == state)
        return tuple(map(_event, self._connection.execute(query).mappings()))

    def close(self, event_id: str, at_ms: int) -> None:
        """End an event, which reveals its secret."""
        state = move(self.get(event_id).state, EventState.OVER, subject=f"event {event_id}")
        self._connection.execute(update(event).where(event.c.id == event_id).values(state=state, closed_ms=at_ms))

    def entrants(self, event_id: str) -> tuple[Entrant, ...]:
        """Return entrants by seed."""
        query = _ENTRANTS.where(entrant.c.event_id == event_id).order_by(entrant.c.seed)
        return tuple(map(_entrant, self._connection.execute(query).mappings()))

    def latest_entries(self) -> Mapping[str, Entrant]:
        """Return, for every version that has ever entered a rated event, its entry in the newest one."""
        newest = (
            select(entrant.c.version_id, func.max(event.c.created_ms).label("created_ms"))
            .select_from(entrant.join(event, event.c.id == entrant.c.event_id))
            .where(event.c.id.in_(RATED_EVENTS))
            .group_by(entrant.c.version_id)
            .subquery()
        )
        joined = _ENTRANTS.join(event, event.c.id == entrant.c.event_id).join(
            newest, and_(newest.c.version_id == entrant.c.version_id, newest.c.created_ms == event.c.created_ms)
        )
        query = joined.where(event.c.id.in_(RATED_EVENTS))
        return {row["version_id"]: _entrant(row) for row in self._connection.execute(query).mappings()}

    def add_round(self, item: Round) -> bool:
        """Add a round, unless it is there already."""
        values: dict[str, object] = {
            "event_id": item.event_id,
            "number": item.number,
            "state": item.state,
            "opened_ms": item.opened_ms,
            "closed_ms": item.closed_ms,
        }
        return insert_once(self._connection, round_, values)

    def rounds(self, event_id: str) -> tuple[Round, ...]:
        """Return the rounds in order."""
        query = select(round_).where(round_.c.event_id == event_id).order_by(round_.c.number)
        return tuple(map(_round, self._connection.execute(query).mappings()))

    def close_round(self, event_id: str, number: int, at_ms: int) -> None:
        """Close an open round."""
        key = (round_.c.event_id == event_id, round_.c.number == number)
        row = one(self._connection, select(round_).where(*key), what="round", key=f"{event_id}/{number}")
        state = move(RoundState(row["state"]), RoundState.CLOSED, subject=f"round {number} of {event_id}")
        self._connection.execute(update(round_).where(*key).values(state=state, closed_ms=at_ms))

    def paused(self) -> bool:
        """Whether the switch is on."""
        return bool(self._connection.execute(select(switch.c.is_on).where(switch.c.name == _PAUSED)).scalar())

    def set_paused(self, paused: bool) -> None:
        """Turn the switch."""
        if not insert_once(self._connection, switch, {"name": _PAUSED, "is_on": paused}):
            self._connection.execute(update(switch).where(switch.c.name == _PAUSED).values(is_on=paused))


def _events(event_id: str) -> Select[Any]:
    return select(event).where(event.c.id == event_id)


_ENTRANTS: Select[Any] = select(
    entrant, version.c.number, version.c.manifest, bot.c.name.label("bot"), account.c.name.label("owner")
).select_from(
    entrant.join(version, version.c.id == entrant.c.version_id)
    .join(bot, bot.c.id == version.c.bot_id)
    .join(account, account.c.id == bot.c.account_id)
)


def _event(row: RowMapping) -> Event:
    spec = row["spec"]
    over = row["state"] == EventState.OVER
    return Event(
        id=row["id"],
        name=row["name"],
        kind=EventKind(row["kind"]),
        state=EventState(row["state"]),
        rules=row["rules"],
        spec=NightSpec(spec["rounds"], spec["boards"], Clocks(**spec["clocks"]), spec["owners_apart"]),
        commitment=row["commitment"],
        secret=row["secret"] if over else None,
        created_ms=row["created_ms"],
        closed_ms=row["closed_ms"],
    )


def _entrant(row: RowMapping) -> Entrant:
    return Entrant(
        event_id=row["event_id"],
        version_id=row["version_id"],
        owner=row["owner"],
        bot=row["bot"],
        number=row["number"],
        seed=row["seed"],
        elo_milli=row["elo_milli"],
        games=row["games"],
        remote=manifest_of(row["manifest"]).is_remote,
    )


def _round(row: RowMapping) -> Round:
    return Round(row["event_id"], row["number"], RoundState(row["state"]), row["opened_ms"], row["closed_ms"])
