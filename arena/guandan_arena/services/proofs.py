"""What must hold of an event, as generators of findings: pure functions of its rows and replays."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from guandan_arena.services.boards import label_of
from guandan_arena.services.matches import delta_of, ending_of, is_lost_rightly, moves_elo
from guandan_arena.services.pairing import FRESH, arrange
from guandan_arena.services.records import Entrant, Event, Finding, Match, Rating, Round, Side, Table
from guandan_arena.services.states import EventState, MatchEnding, MatchState, RoundState
from guandan_engine.board import entrant_of, points_of_a
from guandan_engine.errors import BrokenReplay
from guandan_engine.events import DealEnded, MatchEnded, Sanctioned
from guandan_engine.replay import Replay, verify
from guandan_engine.rules import from_dict
from guandan_engine.shuffle import commit

_E = TypeVar("_E", DealEnded, MatchEnded, Sanctioned)


@dataclass(frozen=True, slots=True)
class EventRows:
    """All that SQL holds of an event, read at one moment. ``secret`` also before it is revealed."""

    event: Event
    secret: bytes
    entrants: tuple[Entrant, ...]
    rounds: tuple[Round, ...]
    matches: tuple[Match, ...]
    tables: Mapping[str, tuple[Table, ...]]


def commitment_opens(rows: EventRows) -> Iterator[Finding]:
    """The secret is the one committed to."""
    if commit(rows.secret, rows.event.id) != rows.event.commitment:
        yield Finding("commitment_broken", rows.event.id, "the secret does not open the published commitment")


def rounds_are_whole(rows: EventRows) -> Iterator[Finding]:
    """Every entrant is in every round exactly once, closed rounds have no open match, and pairings can be derived."""
    field = Counter(entrant.version_id for entrant in rows.entrants)
    for item in rows.rounds:
        name = f"{rows.event.id}/{item.number}"
        matches = [match for match in rows.matches if match.round == item.number]
        seen = Counter(side.version_id for match in matches for side in (match.a, match.b) if side is not None)
        if seen != field:
            yield Finding("round_not_whole", name, f"not once in the round: {sorted((seen - field) + (field - seen))}")
        if item.state is RoundState.CLOSED and any(match.ending is None for match in matches):
            yield Finding("round_closed_early", name, "the round is closed, but a match of it is not over")
        before = [match for match in rows.matches if match.round < item.number]
        arranged = arrange(rows.event, rows.entrants, before, item.number, secret=rows.secret)
        wanted = {(p.a, p.b) for p in arranged.pairs} | {(bye, None) for bye in arranged.byes}
        if wanted != {(match.a.version_id, match.b.version_id if match.b else None) for match in matches}:
            yield Finding("pairing_differs", name, "the pairings do not follow from the results before them")
    if rows.event.state is EventState.OVER and any(item.state is RoundState.OPEN for item in rows.rounds):
        yield Finding("event_over_early", rows.event.id, "the event is over, but a round of it is open")


def matches_count_once(rows: EventRows) -> Iterator[Finding]:
    """A match that was played has every table of one attempt, and its outcome follows from them."""
    for match in rows.matches:
        tables = rows.tables.get(match.id, ())
        if match.state is not MatchState.DONE or match.ending is MatchEnding.BYE:
            if tables or match.delta_milli or match.score:
                yield Finding("counts_without_result", match.id, f"the match is {match.state}, but something counts")
            continue
        places = sorted((table.result.board, table.result.way) for table in tables)
        if places != [(board, way) for board in range(1, rows.event.spec.boards + 1) for way in (0, 1)]:
            yield Finding("tables_not_whole", match.id, f"the tables that counted are {places}")
            continue
        if {table.fence for table in tables} != {match.fence}:
            yield Finding("attempts_mixed", match.id, "tables of more than one attempt counted")
        results = [table.result for table in tables]
        most = max(from_dict(rows.event.rules).gains)
        for result in results:
            if not is_lost_rightly(result, results, most=most):
                yield Finding("lost_wrongly", result.table_id, "what is lost does not follow from faults before it")
        score, ending = sum(result.points for result in results), ending_of(match, results)
        delta = delta_of(match, ending, score)
        if (match.score, match.ending, match.delta_milli) != (score, ending, delta):
            yield Finding("outcome_differs", match.id, "score, ending or Elo do not follow from the tables")


def ratings_were_frozen(rows: EventRows) -> Iterator[Finding]:
    """Each round was paired with the ratings after the rounds before it, starting from those at entry."""
    ratings = {e.version_id: Rating(e.elo_milli, e.games) for e in rows.entrants}
    by_round: defaultdict[int, list[Match]] = defaultdict(list)
    for match in rows.matches:
        by_round[match.round].append(match)
    for number in sorted(by_round):
        moved: list[tuple[Side, int]] = []
        for match in by_round[number]:
            for side, sign in ((match.a, 1), (match.b, -1)):
                if side is None:
                    continue
                if Rating(side.elo_milli, side.games) != ratings.get(side.version_id, FRESH):
                    yield Finding("rating_not_frozen", match.id, f"{side.title} was paired with another rating")
                if moves_elo(match, match.ending):
                    moved.append((side, sign * match.delta_milli))
        for side, delta in moved:
            rating = ratings.get(side.version_id, FRESH)
            ratings[side.version_id] = Rating(rating.elo_milli + delta, rating.games + 1)


def replay_holds(rows: EventRows, match: Match, table: Table, lines: bytes, *, ruled: int = 0) -> Iterator[Finding]:
    """A replay follows from the rules and the secret, and is the one of this table with this result.

    ``ruled``: rulings on the table that the journal knows; the replay holds no more than these.
    """
    try:
        replay = verify(lines, secret=rows.secret)
    except BrokenReplay as error:
        yield Finding("replay_broken", table.id, str(error))
        return
    rulings = sum(event.referee for event in _events(replay, Sanctioned))
    if rulings > ruled:
        yield Finding("ruling_unknown", table.id, f"the replay holds {rulings} rulings, the journal {ruled}")
    for what, ok in _claims(rows, match, table, replay):
        if not ok:
            yield Finding("replay_differs", table.id, f"the replay shows another {what}")


def _claims(rows: EventRows, match: Match, table: Table, replay: Replay) -> Iterator[tuple[str, bool]]:
    """Yield what the replay says beside what SQL says."""
    header, result = replay.header, table.result
    label = label_of(match.round, result.board)
    yield "table", header.table == table.id
    yield "event, match or board", (header.event, header.match) == (rows.event.id, match.id)
    yield "board", (header.board, header.way, header.label) == (result.board, result.way, label)
    yield "commitment", header.commit == rows.event.commitment
    yield "rule set", header.rules == from_dict(rows.event.rules)
    yield "clock", header.clocks == rows.event.spec.clocks
    yield "bot", tuple(seat.version for seat in header.seats) == _digests(match, result.way)
    yield "result", _result(replay, result.way) == (result.points, result.order)


def _digests(match: Match, way: int) -> tuple[str, ...]:
    assert match.b is not None
    sides = (match.a, match.b)
    return tuple(sides[entrant_of(seat, way)].digest for seat in range(4))


def _result(replay: Replay, way: int) -> tuple[int, tuple[int, ...]]:
    return points_of_a(_events(replay, MatchEnded)[0], way), _events(replay, DealEnded)[0].order


def _events(replay: Replay, kind: type[_E]) -> Sequence[_E]:
    return [record.event for record in replay.records if isinstance(record.event, kind)]


def event_holds(rows: EventRows) -> Iterator[Finding]:
    """All that SQL alone shows of an event."""
    checks: Iterable[Iterator[Finding]] = (
        commitment_opens(rows),
        rounds_are_whole(rows),
        matches_count_once(rows),
        ratings_were_frozen(rows),
    )
    for findings in checks:
        yield from findings
