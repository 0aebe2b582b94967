"""The parameters of the end of a match, its score and the form of an event (docs/rules.md §9.11 on and §12)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from guandan_engine.rules.parameter import OneOf, Several, Table, Whole, choice, flag, parameter

EndOn: TypeAlias = Literal["final", "time", "deals"]
TimeCut: TypeAlias = Literal["finish_deal", "void_deal"]
TieBreak: TypeAlias = Literal["first_to_reach", "more_triples", "extra_deal", "draw"]
TableScore: TypeAlias = Literal["none", "2_1_0", "3_2_1_0", "hundred_plus_diff", "deal_points"]
FormatKind: TypeAlias = Literal["knockout", "swiss", "round_robin", "group_shift", "points"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCaps:
    """The limits of ``hundred_plus_diff``.

    ``winner``: the most that is added to the hundred; ``loser``: the most the loser gets. ``last_gain``: whether the
    gain of the deal that passed the final level counts in the difference.
    """

    winner: int = parameter(15, Whole(0, 100))
    loser: int = parameter(12, Whole(0, 100))
    last_gain: bool = flag(True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """The form of an event and how many rounds it has; 0 where the number of entrants decides."""

    kind: FormatKind = choice("swiss", FormatKind)
    rounds: int = parameter(5, Whole(0, 99))


@dataclass(frozen=True, kw_only=True)
class MatchRules:
    """When a match is over, who has won it, and what the result is worth."""

    end_on: tuple[EndOn, ...] = parameter(("final",), Several(get_args(EndOn), least=1))
    """What ends a match, whichever comes first: passing the final level, time, a number of deals (§9.11)."""
    end_minutes: int = parameter(0, Whole(0, 1440))
    """The time of a match in minutes, where time ends it; else 0 (§9.11)."""
    end_deals: int = parameter(0, Whole(0, 200))
    """The number of deals of a match, where it ends it; else 0 (§9.11)."""
    time_cut: TimeCut = choice("finish_deal", TimeCut)
    """What becomes of the deal in which the time runs out (§9.12)."""
    tie_break: tuple[TieBreak, ...] = parameter(("draw",), Several(get_args(TieBreak), least=1, ordered=True))
    """What decides between level sides, one after the other (§9.13)."""
    best_of: int = parameter(1, OneOf((1, 3)))
    """Of how many matches a meeting is made (§9.14)."""
    table_score: TableScore = choice("2_1_0", TableScore)
    """What the result of a match is worth in an event (§12.1)."""
    score_caps: ScoreCaps = parameter(ScoreCaps(), Table(ScoreCaps))
    """The limits of ``hundred_plus_diff`` (§12.1)."""
    format: Format = parameter(Format(), Table(Format))
    """The form of an event (§12.2)."""
