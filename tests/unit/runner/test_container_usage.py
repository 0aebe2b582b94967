"""What the Docker daemon tells of a container's use, where no control group of ours counts it."""

from __future__ import annotations

from guandan_runner.sandbox.cgroup import UNKNOWN, Usage
from guandan_runner.sandbox.container import usage_of

RUNNING = {
    "cpu_stats": {
        "cpu_usage": {"total_usage": 2_500_000_000},
        "throttling_data": {"periods": 9, "throttled_periods": 2, "throttled_time": 40_000_000},
    },
    "memory_stats": {"usage": 5_000_000, "max_usage": 30_000_000, "limit": 268_435_456},
}


def test_statistics_of_a_running_container_are_read_in_our_units():
    assert usage_of(RUNNING) == Usage(30_000_000, 2_500, 40, out_of_memory=False)


def test_a_daemon_on_version_2_does_not_tell_the_peak():
    found = usage_of({**RUNNING, "memory_stats": {"usage": 5_000_000}})
    assert (found.peak_memory_bytes, found.cpu_ms) == (None, 2_500)


def test_of_a_container_that_has_ended_nothing_is_known():
    assert usage_of({"cpu_stats": {"cpu_usage": {"total_usage": 0}}, "memory_stats": {}}) == UNKNOWN
    assert usage_of({}) == UNKNOWN
