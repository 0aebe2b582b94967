"""Planned playouts: no card is lost in a split, lines end as deals end, and won positions are seen to be won."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from guandan_engine.board import Hands
from guandan_engine.cards import DECK, Hand, Rank
from guandan_engine.combos import Kind, combo
from guandan_engine.kernel.planned import Line, planned_gain
from guandan_engine.kernel.prices import BOMB, KINDS, LEFT, Prices, laid_as
from guandan_engine.kernel.splitting import CODE, CODE_BITS, Splitter
from guandan_engine.plays import beats
from guandan_engine.promotion import worth
from guandan_engine.rules import load
from tests.strategies import rich_hand

STANDARD = load("standard")
SIZES = {1: 1, 2: 2, 3: 3, 4: 6, 6: 6, 7: 5}
ON_THE_LEAD = [0, -1, 0, 0, 0, 0, 0, 0]


def prices(level: Rank = Rank.TWO, preset: str = "standard") -> Prices:
    """Costs that make every run and bomb worth planning."""
    groups = [[0.0, 1.0, 0.9, 0.8, *(0.0,) * 7] for _ in range(15)]
    return Prices(level, load(preset), groups, [[0.5] * 15] * 4)


def hands_of(texts: tuple[str, str, str, str]) -> Hands:
    a, b, c, d = map(Hand.parse, texts)
    return (a, b, c, d)


def gain(texts: tuple[str, str, str, str], start: list[int], side: int = 0) -> int:
    table = prices()
    line, splitter = Line(table), Splitter(table)
    line.stand(start, [27] * 4)
    return planned_gain(line, line.start(), [splitter.split(h.ones, h.twos) for h in hands_of(texts)], side)


@pytest.mark.parametrize("preset", ["standard", "digest_004", "library_shift3"])
def test_a_split_uses_every_card_once(preset: str) -> None:
    rng = random.Random(4)
    for _ in range(300):
        level = Rank(rng.randrange(13))
        table = prices(level, preset)
        hand = rich_hand(rng, level, rng.randrange(2, 21), rng.randrange(3))
        words = list(Splitter(table).split(hand.ones, hand.twos))
        planned = sum(size * int(words[kind]).bit_count() for kind, size in SIZES.items())
        packed = int(words[BOMB])
        while packed:
            planned += table.bomb_size(packed & CODE)
            packed >>= CODE_BITS
        assert planned == words[LEFT] == len(hand) == sum(words[KINDS:])


def test_lines_from_whole_deals_end_with_what_a_deal_can_gain() -> None:
    rng, table = random.Random(8), prices()
    line, splitter = Line(table), Splitter(table)
    line.stand(ON_THE_LEAD, [27] * 4)
    start, gains = line.start(), set()
    for _ in range(200):
        deck = list(DECK)
        rng.shuffle(deck)
        hands = [Hand.of(deck[first : first + 27]) for first in range(0, 108, 27)]
        split = [splitter.split(hand.ones, hand.twos) for hand in hands]
        before = [list(words) for words in split]
        found = planned_gain(line, start, split, 0)
        assert found == planned_gain(line, start, split, 0) == -planned_gain(line, start, split, 1)
        assert [list(words) for words in split] == before
        gains.add(found)
    assert gains == {-3, -2, -1, 1, 2, 3}


def test_a_position_that_is_won_on_the_spot_is_worth_the_whole_gain() -> None:
    assert gain(("S3", "H4 H5", "", "C7 C8"), [0, -1, 0, 0, 0, 0b0100, 2, 1]) == 3
    assert gain(("", "H4 H5", "S9", "C7 C8"), [2, -1, 0, 0, 0, 0b0001, 0, 1]) == 3


def test_an_opponent_with_one_card_is_not_led_a_low_single() -> None:
    assert gain(("S3 S9 H9", "HA", "S6 H6 D7", "CK CQ"), ON_THE_LEAD) > 0


def test_places_of_plays_are_in_the_order_in_which_they_beat() -> None:
    bombs = [
        combo(Kind.BOMB, Rank.THREE, size=4),
        combo(Kind.BOMB, Rank.TWO, size=5),
        combo(Kind.STRAIGHT_FLUSH, Rank.ACE, suit=0),
        combo(Kind.BOMB, Rank.THREE, size=6),
        combo(Kind.JOKER_BOMB, Rank.BIG_JOKER),
    ]
    for level in (Rank.TWO, Rank.THREE):
        codes = [laid_as(one, STANDARD, level) for one in bombs]
        assert [kind for kind, _ in codes] == [BOMB] * len(bombs)
        assert codes == sorted(codes)
        for a, b in pairwise(bombs):
            assert beats(b, a, STANDARD, level)


@pytest.mark.parametrize(
    ("order", "points"), [((0, 2, 1, 3), 3), ((0, 1, 2, 3), 2), ((0, 1, 3, 2), 1), ((1, 0, 2, 3), -1)]
)
def test_an_order_is_worth_what_the_first_gains_by_its_partners_place(order: tuple[int, ...], points: int) -> None:
    assert worth(order, 0, STANDARD) == points == -worth(order, 1, STANDARD)
