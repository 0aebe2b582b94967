"""Events, rounds, standings and matches as messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from guandan_arena.rpc.messages import decisions_of, fit_of, sentences_of, time_of, times_of
from guandan_arena.services import records as r
from guandan_arena.services.advice import next_step
from guandan_arena.services.states import EventKind, EventState, MatchEnding, MatchState, RoundState
from guandan_engine.pace import Pace
from guandan_proto.codec import encode_clocks, encode_parameters, encode_verdict
from guandan_proto.v1 import arena_pb2, nights_pb2

_EVENT_STATES: Final[dict[EventState, Any]] = {
    state: nights_pb2.EventState.Value(f"EVENT_STATE_{state.name}") for state in EventState
}
_MATCH_STATES: Final[dict[MatchState, Any]] = {
    state: nights_pb2.MatchState.Value(f"MATCH_STATE_{state.name}") for state in MatchState
}
_MATCH_ENDINGS: Final[dict[MatchEnding, Any]] = {
    ending: nights_pb2.MatchEnding.Value(f"MATCH_ENDING_{ending.name}") for ending in MatchEnding
}
_EVENT_KINDS: Final[dict[EventKind, Any]] = {
    kind: nights_pb2.EventKind.Value(f"EVENT_KIND_{kind.name}") for kind in EventKind
}


def event_of(event: r.Event) -> nights_pb2.Event:
    """Write an event; its secret only once it is revealed."""
    spec = nights_pb2.EventSpec(
        rounds=event.spec.rounds, boards=event.spec.boards, clocks=encode_clocks(event.spec.clocks)
    )
    return nights_pb2.Event(
        id=event.id,
        kind=_EVENT_KINDS[event.kind],
        name=event.name,
        state=_EVENT_STATES[event.state],
        rules=encode_parameters(event.rules),
        spec=spec,
        commitment=event.commitment,
        secret=event.secret or b"",
        create_time=time_of(event.created_ms),
        close_time=time_of(event.closed_ms),
    )


def event_page_of(
    event: r.Event, standings: Sequence[r.Standing], rounds: Sequence[r.Round], matches: Sequence[r.Match]
) -> arena_pb2.GetEventResponse:
    """Write an event with its standings and the matches of its rounds."""
    return arena_pb2.GetEventResponse(
        event=event_of(event),
        standings=[standing_of(standing) for standing in standings],
        rounds=[round_of(item, [m for m in matches if m.round == item.number]) for item in rounds],
    )


def round_of(item: r.Round, matches: Sequence[r.Match]) -> nights_pb2.Round:
    """Write a round with its matches in order of their number."""
    ordered = sorted(matches, key=lambda match: match.number)
    return nights_pb2.Round(
        number=item.number,
        closed=item.state is RoundState.CLOSED,
        open_time=time_of(item.opened_ms),
        close_time=time_of(item.closed_ms),
        matches=[match_of(match) for match in ordered],
    )


def standing_of(standing: r.Standing) -> nights_pb2.Standing:
    """Write a line of the standings."""
    faults = standing.faults.by_verdict.items()
    return nights_pb2.Standing(
        place=standing.place,
        entrant=entrant_of(standing.entrant),
        seed=standing.entrant.seed,
        match_points=standing.match_points,
        points=standing.points,
        boards=standing.boards,
        wins=standing.wins,
        draws=standing.draws,
        losses=standing.losses,
        elo_before_milli=standing.elo_before_milli,
        elo_after_milli=standing.elo_after_milli,
        faults=[nights_pb2.FaultCount(verdict=encode_verdict(v), tables=n) for v, n in faults if n],
        decisions=decisions_of(standing.decisions.whole),
        fit=fit_of(standing.fit),
    )


def match_of(match: r.Match, tables: Sequence[r.Table] = ()) -> nights_pb2.Match:
    """Write a match, with its tables where they are told."""
    return nights_pb2.Match(
        id=match.id,
        event_id=match.event_id,
        round=match.round,
        number=match.number,
        a=entrant_of(match.a),
        b=None if match.b is None else entrant_of(match.b),
        state=_MATCH_STATES[match.state],
        ending=nights_pb2.MATCH_ENDING_UNSPECIFIED if match.ending is None else _MATCH_ENDINGS[match.ending],
        score=match.score,
        delta_milli=match.delta_milli,
        attempts=match.fence,
        queue_time=time_of(match.queued_ms),
        finish_time=time_of(match.finished_ms),
        tables=[table_of(match, table.result) for table in tables],
        rated=match.rated,
    )


def table_of(match: r.Match, result: r.TableResult) -> nights_pb2.TableResult:
    """Write a table that counted."""
    return nights_pb2.TableResult(
        table_id=result.table_id,
        board=result.board,
        way=result.way,
        points=result.points,
        order=result.order,
        seats=[_seat_of(match, result, seat) for seat in range(4)],
        replay_digest=result.replay_digest,
        pace=_pace_of(result.pace),
        lost_by_a=result.lost[0],
        lost_by_b=result.lost[1],
    )


def _pace_of(pace: Pace) -> nights_pb2.Pace:
    return nights_pb2.Pace(
        decisions=pace.decisions,
        wall_us=pace.wall_ns // 1000,
        thinking_us=pace.thinking_ns // 1000,
        overhead_us=pace.overhead_us,
    )


def _seat_of(match: r.Match, result: r.TableResult, seat: int) -> nights_pb2.SeatReport:
    verdict = result.verdicts[seat]
    sentence, sentence_zh = sentences_of(verdict)
    step, step_zh = next_step(match, result, seat)
    return nights_pb2.SeatReport(
        seat=seat,
        verdict=encode_verdict(verdict),
        sentence=sentence,
        sentence_zh=sentence_zh,
        evidence=result.details[seat],
        decisions=decisions_of(result.decisions[seat].whole),
        facts=nights_pb2.SeatFacts(**asdict(result.facts[seat])),
        next_step=step,
        next_step_zh=step_zh,
        times=times_of(result.decisions[seat]),
    )


def entrant_of(entrant: r.Entrant | r.Side) -> nights_pb2.Entrant:
    """Write an entrant, or the side of a match that it is."""
    return nights_pb2.Entrant(
        version_id=entrant.version_id,
        owner=entrant.owner,
        bot=entrant.bot,
        number=entrant.number,
        elo_milli=entrant.elo_milli,
        games=entrant.games,
        remote=entrant.remote,
    )


def log_of(log: r.SeatLog) -> nights_pb2.SeatLog:
    """Write what a bot wrote at one seat."""
    return nights_pb2.SeatLog(
        table_id=log.table_id,
        seat=log.seat,
        output=log.output,
        notes=[nights_pb2.SeatNote(move=note.move, text=note.text) for note in log.notes],
    )


def version_times_of(found: r.VersionTimes) -> arena_pb2.GetDecisionTimesResponse:
    """Write a version's decision times with their warnings."""
    return arena_pb2.GetDecisionTimesResponse(
        times=times_of(found.times),
        whole=decisions_of(found.times.whole),
        matches=found.matches,
        clocks=encode_clocks(found.clocks),
        warnings=[english for english, _ in found.warnings],
        warnings_zh=[chinese for _, chinese in found.warnings],
    )
