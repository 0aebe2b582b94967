"""Work for the workers and what came of it: checks, matches, tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from guandan_arena.services.records.authors import Version
from guandan_arena.services.records.events import Side
from guandan_arena.services.states import CheckState, MatchEnding, MatchState
from guandan_engine.board import TableTask
from guandan_engine.clock import Clocks
from guandan_engine.conduct import Verdict
from guandan_engine.decisions import DecisionTimes
from guandan_engine.pace import Pace
from guandan_runner.results import SeatFacts, SeatNote


@dataclass(frozen=True, slots=True)
class Check:
    """The check of a version on a worker. ``fence`` is the claim that holds it, and only ever grows.

    ``attempts`` counts the claims since the check was last queued afresh: too many of them stall it.
    ``detail`` is for everyone: what was wrong and what to do. ``output`` is what the bot wrote last, for its owner.
    """

    version_id: str
    state: CheckState
    fence: int
    attempts: int
    worker: str | None
    lease_until_ms: int | None
    verdict: Verdict | None
    detail: str
    log_digest: str | None
    queued_ms: int
    finished_ms: int | None
    output: str = ""


@dataclass(frozen=True, slots=True)
class CheckClaim:
    """A worker's right to check a version until the lease ends, on boards that follow from ``secret``."""

    version: Version
    fence: int
    worker: str
    lease_until_ms: int
    secret: bytes
    boards: int
    clocks: Clocks
    rules: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Claim:
    """A worker's right to play a match until the lease ends. ``fence`` is the attempt; results carry it back."""

    match_id: str
    event_id: str
    round: int
    fence: int
    worker: str
    lease_until_ms: int
    a: Side
    b: Side
    rules: Mapping[str, object]
    clocks: Clocks
    commitment: str
    tables: tuple[TableTask, ...]


@dataclass(frozen=True, slots=True)
class TableResult:
    """What a worker reports of a table. ``points`` are entrant A's: + when its side won, else -.

    ``verdicts``, ``details`` (the evidence, a sentence), ``decisions``, ``facts`` and ``log_digests`` are by seat; logs
    come from ``services.logs.put`` ("" for none), ``replay_digest`` from ``services.replays.put``.
    ``pace``: how much of the time was not the bots'. ``lost``: whether entrant A, entrant B has lost this table
    beforehand, by a fault at one before: then it was not played, and has no replay.
    """

    table_id: str
    board: int
    way: int
    points: int
    order: tuple[int, int, int, int]
    verdicts: tuple[Verdict, Verdict, Verdict, Verdict]
    replay_digest: str
    decisions: tuple[DecisionTimes, DecisionTimes, DecisionTimes, DecisionTimes] = (DecisionTimes(),) * 4
    details: tuple[str, str, str, str] = ("", "", "", "")
    log_digests: tuple[str, str, str, str] = ("", "", "", "")
    pace: Pace = field(default_factory=Pace)
    facts: tuple[SeatFacts, SeatFacts, SeatFacts, SeatFacts] = (SeatFacts(),) * 4
    lost: tuple[bool, bool] = (False, False)

    @property
    def is_played(self) -> bool:
        """Whether cards were played here; False for a table lost beforehand."""
        return not any(self.lost)


@dataclass(frozen=True, slots=True)
class MatchResult:
    """All tables of a match, each board both ways. A table with a harness fault must not be here: give back."""

    tables: tuple[TableResult, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table that counted."""

    match_id: str
    fence: int
    result: TableResult

    @property
    def id(self) -> str:
        """Return the table's id."""
        return self.result.table_id


@dataclass(frozen=True, slots=True)
class Match:
    """A pairing of two entrants in a round; ``b`` is None for a bye.

    ``score`` is the sum of A's points over all tables; ``delta_milli`` is what A gained and B lost.
    ``fence`` is the latest attempt, 0 before the first claim. ``number`` is the pairing's place in its round.
    ``rated``: whether its event is; a match of one that is not moves nothing.
    """

    id: str
    event_id: str
    round: int
    number: int
    a: Side
    b: Side | None
    state: MatchState
    fence: int
    worker: str | None
    lease_until_ms: int | None
    ending: MatchEnding | None
    score: int
    delta_milli: int
    queued_ms: int
    finished_ms: int | None
    rated: bool = True

    @property
    def remote(self) -> bool:
        """Whether a side of it plays from its author's machine."""
        return self.a.remote or (self.b is not None and self.b.remote)


@dataclass(frozen=True, slots=True)
class MatchDetail:
    """A match with its tables in order of board and way."""

    match: Match
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class MatchChange:
    """What a finished match moves in the ladder: ``a`` gains ``delta_milli``, ``b`` loses it."""

    event_id: str
    match_id: str
    a: str
    b: str
    delta_milli: int


@dataclass(frozen=True, slots=True)
class SeatLog:
    """What a bot wrote at one seat: for its owner. ``output`` is the end of it, ``notes`` stood beside its answers."""

    table_id: str
    seat: int
    output: str
    notes: tuple[SeatNote, ...]


@dataclass(frozen=True, slots=True)
class VersionTimes:
    """Decision times of a version over its newest ``matches``.

    ``clocks``: the shortest of those matches. ``warnings``: (English, Chinese), one for each kind of decision that
    comes near its limit.
    """

    version_id: str
    times: DecisionTimes
    matches: int
    clocks: Clocks
    warnings: tuple[tuple[str, str], ...]
