"""Reading concrete cards: what is refused and why, what a wild stands for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guandan_engine.actions import Play
from guandan_engine.cards import Card, Rank
from guandan_engine.combos import ALL_COMBOS, Reading
from guandan_engine.errors import IllegalAction
from guandan_engine.notation import parse_reading
from guandan_engine.plays import declared_cards, interpret, readings
from guandan_engine.rules import load
from tests.strategies import hands, levels, rich_hands

RULES = load("standard")


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card.parse, text.split()))


def refusal(text: str, declared: str | None = None, level: Rank = Rank.TWO) -> IllegalAction:
    with pytest.raises(IllegalAction) as caught:
        interpret(cards(text), parse_reading(declared) if declared else None, RULES, level)
    return caught.value


def test_no_cards_are_no_play():
    assert refusal("").code == "no_cards"


def test_eleven_cards_are_too_many():
    assert refusal("S3 S3 H3 H3 C3 C3 D3 D3 H2 H2 S4").code == "too_many_cards"


def test_a_third_copy_is_refused_by_name():
    refused = refusal("S3 S3 S3")
    assert refused.code == "too_many_copies"
    assert "S3 comes 3 times" in refused.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SB HR", "§3.2"),
        ("H2 HR", "§4.1"),
        ("SJ DQ SK CA D2", "§3.6"),
        ("SK DK SA DA S2 D2", "§3.6"),
        ("S3 D3 C3 S4 D4 C4 S5 D5 C5", "exactly"),
        ("S3 D4 C5 S6 D7 C8", "exactly"),
        ("S3 D3 S4 D4", "exactly"),
        ("S3 D3 C3 S4", "not a combination"),
        ("SB SB HR", "not a combination"),
    ],
)
def test_what_is_no_combo_is_refused_with_the_reason_that_fits(text, reason):
    refused = refusal(text)
    assert refused.code == "not_a_combo"
    assert reason in refused.reason


def test_an_impossible_reading_lists_the_possible_ones():
    refused = refusal("S9 D9 H2", "Trips T")
    assert refused.code == "reading_impossible"
    assert refused.hint == "declare one of: Trips 9"


def test_an_ambiguous_play_lists_its_readings():
    refused = refusal("SK DK S6 D6 H2")
    assert refused.code == "reading_ambiguous"
    assert refused.hint == "declare one of: ThreeWithTwo 6, ThreeWithTwo K"


@pytest.mark.parametrize(("text", "declared"), [("H2", "Single A"), ("H2 H2", "Pair K"), ("H2 H2", "Pair SB")])
def test_wilds_alone_stand_for_nothing_else(text, declared):
    assert refusal(text, declared).code == "wild_alone"


def test_five_cards_of_one_suit_cannot_be_declared_a_plain_straight():
    refused = refusal("S5 S6 S7 S8 S9", "Straight 5")
    assert refused.code == "reading_impossible"
    assert "only a straight flush" in refused.reason


def test_the_order_of_the_cards_does_not_matter():
    first = interpret(cards("S9 H2 SB D9 SB"), None, RULES, Rank.TWO)
    assert first is interpret(cards("SB SB D9 S9 H2"), None, RULES, Rank.TWO)


@pytest.mark.parametrize(
    ("text", "declared", "level", "meaning"),
    [
        ("H7", "Single 7", "7", "H7"),
        ("D9 H2", "Pair 9", "2", "D9 H9"),
        ("S3 S4 S5 S6 H2", "StraightFlush 2", "2", "S3 S4 S5 S6 S2"),
        ("S3 S4 S5 S6 H2", "Straight 3", "2", "S3 S4 S5 S6 H7"),
        ("H3 H4 H5 H6 H2", "Straight 3", "2", "H3 H4 H5 H6 S7"),
        ("H5 H6 H7 H7 H9", "StraightFlush 5", "7", "H5 H6 H7 H8 H9"),
        ("SA D2 H9 H9 S5", "Straight A", "9", "SA D2 H3 H4 S5"),
        ("S9 D9 C9 H2 H2", "ThreeWithTwo 9", "2", "S9 D9 C9 H2 H2"),
        ("S9 D9 C9 H2 H2", "Bomb 9", "2", "S9 D9 C9 H9 H9"),
        ("S2 D2 C2 H2 H2", "ThreeWithTwo 2", "2", "S2 D2 C2 HA HA"),
        ("S9 H2 H2 SB SB", "ThreeWithTwo 9", "2", "S9 H9 H9 SB SB"),
        ("S7 D7 S8 D8 H2 H2", "ThreePair 6", "2", "S7 D7 S8 D8 H6 H6"),
        ("SB SB HR HR", None, "2", "SB SB HR HR"),
    ],
)
def test_every_card_shows_what_it_stands_for(text, declared, level, meaning):
    level = Rank.parse(level)
    combo = interpret(cards(text), parse_reading(declared) if declared else None, RULES, level)
    assert declared_cards(Play(combo, cards(text)), level) == cards(meaning)


@given(hands(max_size=11), levels, st.none() | st.sampled_from(ALL_COMBOS).map(lambda c: Reading(c.kind, c.rank)))
@settings(max_examples=300, deadline=None)
def test_any_cards_are_read_or_refused_with_a_reason(hand, level, declared):
    found = {(combo.kind, combo.rank): combo for combo in readings(tuple(hand), RULES, level)}
    wanted = declared or (Reading(*next(iter(found))) if len(found) == 1 else None)
    if wanted and (wanted.kind, wanted.rank) in found and len(hand) <= 10:
        assert interpret(tuple(hand), declared, RULES, level) is found[wanted.kind, wanted.rank]
    else:
        with pytest.raises(IllegalAction) as refused:
            interpret(tuple(hand), declared, RULES, level)
        assert refused.value.code
        assert refused.value.reason


@given(rich_hands(max_size=10))
@settings(max_examples=150, deadline=None)
def test_kind_and_rank_name_one_reading(drawn):
    hand, level = drawn
    found = readings(tuple(hand), RULES, level)
    assert len({(combo.kind, combo.rank) for combo in found}) == len(found)
