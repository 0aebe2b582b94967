"""Pairings, which people call matches, in SQL; and the ratings that follow from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select, update
from sqlalchemy.engine import RowMapping

from guandan_arena.ratings.elo import START_MILLI
from guandan_arena.services.records import Match, MatchChange, Rating, Side
from guandan_arena.services.states import EventKind, MatchEnding, MatchState, move
from guandan_arena.store.rows import locking, one
from guandan_arena.store.schema import account, bot, entrant, event, pairing, round_, version
from guandan_arena.store.versions import manifest_of, wheels_of

_OPEN = (MatchState.QUEUED, MatchState.PLAYING)


class SqlPairings:
    """The ``Pairings`` repository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, matches: Sequence[Match]) -> None:
        """Add the pairings of a round."""
        if matches:
            self._connection.execute(pairing.insert(), [_new(match) for match in matches])

    def get(self, match_id: str) -> Match:
        """Return a match."""
        query = _MATCHES.where(pairing.c.id == match_id)
        return _match(one(self._connection, query, what="match", key=match_id))

    def lock(self, match_id: str) -> Match:
        """Return a match, holding its row."""
        query = locking(_MATCHES.where(pairing.c.id == match_id), pairing)
        return _match(one(self._connection, query, what="match", key=match_id))

    def save(self, match: Match) -> None:
        """Write state, attempt, lease and outcome, if the table of states allows the move."""
        before = self.get(match.id).state
        if before is not match.state:
            move(before, match.state, subject=f"match {match.id}")
        self._connection.execute(update(pairing).where(pairing.c.id == match.id).values(**_progress(match)))

    def of_event(self, event_id: str, *, round: int | None = None) -> tuple[Match, ...]:  # noqa: A002
        """Return an event's matches, or those of one round, in order of round and number."""
        query = _MATCHES.where(pairing.c.event_id == event_id).order_by(pairing.c.round, pairing.c.number)
        if round is not None:
            query = query.where(pairing.c.round == round)
        return self._all(query)

    def open_count(self, event_id: str, round: int) -> int:  # noqa: A002
        """Return how many matches of a round are not over."""
        query = select(func.count()).select_from(pairing)
        return self._connection.execute(
            query.where(pairing.c.event_id == event_id, pairing.c.round == round, pairing.c.state.in_(_OPEN))
        ).scalar_one()

    def browse(
        self,
        *,
        event_id: str | None = None,
        version_id: str | None = None,
        bot_id: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[Match, ...]:
        """Return matches, newest first."""
        query = _MATCHES.join(
            round_, and_(round_.c.event_id == pairing.c.event_id, round_.c.number == pairing.c.round)
        ).order_by(round_.c.opened_ms.desc(), pairing.c.round.desc(), pairing.c.number, pairing.c.id)
        if event_id is not None:
            query = query.where(pairing.c.event_id == event_id)
        if version_id is not None:
            query = query.where(or_(pairing.c.a == version_id, pairing.c.b == version_id))
        if bot_id is not None:
            query = query.where(or_(_A.version.c.bot_id == bot_id, _B.version.c.bot_id == bot_id))
        return self._all(query.limit(limit).offset(offset))

    def playing(self) -> tuple[Match, ...]:
        """Return the matches that are being played in all events."""
        return self._all(_MATCHES.where(pairing.c.state == MatchState.PLAYING))

    def stale(self, *, now_ms: int, queued_before_ms: int) -> tuple[str, ...]:
        """Return ids of matches whose lease has expired, or which have been queued since before a time."""
        query = select(pairing.c.id).where(
            or_(
                and_(pairing.c.state == MatchState.PLAYING, pairing.c.lease_until_ms <= now_ms),
                and_(pairing.c.state == MatchState.QUEUED, pairing.c.queued_ms <= queued_before_ms),
            )
        )
        return tuple(self._connection.execute(query.order_by(pairing.c.queued_ms, pairing.c.id)).scalars())

    def changes(self, *, event_id: str | None = None) -> tuple[MatchChange, ...]:
        """Return what every rated match moves, in order of finishing."""
        query = select(pairing).where(RATED).order_by(pairing.c.finished_ms, pairing.c.id)
        if event_id is not None:
            query = query.where(pairing.c.event_id == event_id)
        rows = self._connection.execute(query).mappings()
        return tuple(MatchChange(r["event_id"], r["id"], r["a"], r["b"], r["delta_milli"]) for r in rows)

    def ratings(self, version_ids: Iterable[str] | None = None) -> Mapping[str, Rating]:
        """Return the Elo and games of versions that have ever entered an event (all, or these)."""
        wanted = None if version_ids is None else tuple(version_ids)
        entered = select(entrant.c.version_id).where(entrant.c.event_id.in_(RATED_EVENTS)).distinct()
        if wanted is not None:
            entered = entered.where(entrant.c.version_id.in_(wanted))
        elo = dict.fromkeys(self._connection.execute(entered).scalars(), START_MILLI)
        games: defaultdict[str, int] = defaultdict(int)
        for column, sign in ((pairing.c.a, 1), (pairing.c.b, -1)):
            moved = select(column, func.sum(pairing.c.delta_milli), func.count()).where(RATED).group_by(column)
            if wanted is not None:
                moved = moved.where(column.in_(wanted))
            for version_id, delta, count in self._connection.execute(moved):
                elo[version_id] += sign * int(delta)
                games[version_id] += count
        return {version_id: Rating(elo[version_id], games[version_id]) for version_id in sorted(elo)}

    def _all(self, query: Select[Any]) -> tuple[Match, ...]:
        return tuple(map(_match, self._connection.execute(query).mappings()))


class _SideTables:
    """The tables that name one side of a match, under aliases of their own."""

    def __init__(self, side: str) -> None:
        self.version = version.alias(f"{side}_version")
        self.bot = bot.alias(f"{side}_bot")
        self.account = account.alias(f"{side}_account")
        named = {
            "bot": self.bot.c.name,
            "owner": self.account.c.name,
            "number": self.version.c.number,
            "digest": self.version.c.digest,
            "manifest": self.version.c.manifest,
            "wheels": self.version.c.wheels,
        }
        self.columns: list[ColumnElement[Any]] = [column.label(f"{side}_{name}") for name, column in named.items()]


_A, _B = _SideTables("a"), _SideTables("b")
RATED_EVENTS = select(event.c.id).where(event.c.kind.in_([kind for kind in EventKind if kind.is_rated]))
RATED = and_(
    pairing.c.state == MatchState.DONE,
    pairing.c.ending == MatchEnding.PLAYED,
    pairing.c.event_id.in_(RATED_EVENTS),
)
_MATCHES: Select[Any] = select(pairing, event.c.kind.label("event_kind"), *_A.columns, *_B.columns).select_from(
    pairing.join(event, event.c.id == pairing.c.event_id)
    .join(_A.version, _A.version.c.id == pairing.c.a)
    .join(_A.bot, _A.bot.c.id == _A.version.c.bot_id)
    .join(_A.account, _A.account.c.id == _A.bot.c.account_id)
    .outerjoin(_B.version, _B.version.c.id == pairing.c.b)
    .outerjoin(_B.bot, _B.bot.c.id == _B.version.c.bot_id)
    .outerjoin(_B.account, _B.account.c.id == _B.bot.c.account_id)
)


def _new(match: Match) -> dict[str, object]:
    b = match.b
    return {
        "id": match.id,
        "event_id": match.event_id,
        "round": match.round,
        "number": match.number,
        "a": match.a.version_id,
        "b": None if b is None else b.version_id,
        "a_elo_milli": match.a.elo_milli,
        "b_elo_milli": 0 if b is None else b.elo_milli,
        "a_games": match.a.games,
        "b_games": 0 if b is None else b.games,
        **_progress(match),
    }


def _progress(match: Match) -> dict[str, object]:
    return {
        "state": match.state,
        "fence": match.fence,
        "worker": match.worker,
        "lease_until_ms": match.lease_until_ms,
        "ending": match.ending,
        "score": match.score,
        "delta_milli": match.delta_milli,
        "queued_ms": match.queued_ms,
        "finished_ms": match.finished_ms,
    }


def _match(row: RowMapping) -> Match:
    return Match(
        id=row["id"],
        event_id=row["event_id"],
        round=row["round"],
        number=row["number"],
        a=_side(row, "a"),
        b=None if row["b"] is None else _side(row, "b"),
        state=MatchState(row["state"]),
        fence=row["fence"],
        worker=row["worker"],
        lease_until_ms=row["lease_until_ms"],
        ending=None if row["ending"] is None else MatchEnding(row["ending"]),
        score=row["score"],
        delta_milli=row["delta_milli"],
        queued_ms=row["queued_ms"],
        finished_ms=row["finished_ms"],
        rated=EventKind(row["event_kind"]).is_rated,
    )


def _side(row: RowMapping, side: str) -> Side:
    return Side(
        version_id=row[side],
        owner=row[f"{side}_owner"],
        bot=row[f"{side}_bot"],
        number=row[f"{side}_number"],
        digest=row[f"{side}_digest"],
        manifest=manifest_of(row[f"{side}_manifest"]),
        elo_milli=row[f"{side}_elo_milli"],
        games=row[f"{side}_games"],
        wheels=wheels_of(row[f"{side}_wheels"]),
    )
