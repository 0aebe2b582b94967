"""What the author of a bot does next after a verdict: one sentence with the commands to type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from guandan_arena.services.records import Match, Side, TableResult
from guandan_engine.board import entrant_of
from guandan_engine.conduct import Verdict

__all__ = ["next_step"]

_LOGS: Final = ("read what it wrote: guandan logs {match}", "查看它的输出：guandan logs {match}")
_REPRO: Final = ("ask your bot the same again: guandan repro {at} PATH", "本地重现该次询问：guandan repro {at} PATH")
_ATTEND: Final = (
    "attend while the event runs: guandan connect PATH --as {bot}",
    "比赛期间保持连接：guandan connect PATH --as {bot}",
)
_CHECK: Final = ("check it under the same limits: guandan check PATH", "在同样限制下检查：guandan check PATH")

# Verdict -> what to do, in order: the English and the Chinese sentence.
_STEPS: Final[Mapping[Verdict, tuple[tuple[str, str], ...]]] = {
    Verdict.OK: (),
    Verdict.ILLEGAL_PLAYS: (_REPRO,),
    Verdict.TIMED_OUT: (_REPRO, ("see all its times: guandan bot status {bot}", "查看用时：guandan bot status {bot}")),
    Verdict.CRASHED: (_LOGS, _REPRO),
    Verdict.PROTOCOL_BROKEN: (_LOGS, _CHECK),
    Verdict.OUTPUT_EXCEEDED: (("print less", "减少输出"), _LOGS),
    Verdict.MEMORY_EXCEEDED: (("load less", "减少内存占用"), _LOGS, _CHECK),
    Verdict.NEVER_CONNECTED: (("connect before long preparations", "先连接再做耗时准备"), _LOGS, _CHECK),
    Verdict.HARNESS_FAULT: (("nothing: the board is played again", "无需处理：本副重打"),),
    Verdict.INFRASTRUCTURE_FAULT: (("nothing: the board is played again", "无需处理：本副重打"),),
}


def next_step(match: Match, table: TableResult, seat: int) -> tuple[str, str]:
    """Return what the author does about a seat's verdict, in English and Chinese; nothing where all is well."""
    side = (match.a, match.b)[entrant_of(seat, table.way)]
    bot = "" if side is None else side.bot
    move = table.facts[seat].move
    at = f"{table.table_id}#{move} --seat {seat}"
    steps = [step for step in _steps(table.verdicts[seat], side) if move or step is not _REPRO]
    english, chinese = ([text[i].format(match=match.id, at=at, bot=bot) for text in steps] for i in (0, 1))
    return "; ".join(english), "；".join(chinese)


def _steps(verdict: Verdict, side: Side | None) -> Sequence[tuple[str, str]]:
    """Return what to do in order; of a remote bot there is no log here, and no check."""
    if side is None or not side.remote:
        return _STEPS[verdict]
    here = [step for step in _STEPS[verdict] if step not in (_LOGS, _CHECK)]
    return [_ATTEND, *here] if verdict is Verdict.NEVER_CONNECTED else here
