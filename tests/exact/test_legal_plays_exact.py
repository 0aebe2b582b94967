"""Legal plays equal an independent brute force: 2,000 hands under ``standard``, some under every preset and variant.

With GUANDAN_EXACT=1 ten times as many. A tenth of the hands have every sub-multiset read, a half have the cards of
every play chosen and read back.
"""

from __future__ import annotations

import os
import random

import pytest

from guandan_engine.actions import Play
from guandan_engine.cards import Hand, Rank
from guandan_engine.combos import Combo, Kind, Reading
from guandan_engine.plays import cards_of, declared_cards, interpret, legal_plays, readings
from guandan_engine.rules import RuleSet, load, presets
from tests.brute_force import all_combos, combos_of, followers, shapes, sub_multisets
from tests.rule_values import combination_variants
from tests.strategies import LEVELS, rich_hand

RULES = load("standard")
TIMES = 10 if os.environ.get("GUANDAN_EXACT") == "1" else 1
HANDS = 2_000 * TIMES
SIZES = range(4, 10)
OTHERS = {name: load(name) for name in presets() if name != "standard"} | combination_variants(RULES)


def some_hands(level: Rank, count: int, salt: str) -> list[Hand]:
    """Hands of 4 to 9 cards, every size with 0, 1 and 2 wilds in turn."""
    rng = random.Random(f"{salt}/{level}")
    return [rich_hand(rng, level, SIZES[i // 3 % len(SIZES)], i % 3) for i in range(count)]


def things_to_beat(rng: random.Random, own: set[Combo], level: Rank, rules: RuleSet) -> list[Combo]:
    """Two of the hand's own combos and two of a stranger's, so that both near and far comparisons come up."""
    stranger = combos_of_some_hand(rng, level, rules)
    return [*rng.choices(sorted(own, key=repr), k=2), *rng.choices(stranger, k=2)]


def combos_of_some_hand(rng: random.Random, level: Rank, rules: RuleSet) -> list[Combo]:
    hand = rich_hand(rng, level, rng.randint(4, 7), rng.randrange(2))
    return sorted(all_combos(tuple(hand), level, rules), key=repr)


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_leading_and_following_plays_equal_the_brute_force(level):
    plays_equal(level, -(-HANDS // 13), RULES)


@pytest.mark.parametrize("rules", OTHERS.values(), ids=OTHERS)
def test_plays_of_every_rule_set_equal_the_brute_force(rules):
    for level in (Rank.TWO, Rank.SEVEN, Rank.TEN, Rank.ACE) if TIMES == 1 else LEVELS:
        plays_equal(level, 6 * TIMES, rules)
        readings_equal(level, 1 * TIMES, rules)
        cards_read_back(level, 6 * TIMES, rules)


def plays_equal(level: Rank, hands: int, rules: RuleSet) -> None:
    rng = random.Random(f"to beat/{level}")
    for hand in some_hands(level, hands, "plays"):
        expected = all_combos(tuple(hand), level, rules)
        leading = legal_plays(hand, None, rules, level)
        assert len(leading) == len(set(leading)), (hand, level)
        assert set(leading) == expected, (hand, level)
        for to_beat in things_to_beat(rng, expected, level, rules):
            following = legal_plays(hand, to_beat, rules, level)
            assert len(following) == len(set(following)), (hand, to_beat, level)
            assert set(following) == followers(expected, to_beat, level, rules), (hand, to_beat, level)


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_every_concrete_choice_reads_as_the_brute_force_says(level):
    readings_equal(level, -(-HANDS // 130), RULES)


def readings_equal(level: Rank, hands: int, rules: RuleSet) -> None:
    for hand in some_hands(level, hands, "choices"):
        for cards in sub_multisets(hand):
            assert set(readings(cards, rules, level)) == combos_of(cards, level, rules), (cards, level)


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_every_play_listed_has_cards_that_read_as_it(level):
    cards_read_back(level, -(-HANDS // 26), RULES)


def cards_read_back(level: Rank, hands: int, rules: RuleSet) -> None:
    for hand in some_hands(level, hands, "cards"):
        for combo in legal_plays(hand, None, rules, level):
            cards = cards_of(combo, hand, level)
            assert Hand.of(cards) <= hand, (hand, combo, level)
            assert combo in combos_of(cards, level, rules), (hand, combo, level)
            assert interpret(cards, Reading(combo.kind, combo.rank), rules, level, hand=hand) is combo
            assert stands_for(Play(combo, cards), level, rules), (hand, combo, level)


def stands_for(play: Play, level: Rank, rules: RuleSet) -> bool:
    """Whether the declared cards, taken at face value, make the combo: naturals themselves, no joker for a wild."""
    declared = declared_cards(play, level)
    unchanged = all(card == meant for card, meant in zip(play.cards, declared, strict=True) if not card.is_wild(level))
    suits = {card.suit for card in declared}
    found = {(one.kind, one.rank) for one in shapes(tuple(sorted(card.rank for card in declared)), level, rules)}
    kind = Kind.STRAIGHT if play.combo.kind is Kind.STRAIGHT_FLUSH else play.combo.kind
    suited = kind is not Kind.STRAIGHT or (len(suits) == 1) is (play.combo.kind is Kind.STRAIGHT_FLUSH)
    return unchanged and suited and (kind, play.combo.rank) in found
