"""How near a bot came to its limits of time and memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from guandan_engine.clock import Clocks
from guandan_engine.decisions import WARNING_PERCENT, DecisionTimes, near_limit
from guandan_runner.checking.stages import Outcome, Stage, StageEnd
from guandan_runner.results import SeatEnd
from guandan_runner.sandbox.policy import Policy

__all__ = ["Usage", "judge", "usage_of"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What the seats of a bot took: the time of every decision, and the most memory of any, None where not counted."""

    times: DecisionTimes
    clocks: Clocks
    peak_memory_bytes: int | None
    memory_bytes: int

    @property
    def memory_percent(self) -> int | None:
        """The peak as a share of the limit."""
        return None if self.peak_memory_bytes is None else self.peak_memory_bytes * 100 // self.memory_bytes


def usage_of(seats: Iterable[SeatEnd], clocks: Clocks, policy: Policy) -> Usage:
    """Add up what seats took."""
    ends = tuple(seats)
    peaks = [seat.peak_memory_bytes for seat in ends if seat.peak_memory_bytes is not None]
    times = DecisionTimes.of(decision for seat in ends for decision in seat.timed)
    return Usage(times, clocks, max(peaks, default=None), policy.memory_bytes)


def judge(usage: Usage) -> StageEnd:
    """Warn of what lies above 80 % of a limit; whoever passes one has failed before."""
    reasons, hints = [], []
    decisions = usage.times.whole
    if near_limit(decisions, usage.clocks):
        reasons.append(
            f"slow decisions: 99 of 100 within {decisions.p99_ms} ms, the longest {decisions.max_ms} ms; "
            f"{usage.clocks.move_ms} ms are free for each"
        )
        hints.append(
            f"stay below {usage.clocks.move_ms * WARNING_PERCENT // 100} ms: the server may be slower than you"
        )
    peak = usage.peak_memory_bytes
    if peak is not None and peak * 100 > usage.memory_bytes * WARNING_PERCENT:
        reasons.append(f"memory: {usage.memory_percent} % of the limit of {usage.memory_bytes // 2**20} MB")
        hints.append("load smaller tables or models; children and files in /tmp count too")
    outcome = Outcome.WARNED if reasons else Outcome.PASSED
    return StageEnd(Stage.LIMITS, outcome, "; ".join(reasons), "; ".join(hints))
