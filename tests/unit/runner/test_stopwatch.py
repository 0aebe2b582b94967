"""The time of a table: it runs while we can read, and stands still while we cannot."""

from __future__ import annotations

from collections.abc import Iterable

from guandan_runner.stopwatch import LONGEST_GAP_NS, Stopwatch

MS = 1_000_000


def shown_at(times_ms: Iterable[int]) -> list[int]:
    times = iter([0, *(time * MS for time in times_ms)])
    stopwatch = Stopwatch(lambda: next(times))
    return [stopwatch.now_ms() for _ in times_ms]


def test_time_runs_while_there_are_signs_of_life():
    assert shown_at(range(20, 400, 20)) == list(range(20, 400, 20))


def test_time_without_a_sign_of_life_does_not_count():
    assert shown_at([20, 40, 90_040, 90_060]) == [20, 40, 40, 60]


def test_a_short_silence_counts():
    longest = LONGEST_GAP_NS // MS
    assert shown_at([longest, 2 * longest]) == [longest, 2 * longest]
