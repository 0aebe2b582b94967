"""The parameters of conduct: clocks, faults and what they cost (docs/rules.md §11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from guandan_engine.rules.parameter import OrNone, Several, Table, Whole, choice, parameter

Sanction: TypeAlias = Literal[
    "warn",
    "skip_turn",
    "skip_lap",
    "foul",
    "level_to_opponents",
    "lose_level",
    "lose_point",
    "lose_deal",
    "lose_match",
    "ban",
]
LadderCounts: TypeAlias = Literal["seat", "side"]
LadderSpan: TypeAlias = Literal["deal", "match"]
FoulEffect: TypeAlias = Literal[
    "record", "opponents_plus", "lose_level", "lose_point", "lose_deal", "double_down_no_tribute"
]
OutOfTurn: TypeAlias = Literal["reject", "warn_or_exposed", "retract_skip_lap", "foul"]
ExposedCard: TypeAlias = Literal["none", "skip_by_count", "lead_singly"]
AnnounceFault: TypeAlias = Literal["none", "skip_follow", "warn_then_skip_lap", "replay_then_foul", "graded"]
BadMovePolicy: TypeAlias = Literal["reject_retry", "auto_pass", "foul"]
Overtime: TypeAlias = Literal["none", "warn", "warn_then_violation", "violation", "foul"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayClock:
    """The time for a play in seconds.

    Up to ``normal`` all is well; from there to ``warn_until`` a player is warned, and once it has had ``extra`` seconds
    since the warning it is ``over``: a violation or a foul. Where it is none of these, there are no such times: being
    slow costs nothing, is warned each time, or is warned where it is the first fault and then a violation.
    """

    normal: int = parameter(20, Whole(1, 600))
    warn_until: int = parameter(30, Whole(0, 600))
    extra: int = parameter(10, Whole(0, 600))
    over: Overtime = choice("violation", Overtime)


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveClock:
    """The time for a tribute or a return in seconds; 0 is no limit. Past it, and ``extra`` more, it is ``over``."""

    normal: int = parameter(20, Whole(0, 600))
    extra: int = parameter(0, Whole(0, 600))
    over: Overtime = choice("violation", Overtime)


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """After how many minutes an absent pair has lost, and after how many with leave."""

    minutes: int = parameter(10, Whole(0, 120))
    with_leave: int = parameter(10, Whole(0, 120))


@dataclass(frozen=True, slots=True, kw_only=True)
class Appeal:
    """How a ruling is appealed: within ``window_min`` minutes, for a ``fee``, answered within ``reply_h`` hours."""

    window_min: int = parameter(30, Whole(1, 1440))
    fee: int = parameter(500, Whole(0, 100_000))
    reply_h: int = parameter(24, Whole(1, 240))


@dataclass(frozen=True, kw_only=True)
class ConductRules:
    """How long a player may think, and what breaking the rules costs."""

    play_clock: PlayClock = parameter(PlayClock(), Table(PlayClock))
    """The time for a play (§11.5)."""
    first_play_clock: int = parameter(0, Whole(0, 600))
    """The normal seconds for the first play of a deal, 0 where it has no more than others (§11.5)."""
    tribute_clock: GiveClock = parameter(GiveClock(), Table(GiveClock))
    """The time for a tribute (§11.6)."""
    return_clock: GiveClock = parameter(GiveClock(normal=40), Table(GiveClock))
    """The time for a return (§11.6)."""
    ladder: tuple[Sanction, ...] = parameter(
        ("warn", "skip_lap", "foul"), Several(get_args(Sanction), least=1, ordered=True, repeats=True)
    )
    """What the first, second, third and further faults cost; the last goes on (§11.4)."""
    ladder_counts: LadderCounts = choice("seat", LadderCounts)
    """Whether faults are counted for each seat or for each side (§11.4)."""
    ladder_span: LadderSpan = choice("match", LadderSpan)
    """Whether faults are counted through a match or begin again with each deal (§11.4)."""
    foul_effect: FoulEffect = choice("double_down_no_tribute", FoulEffect)
    """What a foul does (§11.7)."""
    foul_levels: int = parameter(1, Whole(1, 12))
    """How many levels or points a foul moves, where it moves any (§11.7)."""
    out_of_turn: OutOfTurn = choice("reject", OutOfTurn)
    """What a play out of turn is (§11.8)."""
    exposed_card: ExposedCard = choice("none", ExposedCard)
    """What becomes of a card that was shown (§11.9)."""
    announce_fault: AnnounceFault = choice("graded", AnnounceFault)
    """What a missing or wrong announcement costs (§11.10)."""
    bad_move_policy: BadMovePolicy = choice("reject_retry", BadMovePolicy)
    """What the table does with a play that breaks the rules (§11.2)."""
    bad_move_retries: int = parameter(1, Whole(0, 10))
    """How often a seat may answer again (§11.2)."""
    late: Late | None = parameter(Late(), OrNone(Table(Late)))
    """When an absent pair has lost (§11.11)."""
    appeal: Appeal | None = parameter(None, OrNone(Table(Appeal)))
    """How a ruling is appealed (§11.12)."""
