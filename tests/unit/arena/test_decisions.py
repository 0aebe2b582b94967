"""Histograms of decision times."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from guandan_arena.services.decisions import Decisions

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
