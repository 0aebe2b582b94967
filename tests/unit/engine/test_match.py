"""Matches: climbing from 2, passing A, limits; boards and their two ways."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guandan_engine import match as matches
from guandan_engine.actions import Give, Lay
from guandan_engine.board import Board, entrant_of, points_of_a, side_of
from guandan_engine.cards import Card, Rank
from guandan_engine.conduct import action_of
from guandan_engine.dealing import Dealt
from guandan_engine.errors import EngineError
from guandan_engine.events import DealEnded, DealStarted, MatchEnd, MatchEnded
from guandan_engine.promotion import promote
from guandan_engine.rules import load
from tests.dealing import STANDARD, board_of, dealt, endgame
from tests.strategies import levels

A = Rank.ACE


def won_by_side_0(deal_levels, *, owner, limit=100, last_partner=False):
    """A match in which seat 0 is out and its partner (or an opponent) lays the card that decides the deal."""
    order = (0, 2, 1, 3) if owner == 0 else (1, 3, 0, 2)
    fields = {"levels": deal_levels, "level": deal_levels[owner], "order": order, "number": 7}
    if last_partner:
        deal = endgame(("", "", "S3", "SA"), turn=3, finished=(0, 1), **fields)
    else:
        deal = endgame(("", "S3", "SA", "S4"), turn=2, finished=(0,), **fields)
    match, events = matches.apply(matches.Match(deal, limit), deal.trick.turn, Lay((Card.parse("SA"),)), STANDARD)
    return match, events[-1]


def test_passing_the_ace_in_ones_own_deal_wins_the_match():
    match, end = won_by_side_0((A, Rank.FIVE), owner=0)
    assert end == MatchEnded(0, (3, 0), (A, Rank.FIVE), MatchEnd.PASSED_FINAL)
    assert match.ended is end
    assert not match.awaits_deal


def test_an_ace_with_the_partner_last_plays_on():
    match, end = won_by_side_0((A, Rank.FIVE), owner=0, last_partner=True)
    assert isinstance(end, DealEnded)
    assert match.awaits_deal


def test_the_other_sides_deal_does_not_pass_the_ace_but_the_next_is_ones_own():
    match, end = won_by_side_0((A, Rank.FIVE), owner=1)
    assert isinstance(end, DealEnded)
    match, _ = matches.next_deal(match, Dealt(dealt({0: "HR HR"})), STANDARD)
    assert (match.deal.level, match.deal.owner) == (A, 0)


def test_both_at_the_ace_and_out_of_deals_is_a_draw():
    _, end = won_by_side_0((A, A), owner=0, limit=7, last_partner=True)
    assert end == MatchEnded(None, (1, 0), (A, A), MatchEnd.DEAL_LIMIT)


def test_a_limit_of_no_deals_is_refused():
    with pytest.raises(EngineError, match="at least one"):
        matches.start(Dealt(dealt({})), STANDARD, deal_limit=0)


def test_no_deal_may_begin_before_the_last_has_ended():
    match, _ = matches.start(Dealt(dealt({})), STANDARD)
    with pytest.raises(EngineError, match="no deal is awaited"):
        matches.next_deal(match, Dealt(dealt({})), STANDARD)


def test_a_first_deal_is_played_at_two_and_led_by_the_leader_given():
    match, (started,) = matches.start(Dealt(dealt({}), 3), STANDARD)
    assert started == DealStarted(1, Rank.TWO, (Rank.TWO, Rank.TWO), 3, dealt({}))
    assert match.deal.trick.turn == 3


@given(levels, levels, st.permutations(range(4)))
def test_levels_never_fall_and_never_skip_the_ace(a, b, order):
    after = promote((a, b), tuple(order), STANDARD)
    side = order[0] % 2
    assert after[1 - side] == (a, b)[1 - side]
    assert after[side] >= (a, b)[side]
    assert after[side] <= A
    assert after[side] > (a, b)[side] or after[side] is A


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**31))
def test_a_board_is_one_deal_that_moves_no_levels(seed):
    rng = random.Random(seed)
    board = board_of(seed.to_bytes(4, "big"), Rank(rng.randrange(13)))
    match, events = matches.start_board(board, STANDARD)
    assert events[0].leader == board.leader
    while not match.ended:
        (question,) = matches.questions(match, STANDARD)
        action = action_of(rng.choice(question.options), match.deal.hands[question.seat], board.level)
        match, events = matches.apply(match, question.seat, action, STANDARD)
    assert events[-1].levels == (board.level, board.level)
    assert max(events[-1].points) in (1, 2, 3)
    assert points_of_a(events[-1], 0) == -points_of_a(events[-1], 1)


def test_the_two_ways_of_a_board_swap_the_partnerships():
    assert [entrant_of(seat, 0) for seat in range(4)] == [0, 1, 0, 1]
    assert [entrant_of(seat, 1) for seat in range(4)] == [1, 0, 1, 0]
    assert [side_of(seat) for seat in range(4)] == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("level", "leader", "order"), [(Rank.BIG_JOKER, 0, ()), (Rank.TWO, 4, ()), (Rank.TWO, 0, (0, 1, 2, 2))]
)
def test_a_board_with_an_impossible_context_is_refused(level, leader, order):
    with pytest.raises(EngineError, match="is not a"):
        Board(dealt({}), level, leader, order)


def test_a_board_may_bring_the_tribute_of_a_deal_before():
    rules = load("botzone_single")
    board = Board(dealt({1: "SA", 3: "HR"}), Rank.NINE, 0, (0, 2, 1, 3))
    match, events = matches.start_board(board, rules)
    assert events[0].leader is None
    for seat in (1, 3):
        match, events = matches.apply(match, seat, Give(max(match.deal.hands[seat])), rules)
    assert {event.seat: event.to for event in events} == {1: 2, 3: 0}
    assert match.limit is None
