"""``guandan play``: two bots against each other on this machine, by the same rules and shuffles as on the server."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Generator
from contextlib import closing, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from guandan_sdk.cli.output import Format, FormatOption, say, stderr, write_record
from guandan_sdk.cli.rules import rules_named
from guandan_sdk.errors import InvalidInput

if TYPE_CHECKING:
    from guandan_engine.clock import Clocks
    from guandan_sdk.interval import Estimate
    from guandan_sdk.local import Game, Pair, Series

_BOT_HELP: Final = (
    "random, greedy, planner, search, a .py file (file.py:Class), or a folder with bot.toml, in any language."
)


def play(
    bot: Annotated[str, typer.Argument(metavar="BOT", help=_BOT_HELP)],
    against: Annotated[str, typer.Argument(metavar="BOT", help="Whom it plays; sits at the other two seats.")],
    boards: Annotated[int, typer.Option("--boards", "-n", min=1, help="How many boards (or matches).")] = 20,
    seed: Annotated[int | None, typer.Option(help="Same seed, same cards and chance; made up when not given.")] = None,
    rules: Annotated[str, typer.Option(help="Rule set.")] = "standard",
    classic: Annotated[bool, typer.Option("--classic", help="Whole matches from 2 to A instead of boards.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write replays: x.gdr.jsonl becomes x-b1w0.gdr.jsonl, ...")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="How many to play at a time.")] = 1,
    clock: Annotated[bool, typer.Option("--clock", help="Enforce the server's clocks.")] = False,
    style: FormatOption = Format.TABLE,
) -> None:
    """Play two bots against each other and say how many points per board the first one is ahead.

    Each board is played twice with the partnerships swapped, so luck of the cards falls out.

    Example: guandan play mybot greedy -n 100 --seed 7
    """
    from guandan_sdk.loading import find_bot  # noqa: PLC0415 - the engine is not needed for --help
    from guandan_sdk.local import Series  # noqa: PLC0415

    chosen = secrets.randbelow(1_000_000) if seed is None else seed
    series = Series(
        a=find_bot(bot),
        b=find_bot(against),
        rules=rules_named(rules),
        seed=chosen,
        classic=classic,
        clocks=_clocks() if clock else None,
    )
    if output is not None:
        _check_output(output)
    tally = _Tally(series)
    with redirect_stdout(sys.stderr), closing(_with_progress(series, boards, jobs, tally)) as pairs:
        for pair in pairs:
            if output is not None:
                _write_replays(series, pair, output)
    tally.write(style)


def _clocks() -> Clocks:
    from guandan_engine.clock import Clocks  # noqa: PLC0415

    return Clocks()


@dataclass(slots=True)
class _Tally:
    """What a series has shown so far."""

    series: Series
    means: list[float] = field(default_factory=list)
    times: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    faults: list[int] = field(default_factory=lambda: [0, 0])
    won: list[int] = field(default_factory=lambda: [0, 0])
    score: list[int] = field(default_factory=lambda: [0, 0])
    first_faults: list[str] = field(default_factory=list)

    def add(self, pair: Pair) -> None:
        """Count a board or match."""
        self.means.append(pair.mean)
        for way, game in enumerate(pair.games):
            self._add_game(game, way, f"{self.series.label(pair.number)} way {way}")

    def _add_game(self, game: Game, way: int, where: str) -> None:
        from guandan_engine.board import entrant_of  # noqa: PLC0415

        for seat, spent in enumerate(game.times):
            self.times[entrant_of(seat, way)].extend(spent)
        for side, score in enumerate(self._score(game)):
            self.won[side ^ way] += game.end.side == side
            self.score[side ^ way] += score
        for found in game.evidence:
            entrant = entrant_of(found.seat, way)
            self.faults[entrant] += 1
            if len(self.first_faults) < 3:
                name = (self.series.a, self.series.b)[entrant].name
                self.first_faults.append(f"{name} in seat {found.seat}, {where}: {found.fault}: {found.detail}")

    def _score(self, game: Game) -> tuple[int, int]:
        """Return what a match is worth to each side in an event of these rules; a board has no such score."""
        from guandan_engine.score import score_of  # noqa: PLC0415

        events = (record.event for record in game.records)
        return (self.series.classic and score_of(events, self.series.rules)) or (0, 0)

    def result(self) -> Estimate:
        """Estimate the points of the first bot for each board."""
        from guandan_sdk.interval import estimate  # noqa: PLC0415

        return estimate(self.means)

    def line(self) -> str:
        """Say the result in one line."""
        result = self.result()
        per = "match" if self.series.classic else "board"
        known = f" [{result.low:+.2f}, {result.high:+.2f}]" if result.count > 1 else ""
        return f"{self.series.a.name} minus {self.series.b.name}: {result.mean:+.3f} points per {per}{known}"

    def write(self, style: Format) -> None:
        """Write the result; faults also in words."""
        for fault in self.first_faults:
            say(f"fault: {fault}")
        result = self.result()
        if style is Format.TABLE:
            count = f"{result.count} {'matches' if self.series.classic else 'boards'}"
            terms = f"rules {self.series.rules.name}, seed {self.series.seed}"
            print(self.line())  # noqa: T201
            print(f"95% interval on {count}, each played both ways; {terms}")  # noqa: T201
            if self.series.classic:
                print(self._matches())  # noqa: T201
            print("; ".join(self._decisions(entrant) for entrant in (0, 1)))  # noqa: T201
            return
        write_record(self._record(result), style)

    def _matches(self) -> str:
        won = f"matches won {self.won[0]} : {self.won[1]} of {2 * len(self.means)}"
        form = self.series.rules.table_score
        return won if form == "none" else f"{won}; score {self.score[0]} : {self.score[1]} ({form})"

    def _decisions(self, entrant: int) -> str:
        name = (self.series.a, self.series.b)[entrant].name
        median, slow = _quantiles(self.times[entrant])
        return f"{name}: {median:.2f} ms a decision (p99 {slow:.2f}), {self.faults[entrant]} faults"

    def _record(self, result: Estimate) -> dict[str, object]:
        known = result.count > 1
        record: dict[str, object] = {
            "a": self.series.a.name,
            "b": self.series.b.name,
            "points_per_board": round(result.mean, 4),
            "low": round(result.low, 4) if known else None,
            "high": round(result.high, 4) if known else None,
            "boards": result.count,
            "classic": self.series.classic,
            "rules": self.series.rules.name,
            "seed": self.series.seed,
        }
        if self.series.classic:
            record |= {"a_won": self.won[0], "b_won": self.won[1], "a_score": self.score[0], "b_score": self.score[1]}
        for entrant, letter in enumerate("ab"):
            median, slow = _quantiles(self.times[entrant])
            record[f"{letter}_p50_ms"] = round(median, 3)
            record[f"{letter}_p99_ms"] = round(slow, 3)
            record[f"{letter}_faults"] = self.faults[entrant]
        return record


def _quantiles(times: list[float]) -> tuple[float, float]:
    """Return the median and the 99 % point."""
    ordered = sorted(times) or [0.0]
    return ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100]


def _with_progress(series: Series, boards: int, jobs: int, tally: _Tally) -> Generator[Pair]:
    """Play, counting every pair and telling how it goes on stderr: a bar, or a line per tenth when not a terminal."""
    from guandan_sdk.local import play_pairs  # noqa: PLC0415

    say(f"seed {series.seed}")
    if not sys.stderr.isatty():
        for done, pair in enumerate(play_pairs(series, boards, jobs=jobs), 1):
            tally.add(pair)
            if done * 10 // boards > (done - 1) * 10 // boards:
                say(f"{done}/{boards}  {tally.line()}")
            yield pair
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

    columns = (MofNCompleteColumn(), BarColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=stderr(), transient=True) as progress:
        task = progress.add_task("", total=boards)
        for pair in play_pairs(series, boards, jobs=jobs):
            tally.add(pair)
            progress.update(task, advance=1, description=tally.line())
            yield pair


def _check_output(output: Path) -> None:
    if not output.name.endswith((".jsonl", ".jsonl.zst")):
        raise InvalidInput(f"{output} does not end in .gdr.jsonl or .gdr.jsonl.zst", "-o game.gdr.jsonl")
    if not output.parent.is_dir():
        raise InvalidInput(f"there is no folder {output.parent}", "make it first")


def _write_replays(series: Series, pair: Pair, output: Path) -> None:
    from datetime import UTC, datetime  # noqa: PLC0415

    from guandan_sdk.local import replay_of  # noqa: PLC0415
    from guandan_sdk.replays import save  # noqa: PLC0415

    created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    stem, dot, ending = output.name.partition(".")
    for way, game in enumerate(pair.games):
        name = f"{stem}-{'m' if series.classic else 'b'}{pair.number}w{way}{dot}{ending}"
        save(output.with_name(name), replay_of(series, pair.number, way, game, created=created))
