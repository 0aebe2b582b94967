"""What a deal is worth: gains, levels, and the passing of the final level (docs/rules.md §9)."""

from __future__ import annotations

from typing import TypeAlias

from guandan_engine.board import side_of
from guandan_engine.cards import Rank
from guandan_engine.rules import RuleSet
from guandan_engine.trick import partner_of

Levels: TypeAlias = tuple[Rank, Rank]


def gain_of(order: tuple[int, ...], rules: RuleSet) -> int:
    """Return what the side of the first seat gains: the more, the earlier its partner came out."""
    return rules.gains[order.index(partner_of(order[0])) - 1]


def promote(levels: Levels, order: tuple[int, ...], rules: RuleSet) -> Levels:
    """Return the levels after a deal: the winners go up, but not past a level that must be played."""
    side = side_of(order[0])
    level = levels[side]
    stops = [stop for stop in (*rules.must_play, rules.final_level) if stop > level]
    if level == rules.final_level:
        return levels
    raised = min(level + gain_of(order, rules), *stops)
    return (Rank(raised), levels[1]) if side == 0 else (levels[0], Rank(raised))


def passes_final(levels: Levels, owner: int | None, order: tuple[int, ...], rules: RuleSet) -> bool:
    """Whether the deal wins the match: the winners were at the final level, it was their own deal (``owner``),
    and the partner of the first is not last.
    """
    side = side_of(order[0])
    return side == owner and levels[side] == rules.final_level and partner_of(order[0]) != order[3]
