"""What a report shows beside the outcome of its stages, in lines for its author."""

from __future__ import annotations

from guandan_engine.decisions import DecisionPhase, Decisions
from guandan_runner.checking.limits import Usage
from guandan_runner.checking.report import Report

__all__ = ["fact_lines"]


def fact_lines(report: Report) -> tuple[str, ...]:
    """Say what the bot wished, what the boards came to, and what it took of its time and memory."""
    lines = []
    if report.wishes:
        wished = {
            "options": report.wishes.options,
            "view": report.wishes.view,
            "stream_events": report.wishes.stream_events,
            f"batch_size {report.wishes.batch_size}": report.wishes.batch_size > 1,
        }
        lines.append(f"wishes       {', '.join(name for name, holds in wished.items() if holds) or 'none'}")
    if report.boards:
        points = f"{report.boards.mean:+.3f} points per board against greedy"
        lines.append(f"boards       {report.boards.boards}, each both ways: {points}; moves {report.boards.moves}")
    return (*lines, *(_usage(report.usage) if report.usage else ()))


def _usage(usage: Usage) -> tuple[str, ...]:
    times = {"decisions": usage.times.whole, **{str(phase): usage.times.of_phase(phase) for phase in DecisionPhase}}
    decided = (f"{name:<12} {_quantiles(found)}" for name, found in times.items() if found.count)
    clock = f"clock        {usage.clocks.move_ms} ms free for each, then {usage.clocks.bank_ms} ms of bank"
    return (*decided, clock, f"memory       {_memory(usage)}")


def _memory(usage: Usage) -> str:
    most = usage.memory_bytes // 2**20
    if usage.peak_memory_bytes is None:
        return f"not counted in this sandbox; the limit is {most} MB"
    return f"{usage.peak_memory_bytes / 2**20:.0f} MB at most, of {most} MB ({usage.memory_percent} %)"


def _quantiles(found: Decisions) -> str:
    percentiles = f"p50 {found.p50_ms} ms, p95 {found.p95_ms} ms, p99 {found.p99_ms} ms"
    return f"{found.count}: {percentiles}, longest {found.max_ms} ms"
