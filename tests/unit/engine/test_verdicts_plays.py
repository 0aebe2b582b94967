"""The worked verdicts V1 to V25 on combinations, readings and comparing, each under every preset it speaks of."""

from __future__ import annotations

import pytest

from guandan_engine.cards import Card, Hand, Rank, Suit
from guandan_engine.combos import Combo, Kind, Reading, combo
from guandan_engine.errors import IllegalAction
from guandan_engine.notation import parse_reading
from guandan_engine.plays import beats, interpret, legal_plays, readings
from guandan_engine.rules import RuleSet, load, presets

NO_WILD_FLUSH = {"digest_004", "digest_004_strict"}
NO_WILD_STRAIGHT_OR_BOMB = {"digest_004_strict"}
LOW = {"anhui_shangmao", "canmou_tournament"}
HIGH = {"huaian_2017"}
EIGHT_AT_MOST = {"elim40_531", "anhui_jianzhu_2017", "library_shift3", "level_penalty"}


class Table:
    """What the verdicts ask of one rule set, at level 2 unless they say otherwise."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.name = rules.name

    def read(self, text: str, level: str = "2", declared: str | None = None, hand: str | None = None) -> Combo:
        reading = parse_reading(declared) if declared else None
        held = None if hand is None else Hand.parse(hand)
        return interpret(cards(text), reading, self.rules, Rank.parse(level), hand=held)

    def refused(self, text: str, level: str = "2", declared: str | None = None, hand: str | None = None) -> str:
        with pytest.raises(IllegalAction) as caught:
            self.read(text, level, declared, hand)
        return caught.value.code

    def can_be(self, text: str, level: str = "2") -> set[str]:
        return {f"{found.kind} {found.rank}" for found in readings(cards(text), self.rules, Rank.parse(level))}

    def laid_on(self, above: Combo, below: Combo, level: str = "2", hand: str | None = None) -> bool:
        """Whether the first beats the second; where a hand is given the listing must say so too."""
        found = beats(above, below, self.rules, Rank.parse(level))
        if hand is not None:
            following = legal_plays(Hand.parse(hand), below, self.rules, Rank.parse(level))
            assert (above in following) is found
        return found

    def plays(self, text: str, below: str, level: str = "2") -> bool:
        """Whether cards beat other cards, both with one reading."""
        return self.laid_on(self.read(text, level), self.read(below, level), level, hand=text)


@pytest.fixture(params=presets())
def table(request: pytest.FixtureRequest) -> Table:
    return Table(load(request.param))


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card.parse, text.split()))


def test_v1_level_card_beats_ace_and_small_joker_beats_level_card(table):
    assert table.plays("S7", "SA", "7")
    assert table.plays("SB", "S7", "7")


def test_v2_wild_and_level_card_are_equal(table):
    assert not table.plays("H7", "S7", "7")


def test_v3_a_wild_is_led_alone_as_the_level_card_or_only_when_nothing_else_is_left(table):
    level, hand = Rank.SEVEN, Hand.parse("H7 S9 D9")
    led = any(one.kind is Kind.SINGLE and one.wilds for one in legal_plays(hand, None, table.rules, level))
    assert led is (table.name not in NO_WILD_FLUSH)
    if table.name in NO_WILD_FLUSH:
        assert table.refused("H7", "7", hand="H7 S9 D9") == "wild_alone"
    last = table.read("H7", "7", hand="H7")
    assert (last.kind, last.rank) == (Kind.SINGLE, Rank.SEVEN)
    assert last in legal_plays(Hand.parse("H7"), None, table.rules, level)


def test_v3_both_wilds_alone_are_a_pair_of_level_cards_when_they_are_the_last(table):
    assert table.read("H7 H7", "7", hand="H7 H7").kind is Kind.PAIR
    if table.name in NO_WILD_FLUSH:
        assert table.refused("H7 H7", "7", hand="H7 H7 S3") == "wild_alone"


def test_v4_mixed_jokers_and_a_joker_with_a_wild_are_no_pairs(table):
    assert table.refused("SB HR") == "not_a_combo"
    assert table.refused("H7 SB", "7") == "not_a_combo"


def test_v5_a_pair_of_small_jokers_beats_a_level_pair(table):
    assert table.plays("SB SB", "S7 D7", "7")


def test_v6_the_ace_low_straight_is_the_lowest(table):
    lowest = table.read("SA D2 C3 S4 D5", "9")
    assert (lowest.kind, lowest.rank) == (Kind.STRAIGHT, Rank.ACE)
    assert table.plays("S2 D3 C4 S5 D6", "SA D2 C3 S4 D5", "9")


@pytest.mark.parametrize("text", ["SJ DQ SK CA D2", "SK DA C2 S3 D4"], ids=["v7", "v8"])
def test_v7_v8_no_straight_goes_on_past_the_ace(table, text):
    assert table.refused(text) == "not_a_combo"


def test_v9_three_pairs_reach_from_aa2233_to_qqkkaa(table):
    lowest, highest = table.read("SA DA S2 D2 S3 D3"), table.read("SQ DQ SK DK SA DA")
    assert table.refused("SK DK SA DA S2 D2") == "not_a_combo"
    assert lowest.rank is Rank.ACE
    tubes = [combo(Kind.THREE_PAIR, rank) for rank in (*tuple(Rank)[:11], Rank.ACE)]
    assert all(table.laid_on(tube, lowest) for tube in tubes if tube is not lowest)
    assert all(table.laid_on(highest, tube) for tube in tubes if tube is not highest)


def test_v10_a_level_card_stands_in_a_straight_at_its_natural_rank(table):
    assert table.plays("S8 D9 CT SJ DQ", "S7 D8 C9 ST DJ", "T")
    assert not table.plays("S7 D8 C9 ST DJ", "S8 D9 CT SJ DQ", "T")


def test_v11_the_level_card_is_not_skipped_in_a_straight(table):
    assert table.refused("S9 DJ CQ SK DA", "T") == "not_a_combo"


def test_v12_a_straight_completed_by_a_wild(table):
    text, below = "H2 S4 D5 C6 S7", table.read("S3 D4 C5 S6 D7")
    if table.name in NO_WILD_STRAIGHT_OR_BOMB:
        assert table.refused(text) == "not_a_combo"
        return
    assert table.can_be(text) == {"Straight 3", "Straight 4"}
    assert table.laid_on(table.read(text, declared="Straight 4"), below, hand=text)
    assert not table.laid_on(table.read(text, declared="Straight 3"), below, hand=text)
    if table.name in LOW:
        assert not table.laid_on(table.read(text), below)
    elif table.name in HIGH:
        assert table.read(text).rank is Rank.FOUR
    else:
        assert table.refused(text) == "reading_ambiguous"


def test_v13_two_pairs_with_a_wild(table):
    text = "SK DK S6 D6 H2"
    assert table.can_be(text) == {"ThreeWithTwo K", "ThreeWithTwo 6"}
    if table.name in LOW:
        assert table.read(text).rank is Rank.SIX
    elif table.name in HIGH:
        assert table.read(text).rank is Rank.KING
    else:
        assert table.refused(text) == "reading_ambiguous"


def test_v14_two_pairs_with_two_wilds_must_be_declared_since_kinds_differ(table):
    assert table.refused("S7 D7 S8 D8 H2 H2") == "reading_ambiguous"
    assert table.can_be("S7 D7 S8 D8 H2 H2") == {"ThreePair 6", "ThreePair 7", "TwoTrips 7"}


def test_v15_a_full_house_may_hold_like_jokers_but_not_mixed_ones(table):
    assert table.read("S9 D9 C9 SB SB").pair is Rank.SMALL_JOKER
    assert table.refused("S9 D9 C9 SB HR") == "not_a_combo"


def test_v16_the_pair_of_a_full_house_does_not_count(table):
    assert not table.plays("S6 D6 C6 S4 D4", "S6 D6 C6 S3 D3")
    assert not table.plays("S6 D6 C6 S3 D3", "S6 D6 C6 S4 D4")


def test_v17_three_nines_and_two_wilds_are_a_bomb_or_a_full_house(table):
    text, below = "S9 D9 C9 H2 H2", table.read("SA DA CA S3 D3")
    assert not table.laid_on(table.read(text, declared="ThreeWithTwo 9"), below, hand=text)
    if table.name in NO_WILD_STRAIGHT_OR_BOMB:
        assert table.can_be(text) == {"ThreeWithTwo 9"}
        return
    assert table.can_be(text) == {"Bomb 9", "ThreeWithTwo 9"}
    assert table.laid_on(table.read(text, declared="Bomb 9"), below, hand=text)


def test_v18_eight_nines_and_two_wilds_are_a_bomb_of_ten_where_the_cap_allows(table):
    text = "S9 S9 H9 H9 C9 C9 D9 D9 H2 H2"
    if table.name in EIGHT_AT_MOST | NO_WILD_STRAIGHT_OR_BOMB:
        assert table.refused(text) == "not_a_combo"
    else:
        assert table.read(text) is combo(Kind.BOMB, Rank.NINE, size=10, wilds=2)


def test_v19_the_four_jokers_beat_a_bomb_of_ten(table):
    jokers, ten = table.read("SB SB HR HR"), combo(Kind.BOMB, Rank.NINE, size=10, wilds=2)
    assert table.laid_on(jokers, ten, hand="SB SB HR HR")
    assert not table.laid_on(ten, jokers)
    assert table.plays("SB SB HR HR", "S8 S8 H8 H8 C8 C8 D8")


def test_v20_straight_flushes_stand_between_bombs_of_five_and_six(table):
    assert table.plays("SA S2 S3 S4 S5", "S2 S2 C2 C2 D2")
    assert table.plays("S3 S3 H3 H3 C3 C3", "ST SJ SQ SK SA")


def test_v21_straight_flushes_of_equal_ranks_are_equal_unless_hearts_are_greatest(table):
    hearts, spades = "H3 H4 H5 H6 H7", "S3 S4 S5 S6 S7"
    assert table.plays(hearts, spades) is (table.name in NO_WILD_FLUSH)
    assert not table.plays(spades, hearts)
    assert not table.plays(spades, "D3 D4 D5 D6 D7")
    assert not table.plays(hearts, "S4 S5 S6 S7 S8")


def test_v22_a_wild_completes_a_straight_flush_where_it_may(table):
    text = "S3 S4 S5 S6 H2"
    if table.name in NO_WILD_FLUSH:
        assert table.refused(text, declared="StraightFlush 3") in ("reading_impossible", "not_a_combo")
    else:
        flush = table.read(text, declared="StraightFlush 3")
        assert (flush.suit, flush.wilds) == (Suit.SPADES, 1)
    if table.name in NO_WILD_STRAIGHT_OR_BOMB:
        assert table.can_be(text) == set()
    else:
        assert table.read(text, declared="Straight 3").kind is Kind.STRAIGHT


def test_v23_more_cards_beat_rank_and_level_bombs_beat_aces(table):
    assert table.plays("S4 S4 H4 H4 C4", "SA HA CA DA")
    assert not table.plays("SK HK CK DK", "S2 S2 C2 D2")


def test_v24_aaa222_is_the_lowest_plate(table):
    assert table.read("SA DA CA S2 D2 C2").rank is Rank.ACE
    assert table.plays("S3 D3 C3 S4 D4 C4", "SA DA CA S2 D2 C2")


@pytest.mark.parametrize(
    "text", ["S3 D4 C5 S6 D7 C8", "S3 D3 S4 D4", "S3 D3 C3 S4 D4 C4 S5 D5 C5"], ids=["six", "two pairs", "three trips"]
)
def test_v25_runs_of_other_lengths_are_nothing(table, text):
    assert table.refused(text) == "not_a_combo"


def test_v25_different_kinds_do_not_beat_each_other(table):
    tube, plate, straight = "S3 D3 S4 D4 S5 D5", "S9 D9 C9 ST DT CT", "S9 DT CJ SQ DK"
    for above, below in ((tube, plate), (plate, tube), (straight, tube), (tube, straight)):
        assert not table.plays(above, below)


def test_a_wild_at_its_own_place_makes_a_plain_straight_and_the_flush_where_it_may(table):
    expected = {"StraightFlush 5", "Straight 5"}
    if table.name in NO_WILD_FLUSH:
        expected -= {"StraightFlush 5"}
    if table.name in NO_WILD_STRAIGHT_OR_BOMB:
        expected -= {"Straight 5"}
    assert table.can_be("H5 H6 H7 H8 H9", "7") == expected
    assert table.can_be("H5 H6 H7 H8 H9", "2") == {"StraightFlush 5"}


def test_three_level_cards_with_both_wilds_are_a_bomb_and_a_full_house(table):
    full_house = interpret(cards("S2 D2 C2 H2 H2"), Reading(Kind.THREE_WITH_TWO, Rank.TWO), table.rules, Rank.TWO)
    assert full_house.pair is Rank.ACE
    bomb = set() if table.name in NO_WILD_STRAIGHT_OR_BOMB else {"Bomb 2"}
    assert table.can_be("S2 D2 C2 H2 H2") == bomb | {"ThreeWithTwo 2"}


@pytest.mark.parametrize(
    ("text", "hint"),
    [("S9 D9 H2 SB SB", "do not stand in one play"), ("S3 S4 S5 S6 H2", "wild cards do not join every kind")],
)
def test_the_strict_digest_says_why_wilds_may_not_join(text, hint):
    with pytest.raises(IllegalAction, match=hint):
        Table(load("digest_004_strict")).read(text)
