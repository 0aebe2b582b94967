"""What goes into a played match and what comes out, as frozen records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from guandan_engine.board import TableTask, entrant_of
from guandan_engine.clock import Clocks
from guandan_engine.conduct import Verdict
from guandan_engine.decisions import TimedDecision
from guandan_engine.events import MatchEnded
from guandan_engine.pace import Pace
from guandan_engine.rules import RuleSet
from guandan_runner.runtimes import RuntimeRoot

__all__ = ["BotFiles", "LostTable", "MatchEnd", "MatchSpec", "SeatEnd", "SeatFacts", "SeatNote", "TableEnd", "end_of"]


@dataclass(frozen=True, slots=True)
class BotFiles:
    """A version, unpacked: its name for people, its digest, its folder and the command that starts it.

    ``root`` is that of its runtime; None means the sandbox's own. An empty ``entry``: its owner starts it, elsewhere.
    """

    name: str
    digest: str
    folder: Path
    entry: tuple[str, ...]
    root: RuntimeRoot | None = None

    @property
    def is_remote(self) -> bool:
        """Whether its owner starts it, elsewhere."""
        return not self.entry


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSpec:
    """A match to be played: two entrants and its tables, in order.

    ``ends_at_fault``: a seat that is given up loses the tables that remain; else they are played all the same.
    """

    match_id: str
    a: BotFiles
    b: BotFiles
    rules: RuleSet
    clocks: Clocks
    tables: tuple[TableTask, ...]
    event_id: str = ""
    commitment: str = ""
    created: str = ""
    ends_at_fault: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFacts:
    """What shows how a seat's game ended, for everyone to see; None is what nothing could tell.

    ``exit_code``, ``signal``, ``killed`` (by us), ``memory_exceeded``, ``output_exceeded``: of its process, as the
    operating system tells. ``peak_memory_bytes``, ``cpu_ms``, ``throttled_ms``: what its whole process tree used, and
    how long it was held back by its share of the processors. ``started_ms``: from the order to start until the process
    existed. ``silent_ms``: how long before the table's end it was last heard. ``bank_ms``: what its clock held at the
    end. ``timeouts``, ``answered_for``: how often it was late, and how often the table answered for it by its own
    fault. ``refusals``: answers not taken, also those that cost nothing. ``streams``: how often it joined.
    ``given_up``: whether its fault was of the kind that loses the boards that remain. ``move``: the number of the
    replay's last record before the fault that its verdict names. ``stalled_ms``: how long the table itself stood still,
    which no clock was charged for.
    """

    exit_code: int | None = None
    signal: int | None = None
    killed: bool = False
    memory_exceeded: bool = False
    output_exceeded: bool = False
    peak_memory_bytes: int | None = None
    cpu_ms: int | None = None
    throttled_ms: int | None = None
    started_ms: int = 0
    silent_ms: int | None = None
    bank_ms: int | None = None
    timeouts: int = 0
    answered_for: int = 0
    refusals: int = 0
    streams: int = 0
    given_up: bool = False
    move: int | None = None
    stalled_ms: int = 0


@dataclass(frozen=True, slots=True)
class SeatNote:
    """What a bot noted beside an answer, for its owner; ``move``: the number of the last record before the answer."""

    move: int
    text: str


@dataclass(frozen=True, slots=True)
class SeatEnd:
    """How one seat's game ended. ``timed``: every decision it made itself. ``log``: tail of its output.

    ``detail``: the evidence in a sentence for everyone. ``last_refusal``: why its last refused answer was not taken.
    """

    verdict: Verdict
    detail: str
    log: str
    timed: tuple[TimedDecision, ...]
    facts: SeatFacts
    last_refusal: str = ""
    notes: tuple[SeatNote, ...] = ()

    @property
    def times_ms(self) -> tuple[int, ...]:
        """Milliseconds of every decision it made itself."""
        return tuple(decision.ms for decision in self.timed)

    @property
    def started_ms(self) -> int:
        """From the order to start until its process existed."""
        return self.facts.started_ms

    @property
    def refusals(self) -> int:
        """How many of its answers were not taken."""
        return self.facts.refusals

    @property
    def peak_memory_bytes(self) -> int | None:
        """The most memory its whole process tree held; None where nothing could count it."""
        return self.facts.peak_memory_bytes


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

    @property
    def at_fault(self) -> tuple[bool, bool]:
        """Whether a seat of entrant A, of entrant B, was given up at this table: it loses the boards that remain."""
        a, b = (
            any(end.facts.given_up for seat, end in enumerate(self.seats) if entrant_of(seat, self.task.way) == entrant)
            for entrant in (0, 1)
        )
        return a, b


@dataclass(frozen=True, slots=True)
class LostTable:
    """A table that was not played, or does not count: ``by`` entrant A, entrant B or both, it was lost beforehand."""

    task: TableTask
    by: tuple[bool, bool]
    points: int


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """All tables of a match, in order; ``lost``: those after the first at which a seat was given up."""

    match_id: str
    tables: tuple[TableEnd, ...]
    lost: tuple[LostTable, ...] = ()

    @property
    def score(self) -> int:
        """The sum of entrant A's points."""
        return sum(table.points for table in self.tables) + sum(table.points for table in self.lost)


def end_of(spec: MatchSpec, played: Sequence[TableEnd]) -> MatchEnd:
    """Return how a match ended: what was played after the first table with a fault does not count."""
    ends = next((i for i, table in enumerate(played, 1) if any(table.at_fault)), len(played))
    rest = spec.tables[ends:]
    if not rest or not spec.ends_at_fault:
        return MatchEnd(spec.match_id, tuple(played))
    a, b = by = played[ends - 1].at_fault
    points = max(spec.rules.gains) * (b - a)
    return MatchEnd(spec.match_id, tuple(played[:ends]), tuple(LostTable(task, by, points) for task in rest))
