"""A view holds what its seat may know and nothing else."""

from __future__ import annotations

import random
from dataclasses import fields, is_dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guandan_engine import deal as deals
from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.conduct import action_of
from guandan_engine.dealing import Dealt
from guandan_engine.errors import EngineError
from guandan_engine.events import DealEnded, DealStarted, Played, Ruling, TributePaid, TributeReturned
from guandan_engine.view import SeatView, cut, cuts, fold, view_of
from tests.dealing import STANDARD, Night, any_legal, dealt, play_out, unruly

SEATS = (0, 1, 2, 3, None)


def cards_in(value):
    """Every card found anywhere inside a value."""
    if isinstance(value, Card):
        return [value]
    if isinstance(value, Hand):
        return list(value)
    if isinstance(value, tuple | list):
        return [card for item in value for card in cards_in(item)]
    if is_dataclass(value) and not isinstance(value, type):
        return [card for field in fields(value) for card in cards_in(getattr(value, field.name))]
    return []


def played_table(seed, mind=any_legal):
    table = Night(seed).classic(deal_limit=3)
    play_out(table, mind, random.Random(seed))
    return table


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_no_cut_event_shows_a_card_before_it_is_public(seed):
    for record in played_table(seed, unruly).log:
        for seat in SEATS:
            event = cut(record.event, seat)
            if isinstance(event, DealStarted):
                own = [] if seat is None else list(record.event.hands[seat])
                assert sorted(cards_in(event.hands)) == own
                assert event.face_up is None or event.face_up in record.event.hands[event.leader]
            elif isinstance(event, Ruling) and event.seat != seat:
                assert event.detail == ""
            elif not isinstance(event, Played | TributePaid | TributeReturned | DealEnded):
                assert not [card for card in cards_in(event) if not hasattr(event, "seats")]


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 10**6))
def test_no_view_holds_more_cards_of_the_deck_than_its_seat_has_seen(seed):
    table = played_table(seed)
    for seat in SEATS:
        view = SeatView(seat, STANDARD)
        for record in table.log:
            view = fold(view, cut(record.event, seat))
            if isinstance(record.event, DealStarted):
                seen = set() if seat is None else set(record.event.hands[seat])
                seen |= set(cards_in(record.event.face_up))
            elif isinstance(record.event, Played | TributePaid | TributeReturned | DealEnded):
                seen |= set(cards_in(record.event))
            assert set(cards_in(replace(view, history=view.history[-1:]))) <= seen


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_the_fold_follows_the_engine_through_whole_deals(seed):
    rng = random.Random(seed)
    order = rng.choice([(), (0, 2, 1, 3), (1, 0, 3, 2), (2, 1, 3, 0)])
    deal, events = deals.start(
        Dealt(Night(seed).board().spec.board.hands), Rank(rng.randrange(13)), STANDARD, order=order
    )
    rules = replace(STANDARD, count_view="always")
    views = [view_of(seat, rules, events) for seat in SEATS]
    while not deal.ended:
        question = rng.choice(deals.questions(deal, rules))
        action = action_of(rng.choice(question.options), deal.hands[question.seat], deal.level)
        deal, events = deals.apply(deal, question.seat, action, rules)
        for event in events:
            views = [fold(view, cut(event, view.seat)) for view in views]
        for view in views:
            _same_as_engine(view, deal)


def _same_as_engine(view, deal):
    for seat, (count, hand) in enumerate(zip(view.counts, deal.hands, strict=True)):
        assert count == len(hand) or (count is None and view.seat not in (None, seat))
    assert view.finished == deal.trick.finished
    if view.seat is not None:
        assert view.hand == deal.hands[view.seat]
    if deal.phase is deals.Phase.PLAYING:
        assert (view.turn, view.to_beat) == (deal.trick.turn, deal.trick.to_beat)
        assert bool(view.trick) is (deal.trick.to_beat is not None)
    else:
        assert view.turn is None


def test_a_record_is_cut_for_all_seats_as_for_each_alone():
    night = Night(3, STANDARD)
    table = night.classic(deal_limit=3)
    play_out(table, unruly, random.Random(3))
    kinds = {type(record.event) for record in table.log}
    assert {Played, DealStarted} <= kinds
    for record in table.log:
        seen = cuts(record.event)
        assert seen == tuple(cut(record.event, seat) for seat in range(4))
        assert all(one is other or one != other for one in seen for other in seen if isinstance(one, Played))


def test_a_view_begins_afresh_with_each_deal():
    table = played_table(1)
    starts = [i for i, record in enumerate(table.log) if isinstance(record.event, DealStarted)]
    events = [record.event for record in table.log]
    whole = view_of(0, STANDARD, events[: starts[2] + 1])
    assert whole == view_of(0, STANDARD, events[starts[2] : starts[2] + 1])
    assert whole.history == (cut(events[starts[2]], 0),)


def test_an_event_cut_for_another_seat_is_refused():
    _, events = deals.start(Dealt(dealt({})), Rank.TWO, STANDARD)
    with pytest.raises(EngineError, match="another seat"):
        fold(SeatView(0, STANDARD), cut(events[0], 1))


def test_a_seat_reads_why_the_table_ruled_for_it():
    ruling = Ruling(2, "illegal", deals.Ask.PLAY, "not_held: SA")
    assert cut(ruling, 2) is ruling
    assert cut(ruling, None).detail == ""


def test_the_partner_sits_opposite():
    assert [SeatView(seat, STANDARD).partner for seat in SEATS] == [2, 3, 0, 1, None]
