"""Who pays whom, with which cards, and who leads."""

from __future__ import annotations

import pytest
from hypothesis import given

from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.tribute import Gift, leader, pair_up, payable, payers, resisting, returnable
from tests.dealing import STANDARD, dealt
from tests.strategies import hands, levels


def cards(text):
    return set(Hand.parse(text))


@pytest.mark.parametrize(
    ("order", "paying"), [((0, 1, 2, 3), (3,)), ((0, 1, 3, 2), (2,)), ((1, 3, 0, 2), (0, 2)), ((2, 0, 3, 1), (3, 1))]
)
def test_the_last_pays_and_after_a_double_down_both_losers(order, paying):
    assert payers(order, STANDARD) == paying


def test_jokers_of_the_partner_do_not_count_for_a_single_payer():
    order = (0, 1, 2, 3)
    assert resisting(order, dealt({1: "HR", 3: "HR"}), STANDARD) == ()
    assert resisting(order, dealt({3: "HR HR"}), STANDARD) == (3,)


def test_one_of_two_payers_may_hold_both_big_jokers():
    assert resisting((0, 2, 1, 3), dealt({3: "HR HR"}), STANDARD) == (3,)


def test_the_level_card_is_above_the_ace():
    assert set(payable(Hand.parse("S7 D7 H7 SA"), Rank.SEVEN, STANDARD)) == cards("S7 D7")


def test_each_face_is_offered_once():
    assert payable(Hand.parse("SA SA"), Rank.TWO, STANDARD) == (Card.parse("SA"),)


def test_limits_of_returns_to_partner_and_opponent_are_the_same_in_standard():
    hand = Hand.parse("S2 H2 ST DJ")
    for to_partner in (True, False):
        assert set(returnable(hand, Rank.TWO, to_partner=to_partner, rules=STANDARD)) == cards("ST")


def test_the_bigger_card_goes_to_the_first_whoever_paid_it():
    paid = {1: Card.parse("SB"), 3: Card.parse("SA")}
    gifts = pair_up((0, 2, 1, 3), paid, Rank.TWO, STANDARD)
    assert gifts == (Gift(1, 0, paid[1]), Gift(3, 2, paid[3]))
    assert leader((0, 2, 1, 3), gifts, (), Rank.TWO, STANDARD) == 1


def test_a_level_card_is_bigger_than_an_ace():
    paid = {1: Card.parse("SA"), 3: Card.parse("S5")}
    gifts = pair_up((0, 2, 1, 3), paid, Rank.FIVE, STANDARD)
    assert (leader((0, 2, 1, 3), gifts, (), Rank.FIVE, STANDARD), gifts[1].to) == (3, 0)


def test_a_single_tribute_goes_to_the_first_and_its_payer_leads():
    paid = {2: Card.parse("SA")}
    gifts = pair_up((0, 1, 3, 2), paid, Rank.TWO, STANDARD)
    assert gifts == (Gift(2, 0, paid[2]),)
    assert leader((0, 1, 3, 2), gifts, (), Rank.TWO, STANDARD) == 2


@given(hands(min_size=27, max_size=27), levels)
def test_there_is_always_something_to_pay_and_to_return(hand, level):
    assert set(payable(hand, level, STANDARD)) <= set(hand)
    assert payable(hand, level, STANDARD)
    assert not any(card.is_wild(level) for card in payable(hand, level, STANDARD))
    assert set(returnable(hand, level, to_partner=False, rules=STANDARD)) <= set(hand)
    assert returnable(hand, level, to_partner=False, rules=STANDARD)
