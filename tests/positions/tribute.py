"""Positions of tribute: who pays what to whom, who chooses, and who leads for it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace

from guandan_engine import view
from guandan_engine.cards import Rank
from guandan_engine.rules import RuleSet
from tests.playing import (
    DOUBLE_DOWN,
    PARTNER_LAST,
    SINGLE,
    Plan,
    chooses,
    first_option,
    gives,
    last_option,
    tribute,
)
from tests.rule_positions import IDLE, position


def told(
    order: tuple[int, ...],
    wanted: Mapping[int, str],
    rules: RuleSet,
    plan: Plan = first_option,
    *,
    level: Rank = Rank.TWO,
    lot: int = 0,
) -> Hashable:
    """Everything that is asked and shown until somebody leads."""
    went = tribute(order, wanted, rules, plan, level=level, lot=lot)
    return went.asked, tuple(map(str, went.steps)), went.leader


IDLE["return_level_card"] = lambda rules: all(
    limit in ("any", "below_level") for limit in (rules.return_max_opponent, rules.return_max_partner)
)
IDLE["return_fallback"] = lambda rules: (
    # Of 27 cards some are below the level card: 12 are not.
    rules.return_max_opponent == "any" and rules.return_max_partner in ("any", "below_level")
)
IDLE["tie_lead"] = lambda rules: (
    # Where equal tributes go clockwise, the next seat of the first pays the first.
    rules.tribute_tie == "clockwise" and rules.tie_lead in ("payer_of_first", "next_of_first")
)
IDLE["return_to"] = lambda rules: (
    # Where every tribute goes clockwise, who pays is the receiver's next seat.
    rules.tribute_pairing == "clockwise" and rules.return_to in ("payer", "next_seat")
)


@position("tribute", "tribute_partner")
def single_tribute_to_opponent_and_partner(rules: RuleSet) -> Hashable:
    return told(SINGLE, {3: "SA"}, rules), told(PARTNER_LAST, {2: "SA"}, rules)


@position("tribute_pairing")
def two_unequal_tributes(rules: RuleSet) -> Hashable:
    return told(DOUBLE_DOWN, {1: "SA", 3: "SB"}, rules)


EQUAL = {1: "SA", 3: "DA", 0: "S9", 2: "S4"}


@position("tribute_tie", "tribute_pairing")
def two_equal_tributes(rules: RuleSet) -> Hashable:
    plans = (first_option, last_option, chooses({0: 3, 2: 3}, first_option))
    return tuple(told(DOUBLE_DOWN, EQUAL, rules, plan, lot=lot) for plan in plans for lot in (0, 1))


@position("tie_lead", "return_to")
def two_equal_tributes_with_unequal_returns(rules: RuleSet) -> Hashable:
    """Who leads, whoever gets which return, and from wherever the first looks."""
    found = []
    for order in (DOUBLE_DOWN, (0, 2, 3, 1)):
        for returned in ({0: "S9", 2: "S4"}, {0: "S4", 2: "S9"}):
            for picked in (1, 3):
                plan = gives(returned, chooses({0: picked, 2: 4 - picked}, first_option))
                found.append(told(order, {1: "SA", 3: "DA", **returned}, rules, plan))
    return tuple(found)


@position("return_to")
def where_returns_go(rules: RuleSet) -> Hashable:
    unequal = told(DOUBLE_DOWN, {1: "SA", 3: "SB"}, rules)
    return unequal, told(DOUBLE_DOWN, EQUAL, rules, last_option)


@position("return_max_opponent", "return_max_partner", "return_level_card")
def what_may_be_returned(rules: RuleSet) -> Hashable:
    held = "S9 ST SJ SA S5 HR"
    to_opponent = told(SINGLE, {3: "DA", 0: held}, rules, level=Rank.FIVE)
    return to_opponent, told(PARTNER_LAST, {2: "DA", 0: held}, rules, level=Rank.FIVE)


@position("return_fallback")
def no_card_within_any_limit(rules: RuleSet) -> Hashable:
    high = "SJ SJ HJ HJ CJ CJ DJ DJ SQ SQ HQ HQ CQ CQ DQ DQ SK SK HK HK CK CK DK DK"
    jokers = {0: f"{high} SB SB HR", 3: "HR"}
    return told(SINGLE, jokers, rules, level=Rank.JACK), told(PARTNER_LAST, {2: "HR", 0: jokers[0]}, rules)


@position("return_sealed")
def two_returns_one_after_the_other(rules: RuleSet) -> Hashable:
    return told(DOUBLE_DOWN, {1: "SA", 3: "SB"}, rules)


@position("anti_tribute", "anti_mode")
def both_big_jokers(rules: RuleSet) -> Hashable:
    hands = ({1: "HR", 3: "HR"}, {1: "HR HR"}, {3: "HR HR"})
    return tuple(told(DOUBLE_DOWN, hand, rules, plan) for hand in hands for plan in (first_option, last_option))


@position("anti_show")
def what_others_see_of_the_jokers(rules: RuleSet) -> Hashable:
    went = tribute(DOUBLE_DOWN, {3: "HR HR"}, rules)
    return tuple(str(view.cut(event, seat)) for event in went.events for seat in (None, 1, 3))


@position("tribute")
def nothing_is_owed_without_tribute(rules: RuleSet) -> Hashable:
    return told(SINGLE, {3: "SA"}, replace(rules, lead_rule="tribute"))
