"""Accounts, bots, versions and the ladder as messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from google.protobuf.timestamp_pb2 import Timestamp

from guandan_arena.services import records as r
from guandan_arena.services.states import CheckState, StageName, StageState, VersionState
from guandan_engine.conduct import SENTENCES, Verdict
from guandan_engine.decisions import Decisions, DecisionTimes
from guandan_proto.codec import encode_verdict
from guandan_proto.v1 import bots_pb2, nights_pb2, table_pb2

_VERSION_STATES: Final[dict[VersionState, Any]] = {
    state: bots_pb2.VersionState.Value(f"VERSION_STATE_{state.name}") for state in VersionState
}
_CHECK_STATES: Final[dict[CheckState, Any]] = {
    state: bots_pb2.CheckState.Value(f"CHECK_STATE_{state.name}") for state in CheckState
}
_STAGE_NAMES: Final[dict[StageName, Any]] = {
    name: bots_pb2.StageName.Value(f"STAGE_NAME_{name.name}") for name in StageName
}
_STAGE_STATES: Final[dict[StageState, Any]] = {
    state: bots_pb2.StageState.Value(f"STAGE_STATE_{state.name}") for state in StageState
}


def time_of(ms: int | None) -> Timestamp | None:
    """Write a time; None stays absent."""
    return None if ms is None else Timestamp(seconds=ms // 1000, nanos=ms % 1000 * 1_000_000)


def account_of(account: r.Account) -> bots_pb2.Account:
    """Write an account."""
    role = bots_pb2.ROLE_OPERATOR if account.operator else bots_pb2.ROLE_AUTHOR
    return bots_pb2.Account(id=account.id, name=account.name, role=role, create_time=time_of(account.created_ms))


def bot_of(bot: r.Bot) -> bots_pb2.Bot:
    """Write a bot."""
    return bots_pb2.Bot(
        id=bot.id,
        owner=bot.owner,
        name=bot.name,
        active_version_id=bot.active or "",
        create_time=time_of(bot.created_ms),
    )


def version_of(
    version: r.Version, check: r.Check | None = None, stages: Sequence[r.StageReport] = ()
) -> bots_pb2.Version:
    """Write a version, with its check and its stages where they are told."""
    return bots_pb2.Version(
        id=version.id,
        owner=version.owner,
        bot=version.bot,
        number=version.number,
        state=_VERSION_STATES[version.state],
        digest=version.digest,
        size_bytes=version.size_bytes,
        message=version.message,
        filename=version.filename,
        entry=version.manifest.entry,
        runtime=version.manifest.runtime,
        create_time=time_of(version.created_ms),
        check=None if check is None else check_of(check),
        stages=[stage_of(report) for report in stages],
        dependencies=version.manifest.dependencies,
        batch=version.manifest.batch,
    )


def stage_of(report: r.StageReport) -> bots_pb2.Stage:
    """Write a stage, with its log where it is told."""
    stage = report.stage
    return bots_pb2.Stage(
        name=_STAGE_NAMES[stage.name],
        state=_STAGE_STATES[stage.state],
        code=stage.code,
        reason=stage.reason,
        hint=stage.hint,
        start_time=time_of(stage.started_ms),
        end_time=time_of(stage.ended_ms),
        log=report.log,
    )


def check_of(check: r.Check) -> bots_pb2.Check:
    """Write how a check stands."""
    sentence, sentence_zh = sentences_of(check.verdict)
    output = f"\nthe end of its output:\n{check.output}" if check.output else ""
    return bots_pb2.Check(
        state=_CHECK_STATES[check.state],
        verdict=table_pb2.VERDICT_UNSPECIFIED if check.verdict is None else encode_verdict(check.verdict),
        sentence=sentence,
        sentence_zh=sentence_zh,
        evidence=check.detail + output,
        queue_time=time_of(check.queued_ms),
        finish_time=time_of(check.finished_ms),
    )


def sentences_of(verdict: Verdict | None) -> tuple[str, str]:
    """Return what a verdict says to people, in English and Chinese; nothing while there is none."""
    return ("", "") if verdict is None else SENTENCES[verdict]


def decisions_of(decisions: Decisions) -> nights_pb2.Decisions:
    """Write decision times."""
    return nights_pb2.Decisions(
        count=decisions.count,
        p50_ms=decisions.p50_ms,
        p95_ms=decisions.p95_ms,
        p99_ms=decisions.p99_ms,
        max_ms=decisions.max_ms,
    )


def times_of(times: DecisionTimes) -> nights_pb2.DecisionTimes:
    """Write decision times by what was decided."""
    return nights_pb2.DecisionTimes(
        leading=decisions_of(times.leading),
        following=decisions_of(times.following),
        tribute=decisions_of(times.tribute),
    )


def ladder_row_of(line: r.LadderLine) -> nights_pb2.LadderRow:
    """Write a line of the ladder."""
    return nights_pb2.LadderRow(
        rank=line.rank,
        version_id=line.version_id,
        owner=line.owner,
        bot=line.bot,
        number=line.number,
        elo_milli=line.elo_milli,
        elo_before_milli=line.elo_before_milli,
        games=line.games,
        provisional=line.provisional,
        active=line.active,
        fit=fit_of(line.fit),
    )


def fit_of(fit: r.RatingFit | None) -> nights_pb2.RatingFit | None:
    """Write a refitted rating, if there is one."""
    if fit is None:
        return None
    return nights_pb2.RatingFit(
        elo_milli=fit.elo_milli,
        low_milli=fit.low_milli,
        high_milli=fit.high_milli,
        rank_best=fit.rank_best,
        rank_worst=fit.rank_worst,
        boards=fit.boards,
    )
