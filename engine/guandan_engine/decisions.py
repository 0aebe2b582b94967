"""Decision times of a seat, kept as histograms so that tables, matches and nights can be added up.

Buckets are exact below 16 ms and then eight to each doubling, so a percentile is at most an eighth too low.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from guandan_engine.clock import Clocks

__all__ = ["WARNING_PERCENT", "DecisionPhase", "DecisionTimes", "Decisions", "TimedDecision", "near_limit"]

WARNING_PERCENT: Final = 80


class DecisionPhase(StrEnum):
    """What a seat decided: what to lead, what to lay on another's play, or which card to give or choose in tribute."""

    LEADING = "leading"
    FOLLOWING = "following"
    TRIBUTE = "tribute"


@dataclass(frozen=True, slots=True)
class TimedDecision:
    """One answer that a seat gave itself, and how many milliseconds it took."""

    phase: DecisionPhase
    ms: int


@dataclass(frozen=True, slots=True)
class Decisions:
    """How many answers took how long. ``buckets``: (bucket number, count), in order."""

    buckets: tuple[tuple[int, int], ...] = ()
    max_ms: int = 0

    @classmethod
    def of(cls, times_ms: Iterable[int]) -> Decisions:
        """Count the times of single answers."""
        times = tuple(times_ms)
        return cls(tuple(sorted(Counter(map(_bucket, times)).items())), max(times, default=0))

    @classmethod
    def total(cls, parts: Iterable[Decisions]) -> Decisions:
        """Add several histograms up."""
        counts: Counter[int] = Counter()
        longest = 0
        for part in parts:
            counts.update(dict(part.buckets))
            longest = max(longest, part.max_ms)
        return cls(tuple(sorted(counts.items())), longest)

    @property
    def count(self) -> int:
        """Return the number of answers."""
        return sum(count for _, count in self.buckets)

    @property
    def p50_ms(self) -> int:
        """Return what half of the answers did not exceed."""
        return self.percentile_ms(50)

    @property
    def p95_ms(self) -> int:
        """Return what 95 of 100 answers did not exceed."""
        return self.percentile_ms(95)

    @property
    def p99_ms(self) -> int:
        """Return what 99 of 100 answers did not exceed."""
        return self.percentile_ms(99)

    def percentile_ms(self, percent: int) -> int:
        """Return the lower edge of the bucket that holds the answer of this rank; 0 when there are none."""
        wanted = -(-self.count * percent // 100)
        for bucket, count in self.buckets:
            wanted -= count
            if wanted <= 0:
                return _lower_edge(bucket)
        return 0


_NONE: Final = Decisions()


@dataclass(frozen=True, slots=True)
class DecisionTimes:
    """The decision times of a seat, or of all seats of a version, by what was decided."""

    leading: Decisions = _NONE
    following: Decisions = _NONE
    tribute: Decisions = _NONE

    @classmethod
    def of(cls, timed: Iterable[TimedDecision]) -> DecisionTimes:
        """Count single answers."""
        by_phase: dict[DecisionPhase, list[int]] = {phase: [] for phase in DecisionPhase}
        for decision in timed:
            by_phase[decision.phase].append(decision.ms)
        return cls(**{phase.value: Decisions.of(times) for phase, times in by_phase.items()})

    @classmethod
    def total(cls, parts: Iterable[DecisionTimes]) -> DecisionTimes:
        """Add the times of several seats up."""
        seats = tuple(parts)
        return cls(**{phase.value: Decisions.total(seat.of_phase(phase) for seat in seats) for phase in DecisionPhase})

    @property
    def whole(self) -> Decisions:
        """All decisions, whatever was decided."""
        return Decisions.total((self.leading, self.following, self.tribute))

    def of_phase(self, phase: DecisionPhase) -> Decisions:
        """Return the times of one kind of decision."""
        by_phase = (self.leading, self.following, self.tribute)
        return by_phase[tuple(DecisionPhase).index(phase)]


def near_limit(decisions: Decisions, clocks: Clocks) -> bool:
    """Whether a bot should be told that it is slow, before it loses by it.

    So it is when one answer in a hundred takes more than 80 % of the time that is free for each, or when one took more
    than 80 % of that time and a whole bank together, at which a seat is timed out.
    """
    free, most = clocks.move_ms * WARNING_PERCENT, clocks.allowance(clocks.bank_ms) * WARNING_PERCENT
    return decisions.p99_ms * 100 > free or decisions.max_ms * 100 > most


def _bucket(ms: int) -> int:
    if ms < 16:
        return max(ms, 0)
    octave = ms.bit_length() - 1
    return 16 + (octave - 4) * 8 + (ms >> (octave - 3) & 7)


def _lower_edge(bucket: int) -> int:
    if bucket < 16:
        return bucket
    octave, eighth = divmod(bucket - 16, 8)
    return (8 + eighth) << (octave + 1)
