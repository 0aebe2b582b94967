"""Legal plays equal an independent brute force, on 2,000 hands; on 20,000 when GUANDAN_EXACT is set.

A tenth of the hands have every sub-multiset read, a half have the cards of every play chosen and read back.
"""

from __future__ import annotations

import os
import random

import pytest

from guandan_engine.actions import Play
from guandan_engine.cards import Hand, Rank
from guandan_engine.combos import Combo, Kind, Reading
from guandan_engine.plays import cards_of, declared_cards, interpret, legal_plays, readings
from guandan_engine.rules import load
from tests.brute_force import all_combos, combos_of, followers, shapes, sub_multisets
from tests.strategies import LEVELS, rich_hand

RULES = load("standard")
HANDS = 20_000 if os.environ.get("GUANDAN_EXACT") else 2_000
SIZES = range(4, 10)


def some_hands(level: Rank, count: int, salt: str) -> list[Hand]:
    """Hands of 4 to 9 cards, every size with 0, 1 and 2 wilds in turn."""
    rng = random.Random(f"{salt}/{level}")
    return [rich_hand(rng, level, SIZES[i // 3 % len(SIZES)], i % 3) for i in range(count)]


def things_to_beat(rng: random.Random, own: set[Combo], level: Rank) -> list[Combo]:
    """Two of the hand's own combos and two of a stranger's, so that both near and far comparisons come up."""
    stranger = combos_of_some_hand(rng, level)
    return [*rng.choices(sorted(own, key=repr), k=2), *rng.choices(stranger, k=2)]


def combos_of_some_hand(rng: random.Random, level: Rank) -> list[Combo]:
    hand = rich_hand(rng, level, rng.randint(4, 7), rng.randrange(2))
    return sorted(all_combos(hand, level), key=repr)


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_leading_and_following_plays_equal_the_brute_force(level):
    rng = random.Random(f"to beat/{level}")
    for hand in some_hands(level, -(-HANDS // 13), "plays"):
        expected = all_combos(hand, level)
        leading = legal_plays(hand, None, RULES, level)
        assert len(leading) == len(set(leading)), (hand, level)
        assert set(leading) == expected, (hand, level)
        for to_beat in things_to_beat(rng, expected, level):
            following = legal_plays(hand, to_beat, RULES, level)
            assert len(following) == len(set(following)), (hand, to_beat, level)
            assert set(following) == followers(expected, to_beat, level), (hand, to_beat, level)


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_every_concrete_choice_reads_as_the_brute_force_says(level):
    for hand in some_hands(level, -(-HANDS // 130), "choices"):
        for cards in sub_multisets(hand):
            assert set(readings(cards, RULES, level)) == combos_of(cards, level), (cards, level)


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_every_play_listed_has_cards_that_read_as_it(level):
    for hand in some_hands(level, -(-HANDS // 26), "cards"):
        for combo in legal_plays(hand, None, RULES, level):
            cards = cards_of(combo, hand, level)
            assert Hand.of(cards) <= hand, (hand, combo, level)
            assert combo in combos_of(cards, level), (hand, combo, level)
            assert interpret(cards, Reading(combo.kind, combo.rank), RULES, level) is combo
            assert stands_for(Play(combo, cards), level), (hand, combo, level)


def stands_for(play: Play, level: Rank) -> bool:
    """Whether the declared cards, taken at face value, make the combo: naturals themselves, no joker for a wild."""
    declared = declared_cards(play, level)
    unchanged = all(card == meant for card, meant in zip(play.cards, declared, strict=True) if not card.is_wild(level))
    suits = {card.suit for card in declared}
    kinds = {(kind, rank) for kind, rank, _ in shapes(tuple(sorted(card.rank for card in declared)), 10)}
    kind = Kind.STRAIGHT if play.combo.kind is Kind.STRAIGHT_FLUSH else play.combo.kind
    suited = kind is not Kind.STRAIGHT or (len(suits) == 1) is (play.combo.kind is Kind.STRAIGHT_FLUSH)
    return unchanged and suited and (kind, play.combo.rank) in kinds
