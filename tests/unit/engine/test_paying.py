"""Tribute as it happens: sealed answers, choices, what others see, and tables that answer for a seat in it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guandan_engine import deal as deals
from guandan_engine.actions import Ask, Choose, Give, Pass, Resist
from guandan_engine.cards import Card, Hand
from guandan_engine.clock import Clocks
from guandan_engine.dealing import Dealt
from guandan_engine.errors import EngineError, IllegalAction
from guandan_engine.events import (
    AntiTribute,
    CardOffered,
    Chose,
    DealStarted,
    LeaderNamed,
    Resisted,
    Ruling,
    TributePaid,
    TributeReturned,
)
from guandan_engine.replay import verify, write
from guandan_engine.rules import load
from guandan_engine.view import cut, view_of
from tests.dealing import STANDARD, Night, any_legal, dealt, play_out
from tests.playing import DOUBLE_DOWN, PARTNER_LAST, SINGLE, after, chooses, first_option, last_option, tribute

EQUAL = {1: "SA", 3: "DA"}
OPTIONAL = replace(STANDARD, anti_mode="optional")
CHOOSING = load("freecard_531_bo3")


@pytest.mark.parametrize(("lot", "paid"), [(0, {1: 0, 3: 2}), (1, {1: 2, 3: 0}), (2, {1: 0, 3: 2}), (3, {1: 2, 3: 0})])
def test_equal_tributes_by_lot(lot, paid):
    rules = replace(STANDARD, tribute_tie="random")
    assert tribute(DOUBLE_DOWN, EQUAL, rules, lot=lot).paid == paid


def test_two_returns_are_sealed_or_shown_one_by_one():
    sealed = tribute(DOUBLE_DOWN, EQUAL, STANDARD).steps
    assert [len(step) for step in sealed[-2:]] == [0, 3]
    open_ = tribute(DOUBLE_DOWN, EQUAL, replace(STANDARD, return_sealed=False)).steps
    assert [len(step) for step in open_[-2:]] == [1, 2]
    assert isinstance(open_[-2][0], TributeReturned)


def test_an_open_return_has_arrived_when_it_is_shown():
    rules = replace(STANDARD, return_sealed=False)
    deal, _ = after(DOUBLE_DOWN, EQUAL, rules)
    for seat in (1, 3):
        deal, _ = deals.apply(deal, seat, deals_first(deal, seat, rules), rules)
    deal, _ = deals.apply(deal, 2, deals_first(deal, 2, rules), rules)
    assert [len(hand) for hand in deal.hands] == [28, 26, 27, 27]
    assert deals.asked(deal) == (0,)


def deals_first(deal, seat, rules):
    (option,) = [question.options[0] for question in deals.questions(deal, rules) if question.seat == seat]
    return Give(option) if isinstance(option, Card) else option


def test_a_partner_that_came_last_need_not_pay_and_then_the_first_leads():
    played = tribute(PARTNER_LAST, {2: "SA"}, replace(STANDARD, tribute_partner=False))
    assert [type(event) for event in played.events] == [DealStarted]
    assert (played.leader, played.events[0].leader) == (0, 0)


def test_a_face_up_card_leads_whoever_paid():
    rules = replace(STANDARD, lead_rule="face_up_card")
    played = tribute(SINGLE, {3: "SA"}, rules)
    assert played.events[0].face_up is not None
    assert played.events[0].leader == 1
    assert played.paid == {3: 0}
    assert played.events[-1] == LeaderNamed(1)
    views = [view_of(seat, rules, played.events[:1]) for seat in range(4)]
    assert [view.turn for view in views] == [None] * 4


def test_a_leader_who_does_not_hold_the_face_up_card_is_refused():
    hands = dealt({1: "S9 S9"})
    with pytest.raises(EngineError, match="does not hold S9"):
        deals.start(Dealt(hands, 0, Card.parse("S9"), 0), deals.Rank.TWO, STANDARD)


def test_hidden_jokers_are_seen_by_those_who_hold_them():
    rules = replace(STANDARD, anti_show=False)
    (event,) = [e for e in tribute(DOUBLE_DOWN, {1: "HR", 3: "HR"}, rules).events if isinstance(e, AntiTribute)]
    assert [cut(event, seat).seats for seat in (0, 1, 2, 3, None)] == [(), (1,), (), (3,), ()]
    assert not event.shown


def test_who_pays_though_it_could_resist_tells_nobody():
    """Another payer is asked only once the holder has answered, and the log looks as if nobody had been asked."""
    asked = tribute(DOUBLE_DOWN, {3: "HR HR", 1: "SA"}, OPTIONAL, last_option)
    silent = tribute(DOUBLE_DOWN, {3: "HR HR", 1: "SA"}, replace(STANDARD, anti_tribute="off"), last_option)
    assert asked.asked[0] == (3, "anti", ("Resist()", "HR"))
    assert asked.events == silent.events
    assert [event.seat for event in asked.events if isinstance(event, TributePaid)] == [1, 3]


def test_a_wrong_answer_to_a_choice_is_refused_with_the_right_ones():
    deal, _ = after(DOUBLE_DOWN, EQUAL, CHOOSING)
    for seat in (1, 3):
        deal, _ = deals.apply(deal, seat, deals_first(deal, seat, CHOOSING), CHOOSING)
    assert deals.asked(deal) == (0,)
    for action, code in (
        (Choose(2), "no_such_choice"),
        (Pass(), "wrong_action"),
        (Give(Card.parse("S3")), "wrong_action"),
    ):
        with pytest.raises(IllegalAction) as refused:
            deals.check(deal, 0, action, CHOOSING)
        assert refused.value.code == code
    with pytest.raises(IllegalAction) as refused:
        deals.check(deal, 0, Choose(2), CHOOSING)
    assert refused.value.hint == "choose seat 1 or 3"


def test_only_who_is_asked_may_resist():
    deal, _ = after(SINGLE, {3: "SA"}, OPTIONAL)
    with pytest.raises(IllegalAction) as refused:
        deals.check(deal, 3, Resist(), OPTIONAL)
    assert refused.value.code == "wrong_action"


def test_offers_lie_on_the_table_until_they_are_taken():
    played = tribute(DOUBLE_DOWN, EQUAL, CHOOSING, chooses({0: 3}, first_option))
    shown = [i for i, event in enumerate(played.events) if isinstance(event, CardOffered)]
    view = view_of(2, CHOOSING, played.events[: shown[1] + 1])
    assert [(offer.seat, str(offer.card)) for offer in view.offers] == [(1, "SA"), (3, "DA")]
    assert view_of(2, CHOOSING, played.events).offers == ()
    assert Chose(0, Ask.CHOOSE_TRIBUTE, 3) in played.events


@given(st.integers(0, 10**6), st.sampled_from(["elim40_531", "freecard_531_bo3", "level_penalty", "yangzhou"]))
def test_the_hands_of_a_view_follow_tribute_whatever_is_chosen(seed, name):
    rng, rules = random.Random(seed), load(name)
    wanted = rng.choice([EQUAL, {1: "HR", 3: "HR"}, {3: "HR HR"}, {1: "SB", 3: "SB"}, {1: "SA", 3: "SB"}])
    played = tribute(DOUBLE_DOWN, wanted, rules, lambda question: rng.choice(question.options))
    for seat in range(4):
        view = view_of(seat, rules, played.events)
        assert view.hand == played.deal.hands[seat]
        assert view.turn == played.leader
    assert sum(map(len, played.deal.hands)) == 108


def silent_in_tribute(request, rng):
    """A seat that never answers what tribute asks."""
    return any_legal(request, rng) if request.question.ask is Ask.PLAY else None


@pytest.mark.parametrize(
    "name", ["elim40_531", "freecard_531_bo3", "level_penalty", "yangzhou", "maanshan", "standard"]
)
def test_the_table_answers_in_tribute_for_seats_that_do_not_and_the_replay_verifies(name):
    asks = set()
    for seed in range(6):
        night = Night(seed, load(name))
        table = night.classic(deal_limit=4, clocks=Clocks(move_ms=100, bank_ms=0))
        play_out(table, silent_in_tribute, random.Random(seed))
        asks |= {record.event.ask for record in table.log if isinstance(record.event, Ruling)}
        data = write(night.header(table), table.log, secrets=night.secrets(table))
        assert verify(data, secret=night.secret).records == tuple(table.log)
    assert {Ask.PAY, Ask.RETURN} <= asks


def test_a_payer_that_holds_no_joker_may_stand_before_the_one_that_was_asked_first():
    """Tributes are shown sorted by payer: the verifier waits for the one that had to be asked first."""
    rules = OPTIONAL
    for seed in range(400):
        night = Night(seed, rules)
        table = night.classic(deal_limit=3)
        play_out(table, never_resists, random.Random(seed))
        verify(write(night.header(table), table.log, secrets=night.secrets(table)))
        if any(_asked_first(table.log)):
            return
    raise AssertionError("no deal had a payer with both big jokers and a partner before it")


def never_resists(request, rng):
    options = request.question.options
    choices = [i for i, option in enumerate(options) if not isinstance(option, Resist)]
    return any_legal(request, rng)[0].__class__(rng.choice(choices)), rng.randrange(50)


def _asked_first(log):
    started = None
    for record in log:
        event = record.event
        if isinstance(event, DealStarted):
            started = event
        if isinstance(event, TributePaid) and len(started.order) == 4:
            both = [seat for seat in started.order[2:] if started.hands[seat].count(Card.parse("HR")) == 2]
            yield bool(both) and event.seat < both[0] and event.seat in started.order[2:] and _double(started.order)


def _double(order):
    return order[0] % 2 == order[1] % 2


def test_resisting_is_told_before_tribute_is_waived():
    played = tribute(SINGLE, {3: "HR HR"}, OPTIONAL)
    assert played.events[1:] == (Resisted(3), AntiTribute((3,)), LeaderNamed(0))
    assert Hand.parse("HR HR") <= played.deal.hands[3]
