"""Decision times of a seat, kept as a histogram so that tables, matches and nights can be added up.

Buckets are exact below 16 ms and then eight to each doubling, so a percentile is at most an eighth too low.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


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
