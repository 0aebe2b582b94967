"""The worked verdicts V1 to V25 on combinations, readings and comparing, as the rule set ``standard`` decides them."""

from __future__ import annotations

import pytest

from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.combos import Combo, Kind, Reading
from guandan_engine.errors import IllegalAction
from guandan_engine.notation import parse_reading
from guandan_engine.plays import beats, interpret, legal_plays, readings
from guandan_engine.rules import load

RULES = load("standard")


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card.parse, text.split()))


def read(text: str, level: str = "2", declared: str | None = None) -> Combo:
    return interpret(cards(text), parse_reading(declared) if declared else None, RULES, Rank.parse(level))


def refused(text: str, level: str = "2", declared: str | None = None) -> str:
    with pytest.raises(IllegalAction) as caught:
        read(text, level, declared)
    return caught.value.code


def can_be(text: str, level: str = "2") -> set[str]:
    return {f"{combo.kind} {combo.rank}" for combo in readings(cards(text), RULES, Rank.parse(level))}


def laid_on(above: Combo, below: Combo, level: str = "2") -> bool:
    """Whether the first beats the second; both the comparison and the listing must say so."""
    return beats(above, below, RULES, Rank.parse(level))


def test_v1_level_card_beats_ace_and_small_joker_beats_level_card():
    assert laid_on(read("S7", "7"), read("SA", "7"), "7")
    assert laid_on(read("SB", "7"), read("S7", "7"), "7")


def test_v2_wild_and_level_card_are_equal():
    assert not laid_on(read("H7", "7"), read("S7", "7"), "7")


def test_v3_a_wild_may_be_led_alone_as_the_level_card():
    assert (read("H7", "7").kind, read("H7", "7").rank) == (Kind.SINGLE, Rank.SEVEN)
    assert any(combo.wilds for combo in legal_plays(Hand.parse("H7 S9 D9"), None, RULES, Rank.SEVEN))


def test_v4_mixed_jokers_and_a_joker_with_a_wild_are_no_pairs():
    assert refused("SB HR") == "not_a_combo"
    assert refused("H7 SB", "7") == "not_a_combo"


def test_v5_a_pair_of_small_jokers_beats_a_level_pair():
    assert laid_on(read("SB SB", "7"), read("S7 D7", "7"), "7")


def test_v6_the_ace_low_straight_is_the_lowest():
    lowest = read("SA D2 C3 S4 D5", "9")
    assert (lowest.kind, lowest.rank) == (Kind.STRAIGHT, Rank.ACE)
    assert laid_on(read("S2 D3 C4 S5 D6", "9"), lowest, "9")


@pytest.mark.parametrize("text", ["SJ DQ SK CA D2", "SK DA C2 S3 D4"], ids=["v7", "v8"])
def test_v7_v8_no_straight_goes_on_past_the_ace(text):
    assert refused(text) == "not_a_combo"


def test_v9_three_pairs_reach_from_aa2233_to_qqkkaa():
    lowest, highest = read("SA DA S2 D2 S3 D3"), read("SQ DQ SK DK SA DA")
    assert refused("SK DK SA DA S2 D2") == "not_a_combo"
    assert lowest.rank is Rank.ACE
    assert laid_on(read("S2 D2 S3 D3 S4 D4"), lowest)
    assert laid_on(highest, read("SJ DJ SQ DQ SK DK"))


def test_v10_a_level_card_stands_in_a_straight_at_its_natural_rank():
    lower, higher = read("S7 D8 C9 ST DJ", "T"), read("S8 D9 CT SJ DQ", "T")
    assert laid_on(higher, lower, "T")
    assert not laid_on(lower, higher, "T")


def test_v11_the_level_card_is_not_skipped_in_a_straight():
    assert refused("S9 DJ CQ SK DA", "T") == "not_a_combo"


def test_v12_a_straight_completed_by_a_wild_needs_its_reading():
    below = read("S3 D4 C5 S6 D7")
    assert refused("H2 S4 D5 C6 S7") == "reading_ambiguous"
    assert can_be("H2 S4 D5 C6 S7") == {"Straight 3", "Straight 4"}
    assert laid_on(read("H2 S4 D5 C6 S7", declared="Straight 4"), below)
    assert not laid_on(read("H2 S4 D5 C6 S7", declared="Straight 3"), below)


def test_v13_two_pairs_with_a_wild_need_their_reading():
    assert refused("SK DK S6 D6 H2") == "reading_ambiguous"
    assert can_be("SK DK S6 D6 H2") == {"ThreeWithTwo K", "ThreeWithTwo 6"}


