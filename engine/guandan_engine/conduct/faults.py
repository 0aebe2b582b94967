"""How a program at a seat may fail, and how its game ended."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class Fault(StrEnum):
    """Why the table answers for a seat."""

    ILLEGAL = "illegal"
    SKIPPED = "skipped"  # by a sanction: it is not asked
    TIMEOUT = "timeout"
    DISCONNECTED = "disconnected"
    CRASHED = "crashed"
    PROTOCOL_BROKEN = "protocol_broken"
    OUTPUT_EXCEEDED = "output_exceeded"
    MEMORY_EXCEEDED = "memory_exceeded"
    NEVER_CONNECTED = "never_connected"
    HARNESS = "harness"
    INFRASTRUCTURE = "infrastructure"


class Verdict(StrEnum):
    """How a seat's game ended, in ascending priority: when several apply, the last of them stands.

    One answer that the table had to give is enough for a verdict other than ok; a refused answer that the seat
    corrected itself is not.
    """

    OK = "ok"
    ILLEGAL_PLAYS = "illegal_plays"
    TIMED_OUT = "timed_out"
    CRASHED = "crashed"
    PROTOCOL_BROKEN = "protocol_broken"
    OUTPUT_EXCEEDED = "output_exceeded"
    MEMORY_EXCEEDED = "memory_exceeded"
    NEVER_CONNECTED = "never_connected"
    HARNESS_FAULT = "harness_fault"
    INFRASTRUCTURE_FAULT = "infrastructure_fault"

    @property
    def priority(self) -> int:
        """Weight of this verdict: 0 for ok; the specific cause of a death outweighs the bare crash."""
        return _PRIORITIES[self]

    @property
    def is_bots(self) -> bool:
        """Whether the bot answers for this ending, so that the result counts."""
        return Verdict.OK.priority < self.priority < Verdict.HARNESS_FAULT.priority

    @property
    def is_ours(self) -> bool:
        """Whether the board must be replayed because harness or infrastructure failed."""
        return self.priority >= Verdict.HARNESS_FAULT.priority


_PRIORITIES: Final = {verdict: i for i, verdict in enumerate(Verdict)}

VERDICTS: Final[dict[Fault, Verdict]] = {
    Fault.ILLEGAL: Verdict.ILLEGAL_PLAYS,
    Fault.SKIPPED: Verdict.OK,
    Fault.TIMEOUT: Verdict.TIMED_OUT,
    Fault.DISCONNECTED: Verdict.CRASHED,
    Fault.CRASHED: Verdict.CRASHED,
    Fault.PROTOCOL_BROKEN: Verdict.PROTOCOL_BROKEN,
    Fault.OUTPUT_EXCEEDED: Verdict.OUTPUT_EXCEEDED,
    Fault.MEMORY_EXCEEDED: Verdict.MEMORY_EXCEEDED,
    Fault.NEVER_CONNECTED: Verdict.NEVER_CONNECTED,
    Fault.HARNESS: Verdict.HARNESS_FAULT,
    Fault.INFRASTRUCTURE: Verdict.INFRASTRUCTURE_FAULT,
}

# Verdict -> (English, Chinese): the one table of sentences for people.
SENTENCES: Final[dict[Verdict, tuple[str, str]]] = {
    Verdict.OK: ("played to the end", "正常完赛"),
    Verdict.ILLEGAL_PLAYS: ("gave illegal answers, so the table played for it", "多次违规出牌，由裁判代打"),
    Verdict.TIMED_OUT: ("ran out of time, so the table played for it", "超时，由裁判代打"),
    Verdict.CRASHED: ("its process or connection ended during play", "程序中途退出或断线"),
    Verdict.PROTOCOL_BROKEN: ("sent messages that are not the protocol", "发送了不符合协议的消息"),
    Verdict.OUTPUT_EXCEEDED: ("wrote more output than allowed", "输出超过限额"),
    Verdict.MEMORY_EXCEEDED: ("used more memory than allowed", "内存超过限额"),
    Verdict.NEVER_CONNECTED: ("never connected to the table", "始终没有连上牌桌"),
    Verdict.HARNESS_FAULT: ("our table failed; the board is played again", "平台牌桌出错，本副重打"),
    Verdict.INFRASTRUCTURE_FAULT: ("our machines failed; the board is played again", "平台设施出错，本副重打"),
}


def verdict_of(faults: Iterable[Fault]) -> Verdict:
    """Return the verdict on a seat with these faults: the one of highest priority, ok without any."""
    return max((VERDICTS[fault] for fault in faults), key=lambda verdict: verdict.priority, default=Verdict.OK)
