"""The closed set of interned combos."""

from __future__ import annotations

import pytest

from guandan_engine.cards import Rank
from guandan_engine.combos import ALL_COMBOS, Kind, combo
from guandan_engine.errors import EngineError, MalformedText


def test_equal_combos_are_one_object():
    assert combo(Kind.BOMB, Rank.NINE, size=6, wilds=1) is combo(Kind.BOMB, Rank.NINE, size=6, wilds=1)


def test_every_combo_is_listed_once():
    assert len(ALL_COMBOS) == len(set(ALL_COMBOS)) == 1114


@pytest.mark.parametrize(
    "wanted",
    [
        {"kind": Kind.BOMB, "rank": Rank.NINE, "size": 9},
        {"kind": Kind.BOMB, "rank": Rank.SMALL_JOKER, "size": 4},
        {"kind": Kind.BOMB, "rank": Rank.NINE},
        {"kind": Kind.STRAIGHT, "rank": Rank.SMALL_JOKER},
        {"kind": Kind.THREE_WITH_TWO, "rank": Rank.NINE},
        {"kind": Kind.THREE_WITH_TWO, "rank": Rank.NINE, "pair": Rank.NINE, "wilds": 2},
        {"kind": Kind.STRAIGHT_FLUSH, "rank": Rank.NINE},
        {"kind": Kind.SINGLE, "rank": Rank.BIG_JOKER, "wilds": 1},
    ],
)
def test_what_no_cards_make_is_refused(wanted):
    with pytest.raises(EngineError, match="no cards make"):
        combo(**wanted)


@pytest.mark.parametrize("kind", Kind)
def test_kinds_are_written_and_read_by_their_field_names(kind):
    assert Kind.parse(str(kind)) is kind


def test_an_unknown_kind_is_refused_with_the_names_there_are():
    with pytest.raises(MalformedText, match="kinds are Single, Pair, Trips"):
        Kind.parse("FullHouse")
