"""Pairing a round: who meets whom, with both ratings frozen as SQL knows them now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from guandan_arena import tournaments
from guandan_arena.ports import Entropy, Transaction
from guandan_arena.ratings.elo import START_MILLI
from guandan_arena.services.identity import fresh_id
from guandan_arena.services.records import Entrant, Event, Match, Rating, Round, Side, Version
from guandan_arena.services.states import MatchEnding, MatchState, RoundState
from guandan_arena.tournaments import How, Result
from guandan_engine.shuffle import deal_secret

FRESH: Final = Rating(START_MILLI, 0)
_FORFEIT_POINTS: Final = {
    MatchEnding.FORFEIT_A: (tournaments.LOSS, tournaments.WIN),
    MatchEnding.FORFEIT_B: (tournaments.WIN, tournaments.LOSS),
    MatchEnding.FORFEIT_BOTH: (tournaments.LOSS, tournaments.LOSS),
}


def pair(tx: Transaction, event: Event, number: int, *, entropy: Entropy, now_ms: int) -> tuple[Match, ...]:
    """Open a round and write its matches; return those to be played. The caller holds the event."""
    if not tx.events.add_round(Round(event.id, number, RoundState.OPEN, now_ms, None)):
        return ()
    entrants = tx.events.entrants(event.id)
    arranged = arrange(event, entrants, tx.pairings.of_event(event.id), number, secret=tx.events.secret(event.id))
    sides = _sides(tx, event, entrants)
    met = [*((sides[p.a], sides[p.b]) for p in arranged.pairs), *((sides[bye], None) for bye in arranged.byes)]
    matches = [
        _match(fresh_id(entropy, "m"), event, number, place, two, now_ms=now_ms)
        for place, two in enumerate(met, start=1)
    ]
    tx.pairings.add(matches)
    return tuple(match for match in matches if match.state is MatchState.QUEUED)


def arrange(
    event: Event, entrants: Sequence[Entrant], before: Iterable[Match], number: int, *, secret: bytes
) -> tournaments.Round:
    """Return who meets whom in a round, given the matches of the rounds before it: the same answer at any time."""
    return tournaments.next_round(
        field_of(event, entrants),
        history_of(before),
        number,
        lots_seed(secret),
        rounds=event.spec.rounds,
    )


def field_of(event: Event, entrants: Iterable[Entrant]) -> tuple[tournaments.Entrant, ...]:
    """Return the entrants as the tournament knows them."""
    return tuple(
        tournaments.Entrant(e.version_id, e.owner if event.spec.owners_apart else "", e.elo_milli) for e in entrants
    )


def history_of(matches: Iterable[Match]) -> tuple[Result, ...]:
    """Return the matches that are over as the tournament knows them."""
    return tuple(_result(match) for match in matches if match.ending is not None)


def lots_seed(secret: bytes) -> int:
    """Return the seed of the lots of an event, which follows from its secret."""
    return int.from_bytes(deal_secret(secret, "lots")[:8], "big")


def _result(match: Match) -> Result:
    a, b, ending = match.a.version_id, match.b.version_id if match.b else None, match.ending
    if b is None:
        return Result.bye(match.round, a)
    if ending is MatchEnding.PLAYED:
        return Result.played(match.round, a, b, match.score)
    if ending in _FORFEIT_POINTS:
        return Result(match.round, a, b, _FORFEIT_POINTS[ending], how=How.FORFEIT)
    return Result(match.round, a, b, (tournaments.DRAW, tournaments.DRAW), how=How.VOID)


def _sides(tx: Transaction, event: Event, entrants: Sequence[Entrant]) -> dict[str, Side]:
    """Return every entrant with its rating as SQL knows it now; with that of its entry where nothing moves it."""
    ids = [entrant.version_id for entrant in entrants]
    entered = {entrant.version_id: Rating(entrant.elo_milli, entrant.games) for entrant in entrants}
    ratings = tx.pairings.ratings(ids) if event.kind.is_rated else entered
    versions = tx.versions.get_many(ids)
    return {id_: _side(versions[id_], ratings.get(id_, FRESH)) for id_ in ids}


def _side(version: Version, rating: Rating) -> Side:
    return Side(
        version_id=version.id,
        owner=version.owner,
        bot=version.bot,
        number=version.number,
        digest=version.digest,
        manifest=version.manifest,
        elo_milli=rating.elo_milli,
        games=rating.games,
        wheels=version.wheels,
    )


def _match(
    match_id: str, event: Event, number: int, place: int, met: tuple[Side, Side | None], *, now_ms: int
) -> Match:
    """Return a match to be played, or a bye."""
    a, b = met
    return Match(
        id=match_id,
        event_id=event.id,
        round=number,
        number=place,
        a=a,
        b=b,
        state=MatchState.DONE if b is None else MatchState.QUEUED,
        fence=0,
        worker=None,
        lease_until_ms=None,
        ending=MatchEnding.BYE if b is None else None,
        score=0,
        delta_milli=0,
        queued_ms=now_ms,
        finished_ms=now_ms if b is None else None,
        rated=event.kind.is_rated,
    )
