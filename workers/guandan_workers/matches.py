"""A match from claim to result: whatever breaks on our side gives it back, whatever a bot does counts."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import structlog

from guandan_arena import errors
from guandan_arena.services import logs, matches, replays
from guandan_arena.services.records import Claim, MatchResult, Side, TableResult
from guandan_engine.conduct import Verdict
from guandan_engine.decisions import DecisionTimes
from guandan_engine.rules import from_dict
from guandan_runner.errors import BadArchive, HarnessFault, RunnerError
from guandan_runner.match import play_match
from guandan_runner.results import BotFiles, LostTable, MatchEnd, MatchSpec, SeatEnd, TableEnd
from guandan_workers.distant import seats_of
from guandan_workers.errors import LeaseLost
from guandan_workers.lease import work_under_lease
from guandan_workers.worker import Worker

LOG = structlog.get_logger(__name__)
ENOUGH_OF_A_DETAIL = 500


def play(worker: Worker, match_id: str) -> None:
    """Claim a match, play it and write its result; do nothing when another worker has it or it is over."""
    try:
        claim = matches.claim(worker.ports, match_id=match_id, worker=worker.name)
    except (errors.Refused, errors.NotFound) as refusal:
        LOG.info("match not played", match=match_id, reason=refusal.reason)
        return
    try:
        end = _play(worker, claim)
        matches.finish(worker.ports, claim, _result(worker, end))
    except (LeaseLost, errors.LeaseLost) as lost:
        LOG.warning("match dropped", match=match_id, attempt=claim.fence, reason=str(lost))
    except Exception as error:  # whatever it is, the match must not hang until its lease ends
        LOG.exception("match given back", match=match_id, attempt=claim.fence)
        matches.give_back(worker.ports, claim, verdict=_our_verdict(error), detail=f"{type(error).__name__}: {error}")


def _play(worker: Worker, claim: Claim) -> MatchEnd:
    settings = worker.ports.settings

    async def work() -> MatchEnd:
        spec = await asyncio.to_thread(_spec, worker, claim)  # a bot new to this machine takes a while to build
        async with seats_of(worker, claim) as (sandbox, policy):
            return await play_match(spec, sandbox=sandbox, policy=policy, feed=worker.feed, referee=worker.referee)

    return work_under_lease(
        work,
        lambda: matches.renew(worker.ports, claim),
        every_ms=settings.lease_renew_ms,
        lease_ms=settings.lease_ms,
        limit_ms=settings.match_limit_ms,
    )


def _spec(worker: Worker, claim: Claim) -> MatchSpec:
    return MatchSpec(
        match_id=claim.match_id,
        a=_bot(worker, claim.a),
        b=_bot(worker, claim.b),
        rules=from_dict(claim.rules),
        clocks=claim.clocks,
        tables=claim.tables,
        event_id=claim.event_id,
        commitment=claim.commitment,
        created=_utc(worker.ports.clock.now_ms()),
    )


def _bot(worker: Worker, side: Side) -> BotFiles:
    if side.remote:
        return BotFiles(side.title, side.digest, Path(), ())
    try:
        return worker.bot(name=side.title, digest=side.digest, manifest=side.manifest, wheels=side.wheels)
    except BadArchive as error:  # it was checked before it became active, so this is ours
        raise HarnessFault(f"the archive of {side.title} cannot be unpacked: {error.reason}") from error


def _result(worker: Worker, end: MatchEnd) -> MatchResult:
    played = tuple(_table_result(worker, table) for table in end.tables)
    return MatchResult(played + tuple(map(_lost, end.lost)))


def _table_result(worker: Worker, table: TableEnd) -> TableResult:
    """Keep a table's replay and logs, and return what goes into SQL."""
    a, b, c, d = table.seats
    return TableResult(
        table_id=table.task.table_id,
        board=table.task.board,
        way=table.task.way,
        points=table.points,
        order=table.order,
        verdicts=(a.verdict, b.verdict, c.verdict, d.verdict),
        replay_digest=replays.put(worker.ports, lines=table.replay),
        decisions=(_decisions(a), _decisions(b), _decisions(c), _decisions(d)),
        details=(_detail(a), _detail(b), _detail(c), _detail(d)),
        pace=table.pace,
        log_digests=(_log(worker, a), _log(worker, b), _log(worker, c), _log(worker, d)),
        facts=(a.facts, b.facts, c.facts, d.facts),
    )


def _lost(table: LostTable) -> TableResult:
    """Report a table that was lost before a card was played at it."""
    return TableResult(
        table_id=table.task.table_id,
        board=table.task.board,
        way=table.task.way,
        points=table.points,
        order=(0, 1, 2, 3),
        verdicts=(Verdict.OK,) * 4,
        replay_digest="",
        lost=table.by,
    )


def _decisions(seat: SeatEnd) -> DecisionTimes:
    return DecisionTimes.of(seat.timed)


def _detail(seat: SeatEnd) -> str:
    return seat.detail[:ENOUGH_OF_A_DETAIL]


def _log(worker: Worker, seat: SeatEnd) -> str:
    return logs.put(worker.ports, output=seat.log, notes=seat.notes)


def _our_verdict(error: Exception) -> Verdict:
    """Say whether our code or our machines failed."""
    machines = isinstance(error, errors.Unavailable | OSError) or (
        isinstance(error, RunnerError) and not isinstance(error, HarnessFault)
    )
    return Verdict.INFRASTRUCTURE_FAULT if machines else Verdict.HARNESS_FAULT


def _utc(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
