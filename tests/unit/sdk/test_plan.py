"""The planner's split of a hand uses every card once and finds the few plays a person would."""

from __future__ import annotations

import random

import pytest

from guandan_engine.cards import DECK, Hand, Rank
from guandan_engine.combos import Combo, Kind
from guandan_engine.plays import cards_of
from guandan_sdk.bots.odds import Odds, unseen_cards
from guandan_sdk.bots.plan import split


def plan(text: str, level: Rank = Rank.TWO) -> list[tuple[Kind, str]]:
    hand = Hand.parse(text)
    costs = Odds(unseen_cards(list(hand), []), level, 2 / 3).costs()
    return sorted((play.kind, str(play.rank)) for play in split(hand, level, costs).plays)


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("S3 D4 C5 S6 D7", [(Kind.STRAIGHT, "3")]),
        ("S3 S4 S5 S6 S7", [(Kind.STRAIGHT_FLUSH, "3")]),
        ("S3 S4 H2 S6 S7", [(Kind.STRAIGHT_FLUSH, "3")]),
        ("S9 H9 C9 S4 H4", [(Kind.THREE_WITH_TWO, "9")]),
        ("S9 H9 C9 H2", [(Kind.BOMB, "9")]),
        ("SA DA S2 D2 S3 D3", [(Kind.THREE_PAIR, "A")]),
        ("SB SB HR HR S3", [(Kind.SINGLE, "3"), (Kind.JOKER_BOMB, "HR")]),
        ("S5 H5 C5 D6 S6 H6", [(Kind.TWO_TRIPS, "5")]),
        ("H2", [(Kind.SINGLE, "2")]),
    ],
)
def test_a_hand_is_split_as_a_person_would(hand: str, expected: list[tuple[Kind, str]]) -> None:
    assert plan(hand) == expected


def test_every_card_is_in_exactly_one_play_that_the_hand_can_make() -> None:
    chance = random.Random(5)
    for number in range(60):
        level = Rank(number % 13)
        hand = Hand.of(chance.sample(DECK, 27))
        rest = hand
        costs = Odds(unseen_cards(list(hand), []), level, 2 / 3).costs()
        flushes_first = sorted(split(hand, level, costs).plays, key=lambda play: play.kind is not Kind.STRAIGHT_FLUSH)
        for play in flushes_first:
            rest = rest.minus(Hand.of(cards_of(play, rest, level)))
        assert len(rest) == 0


def test_higher_plays_win_more_often_and_shown_cards_count() -> None:
    fresh = Odds(unseen_cards([], []), Rank.TWO, 2 / 3)
    nines, kings = (fresh.wins(Combo(Kind.PAIR, rank, 2)) for rank in (Rank.NINE, Rank.KING))
    assert nines < kings < 1
    jokers_gone = Odds(unseen_cards([], [*DECK[104:]]), Rank.TWO, 2 / 3)
    assert jokers_gone.wins(Combo(Kind.SINGLE, Rank.ACE, 1)) > fresh.wins(Combo(Kind.SINGLE, Rank.ACE, 1))
