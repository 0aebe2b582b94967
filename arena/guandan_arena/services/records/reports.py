"""What people read: standings, the ladder, replays, the journal and the audit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from guandan_arena.services.records.events import Entrant
from guandan_engine.conduct import Verdict
from guandan_engine.decisions import DecisionTimes


@dataclass(frozen=True, slots=True)
class Faults:
    """How many tables of an entrant ended with each verdict that is its own fault."""

    by_verdict: Mapping[Verdict, int]

    @property
    def total(self) -> int:
        """Return the number of faults of all kinds."""
        return sum(self.by_verdict.values())


@dataclass(frozen=True, slots=True)
class RatingFit:
    """A version's rating refitted over all boards at the end of an event, with its 95 % interval (milli-Elo).

    ``rank_best`` and ``rank_worst``: the places its interval allows. ``boards``: how many it has played.
    """

    version_id: str
    elo_milli: int
    low_milli: int
    high_milli: int
    rank_best: int
    rank_worst: int
    boards: int


@dataclass(frozen=True, slots=True)
class BoardScore:
    """A board of a rated match: the points of A at its two tables, of which each could give or cost ``most``."""

    a: str
    b: str
    points: tuple[int, int]
    most: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the standings of an event. ``match_points``: 2 win, 1 level, 0 loss, 2 bye.

    ``fit`` is the rating refitted when the event ended, None until then.
    """

    place: int
    entrant: Entrant
    match_points: int
    points: int
    boards: int
    wins: int
    draws: int
    losses: int
    elo_before_milli: int
    elo_after_milli: int
    faults: Faults
    decisions: DecisionTimes
    fit: RatingFit | None = None

    @property
    def points_per_board(self) -> float:
        """Return the mean over boards, a board counting as the mean of its two tables: -3 to +3."""
        return self.points / (2 * self.boards) if self.boards else 0.0


@dataclass(frozen=True, slots=True)
class LadderLine:
    """A line of the leaderboard. ``provisional`` below 30 games; before = when its latest event began.

    ``fit`` is that of the latest event that has ended; None for a version that came later.
    """

    rank: int
    version_id: str
    owner: str
    bot: str
    number: int
    elo_milli: int
    elo_before_milli: int
    games: int
    provisional: bool
    active: bool
    fit: RatingFit | None = None

    @property
    def title(self) -> str:
        """Return the version's name for people, as ``greedy/3``."""
        return f"{self.bot}/{self.number}"


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay as it was recorded: GDR JSON Lines."""

    table_id: str
    match_id: str
    digest: str
    lines: bytes


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Who did what when; written in the same transaction as the change."""

    at_ms: int
    actor: str
    action: str
    subject: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something the audit found wrong: a machine code, the subject's id and a sentence."""

    code: str
    subject: str
    reason: str


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What an audit looked at, and what it found; no findings is a clean audit."""

    events: int
    matches: int
    tables: int
    replays: int
    findings: tuple[Finding, ...]

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


@dataclass(frozen=True, slots=True)
class ReapReport:
    """What a sweep put right: ids of matches and checks queued again or voided, events advanced, ratings applied."""

    requeued: tuple[str, ...] = ()
    voided: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    advanced: tuple[str, ...] = ()
    reconciled: int = 0
