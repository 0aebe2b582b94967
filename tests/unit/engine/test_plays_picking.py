"""Choosing concrete cards for a combo."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from guandan_engine.cards import Hand, Rank
from guandan_engine.combos import ALL_COMBOS, Reading
from guandan_engine.errors import IllegalAction
from guandan_engine.notation import parse_combo
from guandan_engine.plays import cards_of, interpret, legal_plays
from guandan_engine.rules import load
from tests.strategies import hands, levels, rich_hands

RULES = load("standard")


def pick(combo: str, hand: str, level: str = "2") -> str:
    return " ".join(map(str, cards_of(parse_combo(combo), Hand.parse(hand), Rank.parse(level))))


def test_natural_cards_are_used_before_wilds():
    assert pick("Trips 9 *1", "S9 D9 C9 H2 H2") == "H2 S9 C9"


def test_a_plain_straight_is_not_made_of_one_suit_when_another_card_will_do():
    assert pick("Straight 5", "S5 S6 S7 S8 S9 D8") == "S5 S6 S7 D8 S9"


def test_five_cards_of_one_suit_make_no_plain_straight():
    with pytest.raises(IllegalAction, match="cannot make Straight 5"):
        pick("Straight 5", "S5 S6 S7 S8 S9 S9")


def test_a_pair_of_jokers_is_never_replaced_by_wilds():
    assert pick("ThreeWithTwo 9+SB *2", "S9 D9 C9 H2 H2 SB SB") == "H2 H2 S9 SB SB"
    with pytest.raises(IllegalAction):
        pick("ThreeWithTwo 9+SB *1", "S9 D9 C9 H2 SB")


def test_both_wilds_are_a_pair_of_level_cards_only():
    assert pick("Pair 7 *2", "H7 H7 S9", "7") == "H7 H7"
    with pytest.raises(IllegalAction):
        pick("Pair 9 *2", "H7 H7 S9", "7")


def test_a_pair_of_both_wilds_is_written_as_the_strongest_rank_only():
    assert pick("ThreeWithTwo 9+2 *2", "S9 D9 C9 H2 H2") == "H2 H2 S9 C9 D9"
    with pytest.raises(IllegalAction):
        pick("ThreeWithTwo 9+5 *2", "S9 D9 C9 H2 H2")


@given(rich_hands(max_size=12))
@settings(max_examples=40, deadline=None)
def test_cards_are_found_exactly_for_the_plays_listed(drawn):
    hand, level = drawn
    legal = set(legal_plays(hand, None, RULES, level))
    for combo in ALL_COMBOS:
        if combo not in legal:
            with pytest.raises(IllegalAction):
                cards_of(combo, hand, level)


@given(hands(), levels)
@settings(max_examples=60, deadline=None)
def test_the_cards_of_a_play_read_back_as_it(hand, level):
    for combo in legal_plays(hand, None, RULES, level):
        cards = cards_of(combo, hand, level)
        assert list(cards) == sorted(cards)
        assert Hand.of(cards) <= hand
        assert interpret(cards, Reading(combo.kind, combo.rank), RULES, level) is combo
