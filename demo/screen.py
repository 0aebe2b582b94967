"""What is shown: progress while the night runs, and the standings with times and faults when it is over."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from guandan_proto.v1 import nights_pb2, table_pb2

OVER = (nights_pb2.MATCH_STATE_DONE, nights_pb2.MATCH_STATE_VOID)


class NightProgress:
    """One bar for each round; on a screen that is no terminal, one line for each match."""

    def __init__(self, console: Console) -> None:
        """Show on this console."""
        self.console = console
        self._bars: dict[int, TaskID] = {}
        self._seen: set[str] = set()
        self._progress = Progress(
            TextColumn("{task.description:<9}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[last]}"),
            console=console,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def show(self, rounds: Iterable[nights_pb2.Round]) -> None:
        """Bring the bars up to date and tell of matches that have ended since."""
        for paired in rounds:
            if paired.number not in self._bars:
                title = f"round {paired.number}"
                self._bars[paired.number] = self._progress.add_task(title, total=len(paired.matches), last="")
            ended = [match for match in paired.matches if match.state in OVER]
            for match in ended:
                self._tell(match)
            self._progress.update(self._bars[paired.number], completed=len(ended))

    def _tell(self, match: nights_pb2.Match) -> None:
        if match.id in self._seen:
            return
        self._seen.add(match.id)
        words = f"{match.a.bot} {match.score:+d} {match.b.bot}" if match.HasField("b") else f"{match.a.bot} has a bye"
        self._progress.update(self._bars[match.round], last=words)
        if not self.console.is_terminal:
            self.console.print(f"round {match.round}: {words}", highlight=False)


def standings_table(standings: Iterable[nights_pb2.Standing]) -> Table:
    """Places with Elo before and after, points per board, faults, and decision times."""
    table = Table(title="Final standings", caption="MP: match points; p50 and p99: decision time in ms")
    table.add_column("#", justify="right")
    table.add_column("bot")
    for heading in ("MP", "W-D-L", "points/board", "Elo before", "after", "change", "refitted [95 %]"):
        table.add_column(heading, justify="right")
    table.add_column("faults")
    for heading in ("p50", "p99"):
        table.add_column(heading, justify="right")
    for line in standings:
        table.add_row(
            str(line.place),
            line.entrant.bot,
            str(line.match_points),
            f"{line.wins}-{line.draws}-{line.losses}",
            f"{line.points / (2 * line.boards):+.2f}" if line.boards else "-",
            f"{line.elo_before_milli / 1000:.1f}",
            f"{line.elo_after_milli / 1000:.1f}",
            f"{(line.elo_after_milli - line.elo_before_milli) / 1000:+.1f}",
            fit(line),
            faults(line),
            str(line.decisions.p50_ms),
            str(line.decisions.p99_ms),
        )
    return table


def fit(line: nights_pb2.Standing) -> str:
    """The rating refitted over all boards, with its 95 % interval."""
    if not line.HasField("fit"):
        return "-"
    elo, low, high = (round(milli / 1000) for milli in (line.fit.elo_milli, line.fit.low_milli, line.fit.high_milli))
    return f"{elo} [{low}, {high}]"


def faults(line: nights_pb2.Standing) -> str:
    """How many tables ended by the bot's own fault, by verdict."""
    names = ((table_pb2.Verdict.Name(count.verdict), count.tables) for count in line.faults if count.tables)
    return ", ".join(f"{tables}x {name.removeprefix('VERDICT_').lower()}" for name, tables in names) or "none"
