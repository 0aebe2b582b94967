"""Tricks: passing, winning, finishing, and whose turn it is."""

from __future__ import annotations

import pytest

from guandan_engine.actions import Play
from guandan_engine.cards import Card, Rank
from guandan_engine.combos import Kind, combo
from guandan_engine.events import Finished, Passed, Played, TrickWon
from guandan_engine.trick import Trick, is_double_down, lay, next_active, places, step_aside
from tests.dealing import STANDARD

NINE = Play(combo(Kind.SINGLE, Rank.NINE), (Card.parse("S9"),))


def passes(trick, times, rules=STANDARD):
    for _ in range(times):
        trick, events = step_aside(trick, rules)
    return trick, events


def test_turn_goes_to_the_next_seat():
    trick, events = lay(Trick(3), NINE, left=5)
    assert events == (Played(3, NINE, 5),)
    assert (trick.turn, trick.owner, trick.to_beat) == (0, 3, NINE)


def test_three_passes_give_the_lead_back():
    trick, _ = lay(Trick(1), NINE, left=5)
    trick, events = passes(trick, 3)
    assert events == (Passed(0), TrickWon(1))
    assert trick == Trick(1)


def test_two_passes_do_not():
    trick, _ = lay(Trick(1), NINE, left=5)
    trick, events = passes(trick, 2)
    assert events == (Passed(3),)
    assert trick.turn == 0


def test_a_play_after_passes_needs_all_passes_again():
    trick, _ = lay(Trick(0), NINE, left=5)
    trick, _ = passes(trick, 2)
    trick, _ = lay(trick, NINE, left=5)
    trick, events = passes(trick, 2)
    assert events == (Passed(1),)
    trick, events = passes(trick, 1)
    assert events == (Passed(2), TrickWon(3))


def test_a_seat_that_is_out_is_passed_over():
    trick, _ = lay(Trick(0, finished=(1,)), NINE, left=5)
    assert trick.turn == 2
    trick, _ = passes(trick, 1)
    assert trick.turn == 3
    trick, events = passes(trick, 1)
    assert events == (Passed(3), TrickWon(0))


def test_a_finisher_gets_its_place():
    _, events = lay(Trick(2, finished=(1,)), NINE, left=0)
    assert events == (Played(2, NINE, 0), Finished(2, 2))


def test_a_finisher_that_is_passed_round_hands_the_lead_to_its_partner():
    trick, _ = lay(Trick(2, finished=(1,)), NINE, left=0)
    trick, events = passes(trick, 2)
    assert events == (Passed(0), TrickWon(0, jiefeng=True))
    assert trick.turn == 0


@pytest.mark.parametrize(
    ("finished", "over"),
    [((), False), ((0,), False), ((0, 2), True), ((1, 3), True), ((0, 1), False), ((0, 1, 2), True)],
)
def test_a_deal_is_decided_when_a_side_is_out(finished, over):
    assert Trick(0, finished=finished).over is over


@pytest.mark.parametrize(
    ("finished", "order"),
    [((0, 2), (0, 2, 1, 3)), ((3, 1), (3, 1, 0, 2)), ((2, 1, 0), (2, 1, 0, 3)), ((1, 2, 3), (1, 2, 3, 0))],
)
def test_open_places_go_in_play_order_after_the_first(finished, order):
    assert places(finished) == order
    assert is_double_down(order) is (len(finished) == 2)


def test_next_active_of_the_only_seat_left_is_itself():
    assert next_active(2, (0, 1, 3)) == 2
