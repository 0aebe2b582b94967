"""Histograms of decision times."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guandan_engine.clock import Clocks
from guandan_engine.decisions import DecisionPhase, Decisions, DecisionTimes, TimedDecision, near_limit

TIMES = st.lists(st.integers(0, 2_000_000), max_size=200)


@given(TIMES, st.integers(1, 100))
def test_a_percentile_is_at_most_an_eighth_too_low(times, percent):
    decisions = Decisions.of(times)
    exact = sorted(times)[-(-len(times) * percent // 100) - 1] if times else 0
    assert exact * 8 / 9 <= decisions.percentile_ms(percent) <= exact
    assert (decisions.count, decisions.max_ms) == (len(times), max(times, default=0))


@given(st.lists(TIMES, max_size=5))
def test_the_total_of_parts_is_the_histogram_of_all(parts):
    assert Decisions.total(map(Decisions.of, parts)) == Decisions.of([ms for part in parts for ms in part])


def test_short_times_are_exact():
    assert [Decisions.of([ms]).p50_ms for ms in range(17)] == list(range(17))


def test_no_decisions_have_no_times():
    assert (Decisions().count, Decisions().p50_ms, Decisions().p99_ms) == (0, 0, 0)


def test_times_are_kept_apart_by_what_was_decided_and_added_up_over_seats():
    leading, following, tribute = DecisionPhase
    first = DecisionTimes.of([TimedDecision(leading, 4), TimedDecision(following, 9), TimedDecision(following, 1)])
    second = DecisionTimes.of([TimedDecision(tribute, 15)])
    both = DecisionTimes.total([first, second])
    assert [both.of_phase(phase) for phase in DecisionPhase] == [
        Decisions.of([4]),
        Decisions.of([1, 9]),
        Decisions.of([15]),
    ]
    assert both.whole == Decisions.of([1, 4, 9, 15])
    assert (both.whole.p50_ms, both.whole.p95_ms, both.whole.p99_ms) == (4, 15, 15)


CLOCKS = Clocks(move_ms=1_000, bank_ms=4_000)


@pytest.mark.parametrize(
    ("times", "warned"),
    [
        ([700] * 100, False),
        ([10] * 90 + [900] * 10, True),
        ([10] * 999 + [3_900], False),
        ([10] * 999 + [4_001], True),
        ([], False),
    ],
)
def test_a_bot_is_warned_before_its_time_runs_out(times, warned):
    assert near_limit(Decisions.of(times), CLOCKS) is warned
