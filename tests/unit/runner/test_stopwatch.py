"""The time of a table: it runs while we can read, and stands still while we cannot."""

from __future__ import annotations

from collections.abc import Iterable

from guandan_runner.stopwatch import LONGEST_GAP_NS, Stopwatch

MS = 1_000_000


def stalled_after(times_ms: Iterable[int]) -> int:
    times = iter([0, *(time * MS for time in times_ms)])
    stopwatch = Stopwatch(lambda: next(times))
    for _ in times_ms:
        stopwatch.now_ms()
    return stopwatch.stalled_ms


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


def test_what_did_not_count_is_told_as_evidence():
    assert stalled_after([10, 20, 1_020, 1_030, 6_030]) == 6_000
    assert stalled_after([10, 200, 400]) == 0
