"""The parameters of what a deal is worth and how levels move (docs/rules.md §9.1 to §9.10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from guandan_engine.cards import Rank
from guandan_engine.rules.parameter import (
    PLAIN_RANKS,
    Numbers,
    OneOf,
    OrNone,
    Several,
    Table,
    Whole,
    choice,
    flag,
    parameter,
)

Unit: TypeAlias = Literal["levels", "points"]
APass: TypeAlias = Literal["not_last", "second_only", "any_first"]
AFailCounts: TypeAlias = Literal["any_non_pass", "won_with_last"]
ADoubleDownTo: TypeAlias = Literal["none", "prev_level"]
AfterDemotion: TypeAlias = Literal["normal", "fixed_3"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Streak:
    """Firsts and lasts of one player running: the ``start``-th brings a level up or down, each later one more.

    ``floor``: no side falls below it. There is no bonus in a deal at the final level.
    """

    start: int = parameter(3, Whole(2, 20))
    floor: Rank = parameter(Rank.TWO, OneOf(PLAIN_RANKS))


@dataclass(frozen=True, kw_only=True)
class PromotionRules:
    """What the places of a deal bring, and what it takes to pass the final level."""

    fixed_level: Rank | None = parameter(None, OrNone(OneOf(PLAIN_RANKS)))
    """The level of every deal, where levels do not move (§9.1)."""
    gains: tuple[int, int, int] = parameter((3, 2, 1), Numbers(3, 0, 13))
    """What the first's side gains when the partner is second, third, last (§9.2)."""
    unit: Unit = choice("levels", Unit)
    """Whether a gain counts in levels or in points (§9.2)."""
    streak: Streak | None = parameter(None, OrNone(Table(Streak)))
    """Levels for coming first, or last, several times running (§9.8)."""
    double_down_both_last: bool = flag(False)
    """Whether both losers of a double-down count as last (§9.8, §8.1)."""
    final_level: Rank = parameter(Rank.ACE, OneOf(PLAIN_RANKS[1:]))
    """The level that is passed to win a match (§9.3)."""
    must_play: tuple[Rank, ...] = parameter((Rank.ACE,), Several(PLAIN_RANKS))
    """The levels no side may jump over (§9.3)."""
    a_pass: APass = choice("not_last", APass)
    """Where the partner of the first must be to pass the final level (§9.4)."""
    a_owner_only: bool = flag(True)
    """Whether the final level is passed only in a deal played at one's own level (§9.4)."""
    a_fail_limit: int = parameter(0, Whole(0, 20))
    """After how many failures at the final level a side falls; 0 never (§9.5)."""
    a_fail_counts: AFailCounts = choice("any_non_pass", AFailCounts)
    """What is a failure: every own deal at the final level not passed, or one won with the partner last (§9.5)."""
    a_fail_to: Rank = parameter(Rank.TWO, OneOf(PLAIN_RANKS))
    """The level a side falls to (§9.5)."""
    a_double_down_to: ADoubleDownTo = choice("none", ADoubleDownTo)
    """What a double-down at one's own final level costs (§9.6)."""
    after_demotion: AfterDemotion = choice("normal", AfterDemotion)
    """What the first win after falling brings: the usual gain, or level 3 whatever the places (§9.5)."""
