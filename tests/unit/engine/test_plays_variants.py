"""Combinations that rule sets unlike ``standard`` know: their cards, texts and order, and why others are none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guandan_engine.actions import Play
from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.errors import IllegalAction
from guandan_engine.notation import combo_text, parse_combo
from guandan_engine.plays import beats, cards_of, declared_cards, interpret, legal_plays, readings
from guandan_engine.rules import RuleSet
from tests.rule_values import combination_variants
from tests.strategies import rich_hands

STANDARD = RuleSet()
ELEVATED = replace(STANDARD, seq_level_card="elevated")
UNLIKE = replace(STANDARD, mixed_joker_pair=True)
WRAP = replace(STANDARD, seq_wrap=True)


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card.parse, text.split()))


def read(text: str, rules: RuleSet, level: str) -> str:
    return combo_text(interpret(cards(text), None, rules, Rank.parse(level)))


@pytest.mark.parametrize(
    ("text", "rules", "level", "found"),
    [
        ("S9 DJ CQ SK DA", ELEVATED, "T", "Straight 9-A"),
        ("SJ DQ CK SA DT", ELEVATED, "T", "Straight J-T"),
        ("SA D3 C4 S5 D6", ELEVATED, "2", "Straight A-6"),
        ("SA DA CA ST DT CT", ELEVATED, "T", "TwoTrips A-T"),
        ("SA DA CA S2 D2 C2", ELEVATED, "T", "TwoTrips A"),
        ("S9 SJ SQ SK SA", ELEVATED, "T", "StraightFlush 9-A/S"),
        ("SQ DK CA S2 D3", WRAP, "T", "Straight Q"),
        ("SK DK SA DA S2 D2", WRAP, "T", "ThreePair K"),
        ("SB HR", UNLIKE, "T", "Pair SB-HR"),
        ("S9 D9 C9 SB HR", UNLIKE, "T", "ThreeWithTwo 9+SB-HR"),
        ("S9 D9 C9 H9 S9", replace(STANDARD, full_house_same_rank=True, wild_kinds=()), "T", None),
    ],
)
def test_unusual_combos_are_read_written_and_picked(text, rules, level, found):
    if found is None:
        assert {combo_text(one) for one in readings(cards(text), rules, Rank.TEN)} == {"Bomb 9 x5", "ThreeWithTwo 9+9"}
        return
    assert read(text, rules, level) == found
    combo = parse_combo(found)
    assert set(cards_of(combo, Hand.parse(text), Rank.parse(level))) == set(cards(text))


def test_what_the_level_above_the_ace_takes_apart_is_no_run():
    with pytest.raises(IllegalAction, match="stands above the ace in runs here"):
        read("S8 D9 CT SJ DQ", ELEVATED, "T")


def test_a_wild_in_a_run_that_skips_the_level_stands_for_the_missing_rank():
    level = Rank.TEN
    play = Play(parse_combo("Straight 9-A *1"), cards("S9 DJ HT SK DA"))
    assert declared_cards(play, level) == cards("S9 DJ HQ SK DA")


@pytest.mark.parametrize(
    ("above", "below", "rules", "level"),
    [
        ("TwoTrips A-T", "TwoTrips K", ELEVATED, "T"),
        ("TwoTrips 2", "TwoTrips A", ELEVATED, "T"),
        ("TwoTrips A", "TwoTrips K", ELEVATED, "2"),
        ("Straight K", "Straight T", WRAP, "9"),
        ("Straight 5", "Straight T", replace(STANDARD, seq_compare="level"), "9"),
        ("Pair HR", "Pair SB-HR", UNLIKE, "9"),
        ("Single 2", "Single A", replace(STANDARD, single_ace="low"), "9"),
        ("StraightFlush 3/H", "StraightFlush 3/S", replace(STANDARD, sf_tie="hearts_top"), "9"),
        ("StraightFlush 3/S", "Bomb A x8", replace(STANDARD, sf_beats_upto=8), "9"),
    ],
)
def test_unusual_orders(above, below, rules, level):
    a, b = parse_combo(above), parse_combo(below)
    assert beats(a, b, rules, Rank.parse(level))
    assert not beats(b, a, rules, Rank.parse(level))


def test_unlike_jokers_and_small_jokers_are_equal():
    small, unlike = parse_combo("Pair SB"), parse_combo("Pair SB-HR")
    assert not beats(small, unlike, UNLIKE, Rank.TWO)
    assert not beats(unlike, small, UNLIKE, Rank.TWO)
    assert small < unlike


@pytest.mark.parametrize(
    ("text", "changes", "reason"),
    [
        ("S9 D9 H2 SB SB", {"wild_with_jokers": False}, "do not stand in one play here"),
        ("S9 D9 C9 SB SB", {"full_house_joker_pair": False}, "not of jokers here"),
        ("S9 D9 H2", {"wild_kinds": ()}, "wild cards do not join every kind here"),
        ("SJ DQ SK CA D2", {}, "does not go on past the ace"),
        ("SB HR", {}, "no pair"),
        ("S9 S9 H9 H9 C9 C9 D9 D9 H2", {"max_bomb": 8}, "larger than the largest bomb"),
    ],
)
def test_refusals_say_what_this_rule_set_forbids(text, changes, reason):
    with pytest.raises(IllegalAction, match=reason):
        interpret(cards(text), None, replace(STANDARD, **changes), Rank.TWO)


@given(rich_hands(max_size=12), st.sampled_from(sorted(combination_variants(STANDARD).items())))
@settings(max_examples=150, deadline=None)
def test_kind_and_rank_name_one_reading_and_every_play_beats_in_one_direction(drawn, variant):
    (hand, level), (_, rules) = drawn, variant
    found = readings(tuple(hand), rules, level, hand=hand)
    assert len({(combo.kind, combo.rank) for combo in found}) == len(found)
    plays = legal_plays(hand, None, rules, level)
    for a in plays[::7]:
        for b in plays[::5]:
            assert not (beats(a, b, rules, level) and beats(b, a, rules, level))
