"""The stages of a version, moved on within transactions that hold its check or its bot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from guandan_arena.ports import Ports, Transaction
from guandan_arena.services.records import Account, Stage, StageReport
from guandan_arena.services.states import StageName, StageState
from guandan_engine.quoting import quoted, quoted_lines

_WORKED: Final = (StageName.UNPACKED, StageName.BUILT, StageName.CHECKED)  # by a worker, again in each attempt
_TEXT_CHARS: Final = 1000
_LOG_CHARS: Final = 16_000


def of(ports: Ports, *, version_id: str, caller: Account | None = None) -> tuple[StageReport, ...]:
    """Return a version's stages in order; the end of their logs only for its owner and operators."""
    with ports.store.snapshot() as tx:
        bot = tx.bots.get(tx.versions.get(version_id).bot_id)
        found = tx.stages.of(version_id)
    shown = caller is not None and (bot.account_id == caller.id or caller.operator)
    return tuple(StageReport(stage, _log(ports, stage) if shown else "") for stage in found)


def shown(ports: Ports, *, version_ids: Iterable[str]) -> Mapping[str, tuple[Stage, ...]]:
    """Return the stages of several versions as everyone may see them: without the names of their logs."""
    with ports.store.snapshot() as tx:
        return {key: tuple(replace(stage, log_digest=None) for stage in tx.stages.of(key)) for key in version_ids}


def begin(tx: Transaction, version_id: str, name: StageName, *, at_ms: int) -> None:
    """Say that a stage is under way."""
    tx.stages.save(Stage(version_id, name, StageState.RUNNING, started_ms=at_ms))


def end(
    tx: Transaction,
    version_id: str,
    name: StageName,
    state: StageState,
    *,
    at_ms: int,
    code: str = "",
    reason: str = "",
    hint: str = "",
    log_digest: str | None = None,
) -> None:
    """Say how a stage came out, and why it went no further. One that is refused unbegun has never started."""
    before = one(tx, version_id, name)
    tx.stages.save(
        replace(
            before,
            state=state,
            code=code,
            reason=quoted(reason, most=_TEXT_CHARS),
            hint=quoted(hint, most=_TEXT_CHARS),
            started_ms=at_ms if before.started_ms is None and state is StageState.DONE else before.started_ms,
            ended_ms=at_ms,
            log_digest=log_digest,
        )
    )


def restart(tx: Transaction, version_id: str, *, reason: str = "") -> None:
    """Bring what a worker does back to waiting, for another attempt; ``reason`` says why there is one."""
    for stage in tx.stages.of(version_id):
        if stage.name in _WORKED:
            tx.stages.save(Stage(version_id, stage.name, StageState.WAITING, reason=quoted(reason, most=_TEXT_CHARS)))


def stall(tx: Transaction, version_id: str, *, at_ms: int, code: str = "", reason: str, hint: str) -> None:
    """Say at the stage where it stood that the arena itself could not go on."""
    stood = [
        stage for stage in tx.stages.of(version_id) if stage.name in _WORKED and stage.state is not StageState.DONE
    ]
    if stood:
        end(tx, version_id, stood[0].name, StageState.STALLED, at_ms=at_ms, code=code, reason=reason, hint=hint)


def one(tx: Transaction, version_id: str, name: StageName) -> Stage:
    """Return one stage of a version."""
    return next(stage for stage in tx.stages.of(version_id) if stage.name is name)


def _log(ports: Ports, stage: Stage) -> str:
    if stage.log_digest is None:
        return ""
    return quoted_lines(ports.blobs.get(stage.log_digest).decode("utf-8", "replace")[-_LOG_CHARS:])
