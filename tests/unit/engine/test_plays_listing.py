"""The list of legal plays: its order, its limits, small cases others got wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guandan_engine.cards import Hand, Rank
from guandan_engine.combos import ALL_COMBOS, Combo, Kind
from guandan_engine.kernel import strength
from guandan_engine.notation import combo_text, parse_combo
from guandan_engine.plays import legal_plays
from guandan_engine.rules import load
from tests.bench.plain_plays import plain_plays
from tests.brute_force import all_combos, followers
from tests.strategies import hands, levels, rich_hands

RULES = load("standard")


def plays(hand: str, to_beat: str | None = None, level: str = "2") -> list[str]:
    combo = parse_combo(to_beat) if to_beat else None
    return [combo_text(play) for play in legal_plays(Hand.parse(hand), combo, RULES, Rank.parse(level))]


def test_an_empty_hand_has_no_plays():
    assert legal_plays(Hand(), None, RULES, Rank.TWO) == []


def test_plays_are_listed_by_kind_size_wilds_and_strength():
    assert plays("H2 S3 S3 D3 SA") == [
        "Single 3", "Single A", "Single 2 *1",
        "Pair 3", "Pair 3 *1", "Pair A *1",
        "Trips 3", "Trips 3 *1",
        "ThreeWithTwo 3+A *1",
        "Bomb 3 x4 *1",
    ]  # fmt: skip


@given(hands(), levels)
@settings(max_examples=100, deadline=None)
def test_the_order_is_kind_size_wilds_strength_and_plays_are_interned(hand, level):
    listed = legal_plays(hand, None, RULES, level)
    assert len(set(listed)) == len(listed)
    keys = [(play.kind, play.size, play.wilds, strength(play, RULES, level)) for play in listed]
    assert keys == sorted(keys)
    interned = {combo: combo for combo in ALL_COMBOS}
    assert all(interned[play] is play for play in listed)


@given(rich_hands(max_size=7), st.sampled_from(ALL_COMBOS))
@settings(max_examples=150, deadline=None)
def test_plays_are_those_of_the_brute_force(drawn, to_beat):
    hand, level = drawn
    everything = all_combos(tuple(hand), level, RULES)
    assert set(legal_plays(hand, None, RULES, level)) == everything
    if to_beat in everything:
        assert set(legal_plays(hand, to_beat, RULES, level)) == followers(everything, to_beat, level, RULES)


@given(hands(min_size=20), levels, st.sampled_from(ALL_COMBOS))
@settings(max_examples=150, deadline=None)
def test_following_lists_the_leading_plays_that_beat(hand, level, to_beat):
    leading = legal_plays(hand, None, RULES, level)
    beating = followers(leading, to_beat, level, RULES)
    assert legal_plays(hand, to_beat, RULES, level) == [play for play in leading if play in beating]


@pytest.mark.parametrize(
    ("hand", "to_beat", "level", "found"),
    [
        ("SB SB HR HR", "Bomb 8 x7", "2", ["JokerBomb HR"]),
        ("H3 H4 H5 H6 H7", "StraightFlush 3/S", "2", []),
        ("S5 D5 C5 S6 D6 C6", "TwoTrips K", "5", []),
        ("S9 D9 C9 H9", "Bomb 4 x4", "2", ["Bomb 9 x4"]),
        ("S8 S8 C8 C8 D8 D8 H8", "JokerBomb HR", "2", []),
        ("S5 D6 C7 S8 D9", "Straight 4", "5", ["Straight 5"]),
    ],
)
def test_following_small_cases_others_got_wrong(hand, to_beat, level, found):
    assert plays(hand, to_beat, level) == found


@pytest.mark.parametrize(
    ("hand", "level", "combo"),
    [
        ("SA DA SK DK S2 D2 S3 D3", "9", "ThreePair A"),
        ("SA DA CA S2 D2 C2", "9", "TwoTrips A"),
        ("S9 D9 C9 SB SB", "2", "ThreeWithTwo 9+SB"),
        ("S9 S9 H9 H9 C9 C9 D9 D9 H2 H2", "2", "Bomb 9 x10 *2"),
        ("S3 D4 C5 S6 D7", "5", "Straight 3"),
        ("D5 D6 D8 D9 H2", "2", "StraightFlush 5/D *1"),
        ("D5 D6 D8 D9 H2", "2", "Straight 5 *1"),
    ],
)
def test_leading_small_cases_others_got_wrong(hand, level, combo):
    assert combo in plays(hand, level=level)


@pytest.mark.parametrize("largest", [8, 9, 10])
def test_no_bomb_is_larger_than_the_rule_set_allows(largest):
    rules = replace(RULES, max_bomb=largest)
    hand = Hand.parse("S9 S9 H9 H9 C9 C9 D9 D9 H2 H2")
    found = legal_plays(hand, None, rules, Rank.TWO)
    assert set(found) == all_combos(tuple(hand), Rank.TWO, rules)
    assert max(play.size for play in found) == largest


def test_a_made_up_play_to_beat_of_another_kind_gets_bombs_only():
    tube = Combo(Kind.THREE_PAIR, Rank.ACE, 6)
    assert [play.kind for play in legal_plays(Hand.parse("S9 D9 C9 H9 SA"), tube, RULES, Rank.TWO)] == [Kind.BOMB]


@given(hands(), levels)
@settings(max_examples=60, deadline=None)
def test_the_plain_way_of_the_bench_lists_the_same_plays(hand, level):
    listed = plain_plays(hand, level)
    assert len(listed) == len(set(listed))
    assert set(listed) == set(legal_plays(hand, None, RULES, level))
