"""What a deal is worth: gains, levels, streaks, failing at the final level and passing it (docs/rules.md §9)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias, TypeVar

from guandan_engine.board import side_of
from guandan_engine.cards import Rank
from guandan_engine.rules import RuleSet
from guandan_engine.seats import Four, four
from guandan_engine.trick import is_double_down, partner_of

__all__ = [
    "AT_THE_START",
    "Climb",
    "Four",
    "Levels",
    "after_deal",
    "gain_of",
    "moved",
    "passes_final",
    "promote",
    "shifted",
    "worth",
]

Levels: TypeAlias = tuple[Rank, Rank]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Climb:
    """What both sides carry from deal to deal beside their levels.

    ``firsts`` and ``lasts``: how often running each seat has come first, or last. ``fails``: failures of each side at
    the final level. ``fallen``: whether a side fell from there and has not won since. ``played``: whether a side has
    played a deal of its own at its present level.
    """

    firsts: Four[int] = (0, 0, 0, 0)
    lasts: Four[int] = (0, 0, 0, 0)
    fails: tuple[int, int] = (0, 0)
    fallen: tuple[bool, bool] = (False, False)
    played: tuple[bool, bool] = (False, False)


AT_THE_START: Final = Climb()


def gain_of(order: tuple[int, ...], rules: RuleSet) -> int:
    """Return what the side of the first gains by its places: the more, the earlier its partner came out (§9.2)."""
    return rules.gains[order.index(partner_of(order[0])) - 1]


def worth(order: tuple[int, ...], side: int, rules: RuleSet) -> int:
    """Return what a finishing order is worth to a side by its places: what it gains, or what the other does, negative.

    In promotion points: levels or points, as the rules count (§9.2). What levels mean in a match (streaks, the final
    level) is not in it.
    """
    gain = gain_of(order, rules)
    return gain if side_of(order[0]) == side else -gain


def promote(levels: Levels, order: tuple[int, ...], rules: RuleSet) -> Levels:
    """Return the levels after a deal by its places alone: the winners go up, not past a level that must be played."""
    side = side_of(order[0])
    return _with(levels, side, moved(levels[side], gain_of(order, rules), rules))


def passes_final(levels: Levels, owner: int | None, order: tuple[int, ...], rules: RuleSet) -> bool:
    """Whether the deal passes the final level: the winners were at it, in a deal that counts for them, and the
    partner of the first came in where it must (§9.4). ``owner``: whose level was played, None in a first deal.

    Where the final level need not be played, a gain that leads past it passes it too (§9.3).
    """
    side = side_of(order[0])
    if rules.final_level not in rules.must_play and levels[side] < rules.final_level:
        return levels[side] + gain_of(order, rules) > rules.final_level
    if levels[side] != rules.final_level or (rules.a_owner_only and side != owner):
        return False
    place = order.index(partner_of(order[0])) + 1
    return place <= {"second_only": 2, "not_last": 3, "any_first": 4}[rules.a_pass]


def after_deal(
    climb: Climb, levels: Levels, order: tuple[int, ...], rules: RuleSet, *, owner: int | None, level: Rank
) -> tuple[Climb, Levels, int]:
    """Return what is carried on, the levels, and the gain of the winners, once a deal of this level has ended."""
    climb = _counted(climb, order, rules)
    side, gain = side_of(order[0]), gain_of(order, rules)
    if rules.unit == "points":
        return climb, levels, gain
    gain += _bonus(climb.firsts[order[0]], rules) if level != rules.final_level else 0
    moves = [-sum(_bonus(climb.lasts[seat], rules) for seat in (of, of + 2)) for of in (0, 1)]
    played = _with(climb.played, side if owner is None else owner, True)
    moves[side] += gain if _may_leave(levels[side], played[side], rules) else 0
    risen = (moved(levels[0], moves[0], rules), moved(levels[1], moves[1], rules))
    if climb.fallen[side]:
        climb = replace(climb, fallen=_with(climb.fallen, side, False))
        risen = _with(risen, side, Rank.THREE) if rules.after_demotion == "fixed_3" else risen
    if owner is not None and levels[owner] == rules.final_level and not passes_final(levels, owner, order, rules):
        climb, risen = _failed(climb, risen, owner, order, rules)
    played = (played[0] and risen[0] == levels[0], played[1] and risen[1] == levels[1])
    return replace(climb, played=played), risen, gain


def _may_leave(level: Rank, played: bool, rules: RuleSet) -> bool:
    """Whether a side may go up: not from the final level, nor from one that must be played before it has (§9.3)."""
    return level != rules.final_level and (played or level not in rules.must_play)


def _counted(climb: Climb, order: tuple[int, ...], rules: RuleSet) -> Climb:
    """Count who came first and who last once more running (§9.8)."""
    both = rules.double_down_both_last and is_double_down(order)
    last = order[2:] if both else order[3:]
    firsts = four(n + 1 if seat == order[0] else 0 for seat, n in enumerate(climb.firsts))
    lasts = four(n + 1 if seat in last else 0 for seat, n in enumerate(climb.lasts))
    return replace(climb, firsts=firsts, lasts=lasts)


def _bonus(running: int, rules: RuleSet) -> int:
    """Return how many levels so many firsts, or lasts, running move: one at the first that counts, then one more."""
    return 0 if rules.streak is None else max(0, running - rules.streak.start + 1)


def shifted(levels: Levels, shifts: tuple[int, int], rules: RuleSet) -> Levels:
    """Return the levels after what rulings have moved; that never takes a side past the final level (§11.7)."""
    if shifts == (0, 0):
        return levels
    return (moved(levels[0], shifts[0], rules), moved(levels[1], shifts[1], rules))


def moved(level: Rank, by: int, rules: RuleSet) -> Rank:
    """Return a level moved up, not past one that must be played (§9.3), or down, not below the floor (§9.8)."""
    if by < 0:
        floor = Rank.TWO if rules.streak is None else rules.streak.floor
        return Rank(max(level + by, min(level, floor)))
    if level == rules.final_level:
        return level
    stops = [stop for stop in (*rules.must_play, rules.final_level) if stop > level]
    return Rank(min(level + by, *stops))


def _failed(climb: Climb, levels: Levels, owner: int, order: tuple[int, ...], rules: RuleSet) -> tuple[Climb, Levels]:
    """Count a failure of the owner at its final level and let it fall (§9.5, §9.6)."""
    won = side_of(order[0]) == owner
    fails = climb.fails[owner] + (rules.a_fail_counts == "any_non_pass" or (won and partner_of(order[0]) == order[3]))
    if rules.a_fail_limit and fails >= rules.a_fail_limit:
        climb = replace(climb, fails=_with(climb.fails, owner, 0), fallen=_with(climb.fallen, owner, True))
        return climb, _with(levels, owner, rules.a_fail_to)
    if rules.a_double_down_to == "prev_level" and not won and is_double_down(order):
        levels = _with(levels, owner, Rank(max(min(levels[owner], rules.final_level - 1), Rank.TWO)))
    return replace(climb, fails=_with(climb.fails, owner, fails)), levels


def _with(pair: tuple[T, T], side: int, value: T) -> tuple[T, T]:
    """Return what both sides have, with another value for one of them."""
    return (value, pair[1]) if side == 0 else (pair[0], value)
