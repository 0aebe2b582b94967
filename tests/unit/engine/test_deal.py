"""Deals from the cards to the finishing order."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guandan_engine import deal as deals
from guandan_engine.actions import Ask, Give, Lay, Pass
from guandan_engine.cards import DECK, Card, Hand, Rank
from guandan_engine.conduct import action_of
from guandan_engine.dealing import Dealt
from guandan_engine.errors import EngineError, IllegalAction
from guandan_engine.events import DealEnded, Finished, Played
from tests.dealing import STANDARD, board_of, dealt, endgame

ORDERS = [(), (0, 1, 2, 3), (0, 2, 1, 3), (3, 0, 2, 1), (1, 3, 2, 0), (2, 1, 3, 0)]


def cards(text):
    return tuple(map(Card.parse, text.split()))


def playout(seed):
    """Every state and its events of a random deal."""
    rng = random.Random(seed)
    hands = board_of(seed.to_bytes(4, "big")).hands
    deal, events = deals.start(
        Dealt(hands, rng.randrange(4)), Rank(rng.randrange(13)), STANDARD, order=rng.choice(ORDERS)
    )
    yield deal, events
    while not deal.ended:
        question = rng.choice(deals.questions(deal, STANDARD))
        action = action_of(rng.choice(question.options), deal.hands[question.seat], deal.level)
        deals.check(deal, question.seat, action, STANDARD)
        deal, events = deals.apply(deal, question.seat, action, STANDARD)
        yield deal, events


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31))
def test_cards_are_conserved_and_nobody_who_is_out_is_asked(seed):
    laid = []
    for deal, events in playout(seed):
        laid += [card for event in events if isinstance(event, Played) for card in event.play.cards]
        assert sorted([*laid, *(card for hand in deal.hands for card in hand)]) == list(DECK)
        asked = [question.seat for question in deals.questions(deal, STANDARD)]
        assert not set(asked) & set(deal.trick.finished)
        assert all(len(deal.hands[seat]) > 0 for seat in asked)
        assert bool(asked) is not deal.ended


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31))
def test_every_deal_ends_with_one_order_that_agrees_with_the_finishers(seed):
    events = [event for _, events in playout(seed) for event in events]
    end = events[-1]
    assert isinstance(end, DealEnded)
    assert sorted(end.order) == [0, 1, 2, 3]
    finishers = tuple(event.seat for event in events if isinstance(event, Finished))
    assert end.order[: len(finishers)] == finishers
    assert end.gain == {1: 3, 2: 2, 3: 1}[end.order.index((end.order[0] + 2) % 4)]


def test_a_double_down_ends_the_deal_while_the_losers_hold_cards():
    deal = endgame(("", "S3 S4", "SA", "S5"), turn=2, finished=(0,))
    deal, events = deals.apply(deal, 2, Lay(cards("SA")), STANDARD)
    assert deal.ended
    assert events[-1].order == (0, 2, 1, 3)
    assert [str(hand) for hand in events[-1].hands] == ["", "S3 S4", "", "S5"]
    assert deals.questions(deal, STANDARD) == ()


def test_when_three_are_out_the_fourth_is_last():
    deal = endgame(("", "", "SA", "S5"), turn=2, finished=(1, 0))
    deal, _ = deals.apply(deal, 2, Lay(cards("SA")), STANDARD)
    assert deal.result.order == (1, 0, 2, 3)
    assert (deal.result.side, deal.result.gain) == (1, 1)


def test_after_the_end_nothing_may_be_done():
    deal = endgame(("", "", "SA", "S5"), turn=2, finished=(1, 0))
    deal, _ = deals.apply(deal, 2, Lay(cards("SA")), STANDARD)
    with pytest.raises(IllegalAction) as refused:
        deals.check(deal, 3, Lay(cards("S5")), STANDARD)
    assert refused.value.code == "deal_over"


def test_the_leader_is_asked_without_pass_and_a_follower_with_it():
    deal = endgame(("S9", "ST", "SJ", "SQ"))
    (question,) = deals.questions(deal, STANDARD)
    assert (question.ask, question.to_beat) == (Ask.PLAY, None)
    assert None not in question.options
    deal, _ = deals.apply(endgame(("S9 S3", "ST", "SJ", "SQ")), 0, Lay(cards("S9")), STANDARD)
    (question,) = deals.questions(deal, STANDARD)
    assert question.options[0] is None
    assert question.to_beat.cards == cards("S9")


@pytest.mark.parametrize(
    ("code", "seat", "action"),
    [
        ("not_your_turn", 1, Pass()),
        ("must_lead", 0, Pass()),
        ("wrong_action", 0, Give(Card.parse("S9"))),
        ("not_held", 0, Lay(cards("ST"))),
        ("not_held", 0, Lay(cards("S9 S9"))),
        ("not_a_combo", 0, Lay(cards("S9 S3"))),
    ],
)
def test_each_breach_has_its_code(code, seat, action):
    deal = endgame(("S9 S3 S4", "ST", "SJ", "SQ"))
    with pytest.raises(IllegalAction) as refused:
        deals.check(deal, seat, action, STANDARD)
    assert refused.value.code == code
    with pytest.raises(IllegalAction):
        deals.apply(deal, seat, action, STANDARD)


def test_cards_are_kept_sorted_however_they_were_named():
    deal = endgame(("S3 D3 S4", "ST", "SJ", "SQ"))
    deal, (played,) = deals.apply(deal, 0, Lay(cards("D3 S3")), STANDARD)
    assert played.play.cards == cards("S3 D3")
    assert str(deal.hands[0]) == "S4"


@pytest.mark.parametrize(("code", "card"), [("not_highest", "S3"), ("not_held", "SB"), ("not_highest", "H2")])
def test_a_wrong_tribute_is_refused_with_the_right_ones_named(code, card):
    hands = dealt({3: "SA DA S3 H2"})
    deal, _ = deals.start(Dealt(hands), Rank.TWO, STANDARD, order=(0, 1, 2, 3))
    with pytest.raises(IllegalAction) as refused:
        deals.check(deal, 3, Give(Card.parse(card)), STANDARD)
    assert refused.value.code == code
    assert "SA" in refused.value.hint
    assert "DA" in refused.value.hint


def test_tribute_does_not_end_before_every_card_is_given():
    deal, _ = deals.start(Dealt(dealt({1: "SA", 3: "DK"})), Rank.TWO, STANDARD, order=(0, 2, 1, 3))
    deal, events = deals.apply(deal, 3, Give(Card.parse("DK")), STANDARD)
    assert events == ()
    assert [len(hand) for hand in deal.hands] == [27] * 4
    with pytest.raises(IllegalAction, match="not asked"):
        deals.check(deal, 3, Give(Card.parse("DK")), STANDARD)
    deal, events = deals.apply(deal, 1, Give(Card.parse("SA")), STANDARD)
    assert [len(hand) for hand in deal.hands] == [28, 26, 28, 26]
    assert {question.ask for question in deals.questions(deal, STANDARD)} == {Ask.RETURN}


def test_hands_that_are_not_the_deck_are_refused():
    hand = Hand.parse("S2")
    with pytest.raises(EngineError, match="each needs 27"):
        deals.start(Dealt((hand,) * 4), Rank.TWO, STANDARD)
    whole = board_of(b"x").hands
    with pytest.raises(EngineError, match="two decks"):
        deals.start(Dealt((whole[0], whole[0], whole[2], whole[3])), Rank.TWO, STANDARD)
