"""The nouns of the arena as frozen records: what repositories return and services answer.

Conventions: ids are short opaque texts; ``*_ms`` are UTC milliseconds since 1970; ratings are whole milli-Elo
(1500.000 = 1_500_000); digests are lower-case SHA-256 hex; levels are rank characters at this boundary.
"""

from guandan_arena.services.records.authors import Account, Bot, IssuedToken, Submission, Token, Version
from guandan_arena.services.records.events import Entrant, Event, NightSpec, Rating, Round, Side
from guandan_arena.services.records.matches import (
    Check,
    CheckClaim,
    Claim,
    Match,
    MatchChange,
    MatchDetail,
    MatchResult,
    SeatLog,
    Table,
    TableResult,
    VersionTimes,
)
from guandan_arena.services.records.reports import (
    AuditEntry,
    AuditReport,
    BoardScore,
    Faults,
    Finding,
    LadderLine,
    RatingFit,
    ReapReport,
    Replay,
    Standing,
)
from guandan_arena.services.records.stages import Stage, StageReport

__all__ = [
    "Account",
    "AuditEntry",
    "AuditReport",
    "BoardScore",
    "Bot",
    "Check",
    "CheckClaim",
    "Claim",
    "Entrant",
    "Event",
    "Faults",
    "Finding",
    "IssuedToken",
    "LadderLine",
    "Match",
    "MatchChange",
    "MatchDetail",
    "MatchResult",
    "NightSpec",
    "Rating",
    "RatingFit",
    "ReapReport",
    "Replay",
    "Round",
    "SeatLog",
    "Side",
    "Stage",
    "StageReport",
    "Standing",
    "Submission",
    "Table",
    "TableResult",
    "Token",
    "Version",
    "VersionTimes",
]
