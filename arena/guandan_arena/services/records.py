"""The nouns of the arena as frozen records: what repositories return and services answer.

Conventions: ids are short opaque texts; ``*_ms`` are UTC milliseconds since 1970; ratings are whole milli-Elo
(1500.000 = 1_500_000); digests are lower-case SHA-256 hex; levels are rank characters at this boundary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from guandan_arena.services.decisions import Decisions
from guandan_arena.services.states import CheckState, EventState, MatchEnding, MatchState, RoundState, VersionState
from guandan_engine.clock import Clocks
from guandan_engine.conduct import Verdict


@dataclass(frozen=True, slots=True)
class Account:
    """An author or an operator."""

    id: str
    name: str
    operator: bool
    created_ms: int


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token: never its secret."""

    id: str
    account_id: str
    label: str
    created_ms: int
    expires_ms: int
    revoked_ms: int | None = None


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token; ``text`` is shown this once."""

    account: Account
    token: Token
    text: str


@dataclass(frozen=True, slots=True)
class Bot:
    """A name, unique in the arena, under which an account submits versions."""

    id: str
    account_id: str
    owner: str
    name: str
    created_ms: int
    active: str | None = None
    """Id of the version that plays, if any."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What ``bot.toml`` says."""

    name: str
    entry: tuple[str, ...]
    runtime: str


@dataclass(frozen=True, slots=True)
class Version:
    """One immutable upload. ``owner`` and ``bot`` are names; ``number`` counts from 1 within the bot."""

    id: str
    bot_id: str
    owner: str
    bot: str
    number: int
    digest: str
    size_bytes: int
    manifest: Manifest
    filename: str
    message: str
    state: VersionState
    created_ms: int

    @property
    def title(self) -> str:
        """Return the version's name for people, as ``greedy/3``."""
        return f"{self.bot}/{self.number}"


@dataclass(frozen=True, slots=True)
class Submission:
    """The answer to an upload. ``created`` is False when the bot already had a version of this digest."""

    version: Version
    created: bool


@dataclass(frozen=True, slots=True)
class Check:
    """One smoke match of a version: its bot in all four seats. ``fence`` is the attempt that holds it."""

    version_id: str
    state: CheckState
    fence: int
    worker: str | None
    lease_until_ms: int | None
    verdict: Verdict | None
    detail: str
    log_digest: str | None
    queued_ms: int
    finished_ms: int | None


@dataclass(frozen=True, slots=True)
class CheckClaim:
    """A worker's right to check a version until the lease ends."""

    version: Version
    fence: int
    worker: str
    lease_until_ms: int
    table: TableTask
    clocks: Clocks
    rules: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class NightSpec:
    """How a night is played; frozen when it opens. ``owners_apart``: two bots of one owner do not meet."""

    rounds: int
    boards: int
    clocks: Clocks
    owners_apart: bool = True


@dataclass(frozen=True, slots=True)
class Event:
    """A ladder night. ``rules`` are all parameters expanded; ``secret`` is None until the event is over."""

    id: str
    name: str
    kind: str
    state: EventState
    rules: Mapping[str, object]
    spec: NightSpec
    commitment: str
    secret: bytes | None
    created_ms: int
    closed_ms: int | None


@dataclass(frozen=True, slots=True)
class Round:
    """A Swiss round of an event; ``number`` from 1."""

    event_id: str
    number: int
    state: RoundState
    opened_ms: int
    closed_ms: int | None


@dataclass(frozen=True, slots=True)
class Entrant:
    """A version in an event. ``seed`` from 1 is its place in the seeding order; Elo and games are those at entry."""

    event_id: str
    version_id: str
    owner: str
    bot: str
    number: int
    seed: int
    elo_milli: int
    games: int

    @property
    def title(self) -> str:
        """Return the entrant's name for people, as ``greedy/3``."""
        return f"{self.bot}/{self.number}"


@dataclass(frozen=True, slots=True)
class Rating:
    """A version's Elo as SQL knows it: start plus the deltas of every finished match."""

    elo_milli: int
    games: int


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two entrants of a match, with its rating frozen when it was paired."""

    version_id: str
    owner: str
    bot: str
    number: int
    digest: str
    manifest: Manifest
    elo_milli: int
    games: int

    @property
    def title(self) -> str:
        """Return the side's name for people, as ``greedy/3``."""
        return f"{self.bot}/{self.number}"


@dataclass(frozen=True, slots=True)
class TableTask:
    """A table to be played: who sits where, and the secret from which its board follows.

    ``way`` 0: entrant A sits 0+2; ``way`` 1: A sits 1+3. ``label`` names the deal under the event secret.
    """

    table_id: str
    board: int
    way: int
    label: str
    deal_secret: bytes


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

    ``verdicts``, ``details`` (the evidence, a sentence), ``decisions`` and ``log_digests`` are by seat; logs come from
    ``ports.blobs.put`` ("" for none), ``replay_digest`` from ``services.replays.put``.
    """

    table_id: str
    board: int
    way: int
    points: int
    order: tuple[int, int, int, int]
    verdicts: tuple[Verdict, Verdict, Verdict, Verdict]
    replay_digest: str
    decisions: tuple[Decisions, Decisions, Decisions, Decisions] = (Decisions(),) * 4
    details: tuple[str, str, str, str] = ("", "", "", "")
    log_digests: tuple[str, str, str, str] = ("", "", "", "")


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
class Faults:
    """How many tables of an entrant ended with each verdict that is its own fault."""

    by_verdict: Mapping[Verdict, int]

    @property
    def total(self) -> int:
        """Return the number of faults of all kinds."""
        return sum(self.by_verdict.values())


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the standings of an event. ``match_points``: 2 win, 1 level, 0 loss, 2 bye."""

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
    decisions: Decisions

    @property
    def points_per_board(self) -> float:
        """Return the mean over boards, a board counting as the mean of its two tables: -3 to +3."""
        return self.points / (2 * self.boards) if self.boards else 0.0


@dataclass(frozen=True, slots=True)
class LadderLine:
    """A line of the leaderboard. ``provisional`` below 30 games; before = when its latest event began."""

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
