"""One match of a meeting (一局) from its first deal to its end: its tally, and what decides it (docs/rules.md §9)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from guandan_engine.events import DealEnded, MatchEnd
from guandan_engine.promotion import Levels
from guandan_engine.rules import RuleSet
from guandan_engine.trick import is_double_down

MINUTE_MS: Final = 60_000
Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Leg:
    """The tally of a match. ``number`` from 1: which match of the meeting.

    ``deals``: deals ended that count. ``elapsed_ms``: time of all decisions. ``points``: gains of each side.
    ``triples``: double-downs of each side. ``reached``: after how many deals each side came to its present level.
    ``extra``: an extra deal is played, whose winner wins.
    """

    number: int = 1
    deals: int = 0
    elapsed_ms: int = 0
    points: Pair = (0, 0)
    triples: Pair = (0, 0)
    reached: Pair = (0, 0)
    extra: bool = False


FIRST: Final = Leg()


@dataclass(frozen=True, slots=True)
class Decided:
    """How a match has ended: ``side`` None is a draw."""

    side: int | None
    reason: MatchEnd


def passing_time(leg: Leg, ms: int) -> Leg:
    """Return the tally once a decision has taken this long."""
    return replace(leg, elapsed_ms=leg.elapsed_ms + ms) if ms else leg


def is_cut(leg: Leg, rules: RuleSet) -> bool:
    """Whether the time is up and breaks the deal off in which it ran out (§9.12)."""
    return rules.time_cut == "void_deal" and not leg.extra and _time_is_up(leg, rules)


def after_deal(leg: Leg, before: Levels, result: DealEnded) -> Leg:
    """Return the tally with a deal that has ended; ``before``: the levels it began with."""
    deals = leg.deals + 1
    reached = [deals if result.levels[side] != before[side] else leg.reached[side] for side in (0, 1)]
    return replace(
        leg,
        deals=deals,
        points=plus(leg.points, result.side, result.gain),
        triples=plus(leg.triples, result.side, int(is_double_down(result.order))),
        reached=(reached[0], reached[1]),
    )


def plus(pair: Pair, side: int, n: int) -> Pair:
    """Return a pair with ``n`` more for a side."""
    return (pair[0] + n, pair[1]) if side == 0 else (pair[0], pair[1] + n)


def decided_by(leg: Leg, result: DealEnded, *, passed: bool, out_of_deals: bool, rules: RuleSet) -> Decided | Leg:
    """Return how the match has ended with this deal, or the tally with which it goes on (§9.11, §9.13).

    ``passed``: the deal passed the final level. ``out_of_deals``: the table allows no further deal.
    """
    if passed and "final" in rules.end_on:
        return Decided(result.side, MatchEnd.PASSED_FINAL)
    if leg.extra:
        return Decided(result.side, MatchEnd.EXTRA_DEAL)
    if _time_is_up(leg, rules):
        return by_standing(leg, result.levels, MatchEnd.TIME_UP, out_of_deals=out_of_deals, rules=rules)
    if out_of_deals or ("deals" in rules.end_on and leg.deals >= rules.end_deals):
        return by_standing(leg, result.levels, MatchEnd.DEAL_LIMIT, out_of_deals=out_of_deals, rules=rules)
    return leg


def by_standing(leg: Leg, levels: Levels, reason: MatchEnd, *, out_of_deals: bool, rules: RuleSet) -> Decided | Leg:
    """Return who is ahead, in points or in levels; between level sides the tie-breaks decide in their order."""
    a, b = leg.points if rules.unit == "points" else levels
    if a != b:
        return Decided(int(b > a), reason)
    for tie_break in rules.tie_break:
        if tie_break == "extra_deal" and not out_of_deals:
            return replace(leg, extra=True)
        a, b = {"first_to_reach": leg.reached, "more_triples": leg.triples[::-1]}.get(tie_break, (0, 0))
        if a != b:
            return Decided(int(b < a), reason)
        if tie_break == "draw":
            break
    return Decided(None, reason)


def _time_is_up(leg: Leg, rules: RuleSet) -> bool:
    return "time" in rules.end_on and leg.elapsed_ms >= rules.end_minutes * MINUTE_MS