def test_v14_two_pairs_with_two_wilds_are_tubes_or_a_plate():
    assert refused("S7 D7 S8 D8 H2 H2") == "reading_ambiguous"
    assert can_be("S7 D7 S8 D8 H2 H2") == {"ThreePair 6", "ThreePair 7", "TwoTrips 7"}


def test_v15_a_full_house_may_hold_like_jokers_but_not_mixed_ones():
    assert read("S9 D9 C9 SB SB").pair is Rank.SMALL_JOKER
    assert refused("S9 D9 C9 SB HR") == "not_a_combo"


def test_v16_the_pair_of_a_full_house_does_not_count():
    above, below = read("S6 D6 C6 S4 D4"), read("S6 D6 C6 S3 D3")
    assert not laid_on(above, below)
    assert not laid_on(below, above)


def test_v17_three_nines_and_two_wilds_are_a_bomb_or_a_full_house():
    below = read("SA DA CA S3 D3")
    assert can_be("S9 D9 C9 H2 H2") == {"Bomb 9", "ThreeWithTwo 9"}
    assert laid_on(read("S9 D9 C9 H2 H2", declared="Bomb 9"), below)
    assert not laid_on(read("S9 D9 C9 H2 H2", declared="ThreeWithTwo 9"), below)


def test_v18_eight_nines_and_two_wilds_are_a_bomb_of_ten():
    ten = read("S9 S9 H9 H9 C9 C9 D9 D9 H2 H2")
    assert (ten.kind, ten.size, ten.wilds) == (Kind.BOMB, 10, 2)


def test_v19_the_four_jokers_beat_a_bomb_of_ten():
    jokers, ten = read("SB SB HR HR"), read("S9 S9 H9 H9 C9 C9 D9 D9 H2 H2")
    assert laid_on(jokers, ten)
    assert not laid_on(ten, jokers)


def test_v20_straight_flushes_stand_between_bombs_of_five_and_six():
    assert laid_on(read("SA S2 S3 S4 S5"), read("S2 S2 C2 C2 D2"))
    assert laid_on(read("S3 S3 H3 H3 C3 C3"), read("ST SJ SQ SK SA"))


def test_v21_straight_flushes_of_equal_ranks_are_equal():
    hearts, spades = read("H3 H4 H5 H6 H7"), read("S3 S4 S5 S6 S7")
    assert not laid_on(hearts, spades)
    assert not laid_on(spades, hearts)


def test_v22_a_wild_completes_a_straight_flush():
    flush = read("S3 S4 S5 S6 H2", declared="StraightFlush 3")
    assert (flush.suit, flush.wilds) == (cards("S3")[0].suit, 1)
    assert can_be("S3 S4 S5 S6 H2") == {"Straight 2", "Straight 3", "StraightFlush 2", "StraightFlush 3"}


def test_v23_more_cards_beat_rank_and_level_bombs_beat_aces():
    assert laid_on(read("S4 S4 H4 H4 C4"), read("SA HA CA DA"))
    assert not laid_on(read("SK HK CK DK"), read("S2 S2 C2 D2"))


def test_v24_aaa222_is_the_lowest_plate():
    lowest = read("SA DA CA S2 D2 C2")
    assert lowest.rank is Rank.ACE
    assert laid_on(read("S3 D3 C3 S4 D4 C4"), lowest)


@pytest.mark.parametrize(
    "text", ["S3 D4 C5 S6 D7 C8", "S3 D3 S4 D4", "S3 D3 C3 S4 D4 C4 S5 D5 C5"], ids=["six", "two pairs", "three trips"]
)
def test_v25_runs_of_other_lengths_are_nothing(text):
    assert refused(text) == "not_a_combo"


def test_v25_different_kinds_do_not_beat_each_other():
    tube, plate = read("S3 D3 S4 D4 S5 D5"), read("S9 D9 C9 ST DT CT")
    assert not laid_on(tube, plate)
    assert not laid_on(plate, tube)
    assert not laid_on(read("S9 DT CJ SQ DK"), tube)


def test_a_wild_at_its_own_place_makes_a_straight_flush_and_a_plain_straight():
    assert can_be("H5 H6 H7 H8 H9", "7") == {"StraightFlush 5", "Straight 5"}
    assert can_be("H5 H6 H7 H8 H9", "2") == {"StraightFlush 5"}


def test_three_level_cards_with_both_wilds_are_a_bomb_and_a_full_house():
    assert can_be("S2 D2 C2 H2 H2") == {"Bomb 2", "ThreeWithTwo 2"}
    assert interpret(cards("S2 D2 C2 H2 H2"), Reading(Kind.THREE_WITH_TWO, Rank.TWO), RULES, Rank.TWO).pair is Rank.ACE
