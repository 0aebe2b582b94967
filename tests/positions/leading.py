"""Positions of leading: who draws first, who leads a deal, and who leads on when the best player is out."""

from __future__ import annotations

from collections.abc import Hashable

from guandan_engine import deal as deals
from guandan_engine import shuffle
from guandan_engine.cards import Card, Rank
from guandan_engine.dealing import Dealt
from guandan_engine.errors import EngineError
from guandan_engine.rules import RuleSet
from tests.dealing import dealt, endgame
from tests.playing import DOUBLE_DOWN, SINGLE, lay, pass_round
from tests.rule_positions import IDLE, position


def led_on(finished: tuple[int, ...], rules: RuleSet) -> int:
    """Who leads when seat 1 lays its last card and nobody beats it."""
    hands = ["S3 S4", "SA", "S5 S6", "S7 S8"]
    for seat in finished:
        hands[seat] = ""
    deal, _ = lay(endgame((hands[0], hands[1], hands[2], hands[3]), turn=1, finished=finished), "SA", rules)
    deal, _ = pass_round(deal, 3 - len(finished), rules)
    return deal.trick.turn


IDLE["jiefeng_scope"] = lambda rules: rules.jiefeng == "next_seat"


@position("jiefeng", "jiefeng_scope")
def a_finisher_is_passed_round(rules: RuleSet) -> Hashable:
    return led_on((), rules), led_on((0,), rules)


def opened(order: tuple[int, ...], face_up: str, lot: int, rules: RuleSet) -> Hashable:
    """What is told of a deal in which this card of seat 1's lies face up."""
    hands = dealt({1: face_up})
    try:
        _, (started, *_) = deals.start(Dealt(hands, 1, Card.parse(face_up), lot), Rank.TWO, rules, order=order)
    except EngineError as refused:
        return str(refused)
    return str((started.drawer, started.face_up, started.leader))


IDLE["first_drawer"] = lambda rules: rules.first_leader == "random" and rules.first_drawer != "north"


@position("first_drawer", "first_leader")
def a_first_deal(rules: RuleSet) -> Hashable:
    return tuple(opened((), card, lot, rules) for card in ("S9", "SA", "HR", "SB") for lot in range(4))


@position("first_drawer", "first_leader")
def a_shuffle_that_turns_up_a_joker(rules: RuleSet) -> Hashable:
    return tuple(str(shuffle.deal(n.to_bytes(2, "big"), rules).face_up) for n in range(100))


@position("lead_rule")
def a_later_deal_with_a_card_face_up(rules: RuleSet) -> Hashable:
    return opened(SINGLE, "S9", 0, rules)


@position("later_drawer_double")
def the_deal_after_a_double_down(rules: RuleSet) -> Hashable:
    return tuple(opened(DOUBLE_DOWN, "S9", lot, rules) for lot in range(4))
