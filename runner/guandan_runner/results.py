"""What goes into a played match and what comes out, as frozen records."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from guandan_engine.board import TableTask
from guandan_engine.clock import Clocks
from guandan_engine.conduct import Verdict
from guandan_engine.events import MatchEnded
from guandan_engine.pace import Pace
from guandan_engine.rules import RuleSet
from guandan_runner.sandbox.seat import RuntimeRoot


@dataclass(frozen=True, slots=True)
class BotFiles:
    """A version, unpacked: its name for people, its digest, its folder and the command that starts it.

    ``root`` is that of its runtime; None means the sandbox's own.
    """

    name: str
    digest: str
    folder: Path
    entry: tuple[str, ...]
    root: RuntimeRoot | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSpec:
    """A match to be played: two entrants and its tables, in order."""

    match_id: str
    a: BotFiles
    b: BotFiles
    rules: RuleSet
    clocks: Clocks
    tables: tuple[TableTask, ...]
    event_id: str = ""
    commitment: str = ""
    created: str = ""


@dataclass(frozen=True, slots=True)
class SeatEnd:
    """How one seat's game ended. ``times_ms``: of every decision it made itself. ``log``: tail of its output.

    ``refusals``: answers that were not taken, also those that cost nothing; ``last_refusal``: why the last was not.
    ``peak_memory_bytes`` of the whole process tree; None where nothing could count it.
    """

    verdict: Verdict
    detail: str
    log: str
    times_ms: tuple[int, ...]
    started_ms: int
    refusals: int = 0
    last_refusal: str = ""
    peak_memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class TableEnd:
    """A table played to its end. ``points`` are entrant A's; ``replay`` is GDR JSON lines, not yet compressed.

    ``order``: the finishing order of its last deal.
    """

    task: TableTask
    end: MatchEnded
    points: int
    order: tuple[int, int, int, int]
    seats: tuple[SeatEnd, SeatEnd, SeatEnd, SeatEnd]
    replay: bytes
    pace: Pace


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """All tables of a match, in order."""

    match_id: str
    tables: tuple[TableEnd, ...]

    @property
    def score(self) -> int:
        """The sum of entrant A's points."""
        return sum(table.points for table in self.tables)
