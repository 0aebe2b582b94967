"""Positions of promotion: what places bring, streaks, and failing, falling and passing at the final level."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from guandan_engine import shuffle
from guandan_engine.cards import Rank
from guandan_engine.promotion import AT_THE_START, Climb, Levels, after_deal, passes_final
from guandan_engine.rules import RuleSet
from tests.playing import DOUBLE_DOWN, PARTNER_LAST, SINGLE, plain_deal, script, started
from tests.rule_positions import position

LOST_DOUBLE = (1, 3, 0, 2)
LOST = (1, 0, 3, 2)


def climbed(
    orders: Iterable[tuple[int, ...]],
    levels: Levels,
    rules: RuleSet,
    *,
    owner: int | None = 0,
    climb: Climb = AT_THE_START,
) -> Hashable:
    """Levels, gains and passes of deals that end so, one after the other."""
    found = []
    for order in orders:
        passed = passes_final(levels, owner, order, rules)
        level = levels[0 if owner is None else owner]
        climb, levels, gain = after_deal(climb, levels, order, rules, owner=owner, level=level)
        found.append((levels, gain, passed, climb.fallen))
        owner = order[0] % 2
    return tuple(found)


def final(rules: RuleSet) -> Levels:
    """Side 0 at the final level of these rules, the other at 2."""
    return rules.final_level, Rank.TWO


@position("fixed_level", "unit", "gains")
def a_match_of_two_deals(rules: RuleSet) -> Hashable:
    match, events = script(started(rules), [DOUBLE_DOWN, SINGLE], rules)
    levels = [(event.level, event.levels) for event in events if hasattr(event, "leader")]
    return match.points, tuple(levels), match.deal.level


@position("fixed_level", "final_level")
def the_levels_of_boards(rules: RuleSet) -> Hashable:
    return tuple(shuffle.board_level(n.to_bytes(2, "big"), rules) for n in range(100))


@position("gains")
def the_three_ways_to_win(rules: RuleSet) -> Hashable:
    return tuple(climbed([order], (Rank.TWO, Rank.TWO), rules) for order in (DOUBLE_DOWN, SINGLE, PARTNER_LAST))


@position("unit", "streak", "double_down_both_last")
def many_firsts_and_lasts_running(rules: RuleSet) -> Hashable:
    running = Climb(firsts=(1, 0, 0, 0), lasts=(0, 0, 0, 1))
    levels = (Rank.TWO, Rank.SEVEN)
    found = [climbed([SINGLE] * deals, levels, rules, climb=running) for deals in range(5)]
    at_final = climbed([SINGLE] * 3, (Rank.THREE, rules.final_level), rules, owner=1, climb=running)
    return tuple(found), climbed([SINGLE] * 4, (Rank.TWO, Rank.FOUR), rules, climb=running), at_final


@position("double_down_both_last")
def who_is_last_after_a_double_down(rules: RuleSet) -> Hashable:
    climb, _, _ = after_deal(AT_THE_START, (Rank.TWO, Rank.TWO), DOUBLE_DOWN, rules, owner=0, level=Rank.TWO)
    return climb.lasts


@position("final_level", "must_play")
def a_double_down_from_every_level(rules: RuleSet) -> Hashable:
    levels = [level for level in Rank if level <= rules.final_level]
    return tuple(climbed([DOUBLE_DOWN], (level, Rank.TWO), rules) for level in levels)


@position("must_play")
def losing_the_first_deal_and_winning_the_second(rules: RuleSet) -> Hashable:
    return climbed([LOST_DOUBLE, SINGLE, SINGLE], (Rank.TWO, Rank.TWO), rules, owner=None)


@position("a_pass", "a_owner_only")
def winning_at_the_final_level(rules: RuleSet) -> Hashable:
    orders = (DOUBLE_DOWN, SINGLE, PARTNER_LAST)
    return tuple(climbed([order], final(rules), rules, owner=owner) for order in orders for owner in (0, 1))


@position("a_fail_limit", "a_fail_counts", "a_fail_to", "after_demotion")
def failing_again_and_again(rules: RuleSet) -> Hashable:
    found = []
    for failed in (PARTNER_LAST, LOST):
        levels, climb = final(rules), AT_THE_START
        for _ in range(24):
            climb, fallen, _ = after_deal(climb, levels, failed, rules, owner=0, level=levels[0])
            found.append((fallen, climb.fails, climbed([DOUBLE_DOWN], fallen, rules, climb=climb)))
    return tuple(found)


@position("a_double_down_to")
def a_double_down_at_ones_own_final_level(rules: RuleSet) -> Hashable:
    return climbed([LOST_DOUBLE], final(rules), rules)


@position("fixed_level")
def the_level_of_a_first_deal(rules: RuleSet) -> Hashable:
    assert plain_deal().leader == 0
    return started(rules).deal.level
