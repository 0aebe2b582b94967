"""How a check is shown: its stages on stderr as they go, then the report on stdout."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final

from guandan_sdk.cli.output import Format, say, stderr, write_rows

if TYPE_CHECKING:
    from guandan_runner.checking import Report, Stage, StageEnd, Usage
    from guandan_runner.sandbox import Choice

COLUMNS: Final = ("stage", "outcome", "seconds", "reason", "hint")
LOG_LINES: Final = 20


class Shown:
    """Progress on stderr: one line for each stage, and a running count where that is a terminal."""

    def __init__(self) -> None:
        from rich.status import Status  # noqa: PLC0415 - slow to import, not needed for --help

        self._status = Status("", console=stderr()) if sys.stderr.isatty() else None

    def __enter__(self) -> Shown:
        if self._status:
            self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._status:
            self._status.stop()

    def began(self, stage: Stage) -> None:
        """Name the stage under way."""
        if self._status:
            self._status.update(f"{stage} ...")

    def advanced(self, stage: Stage, done: int, of: int) -> None:
        """Count the tables played."""
        if self._status:
            self._status.update(f"{stage} {done}/{of}")
        elif of >= 10 and done * 10 // of > (done - 1) * 10 // of:
            say(f"{stage} {done}/{of}")

    def ended(self, end: StageEnd) -> None:
        """Say how a stage ended."""
        more = f"  {end.reason}" if end.reason else ""
        say(f"{end.stage:<10}  {end.outcome}  {end.duration_ms / 1000:.1f} s{more}")


def write(report: Report, *, path: Path, seed: int, choice: Choice, style: Format) -> None:
    """Write the report; the log of a stage that did not pass goes to stderr, and so does what to do next."""
    from guandan_engine.quoting import quoted_lines  # noqa: PLC0415
    from guandan_runner.checking import Outcome, differences, fact_lines  # noqa: PLC0415

    rest = differences(choice.sandbox)
    if style is Format.JSON:
        json.dump(_record(report, seed, choice, rest), sys.stdout, ensure_ascii=False, indent=2)
        sys.stdout.write("\n")
    else:
        write_rows([_row(end) for end in report.stages], COLUMNS, style)
    if style is Format.TABLE:
        for line in fact_lines(report):
            print(line)  # noqa: T201
    for end in report.stages:
        if end.outcome is not Outcome.PASSED and end.log.strip():
            lines = end.log.strip().splitlines()[-LOG_LINES:]
            say(f"end of what the bot wrote ({end.stage}):\n" + quoted_lines("\n".join(lines)))
    for line in rest:
        say(f"not the same as on a server: {line}")
    say(f"next: {_next(report, path)}")


def _row(end: StageEnd) -> dict[str, object]:
    return {
        "stage": str(end.stage),
        "outcome": str(end.outcome),
        "seconds": round(end.duration_ms / 1000, 1),
        "reason": end.reason,
        "hint": end.hint,
    }


def _record(report: Report, seed: int, choice: Choice, rest: tuple[str, ...]) -> dict[str, object]:
    """Return the whole report as plain values."""
    boards, usage = report.boards, report.usage
    return {
        "bot": report.name,
        "digest": report.digest,
        "passed": report.passed,
        "verdict": str(report.verdict),
        "seed": seed,
        "sandbox": report.sandbox,
        "sandbox_why": choice.statement,
        "not_the_same": list(rest),
        "stages": [{**_row(end), "log": end.log} for end in report.stages],
        "rows_met": [str(row) for row in report.met],
        "wishes": report.wishes and asdict(report.wishes),
        "boards": boards
        and {"boards": boards.boards, "points": list(boards.points), "mean": boards.mean, "moves": boards.moves},
        "times_ms": usage and _times(usage),
        "memory": usage and {"peak_bytes": usage.peak_memory_bytes, "limit_bytes": usage.memory_bytes},
    }


def _times(usage: Usage) -> dict[str, object]:
    whole = usage.times.whole
    named = {"count": whole.count, "p50": whole.p50_ms, "p95": whole.p95_ms, "p99": whole.p99_ms, "max": whole.max_ms}
    return {**named, "move": usage.clocks.move_ms, "bank": usage.clocks.bank_ms}


def _next(report: Report, path: Path) -> str:
    """Name the command that goes on from here."""
    if report.passed:
        return f'guandan submit {path} -m "what is new" --wait'
    return f"correct it, then: guandan check {path} -n 1"
