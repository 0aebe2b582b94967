"""Seats that misbehave: each bad input has a clear answer, costs nobody else anything, and the table goes on."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guandan_engine.actions import Ask, Give, Lay, Pass
from guandan_engine.cards import BIG_JOKER, DECK, Card
from guandan_engine.combos import Kind, Reading
from guandan_engine.conduct import Fault, Verdict
from guandan_engine.events import MatchEnded, Passed, Ruling, TributePaid
from guandan_engine.exchange import Answer, AskSeat, Refuse, TableSpec, Tell
from guandan_engine.table import Table
from tests.dealing import STANDARD, Night, board_of
from tests.strategies import cards
from tests.tables import CLOCKS, SECRET, answer, not_held, only_ask, refusals, rulings, seated

# Answers that break a rule


def test_an_illegal_answer_is_refused_with_code_reason_hint_and_attempts_left():
    table, ask = seated()
    (refusal,) = refusals(answer(table, ask, Pass()))
    assert (refusal.code, refusal.attempts_left, refusal.substitute) == ("must_lead", 1, None)
    assert refusal.reason
    assert refusal.hint
    assert refusal.request_id == ask.request.id
    assert len(table.log) == 1


@pytest.mark.parametrize(
    ("code", "choice"),
    [
        ("no_such_option", lambda table, seat: 100_000),
        ("no_such_option", lambda table, seat: -1),
        ("must_lead", lambda table, seat: Pass()),
        ("wrong_action", lambda table, seat: Give(BIG_JOKER)),
        ("no_cards", lambda table, seat: Lay(())),
        ("not_held", lambda table, seat: Lay((not_held(table, seat),))),
        ("not_held", lambda table, seat: Lay((Card(99),))),
        ("not_held", lambda table, seat: Lay((Card(-3),))),
        ("not_held", lambda table, seat: Lay(tuple(DECK) * 100)),
        (
            "reading_impossible",
            lambda table, seat: Lay(_one(table, seat), Reading(Kind.BOMB, _one(table, seat)[0].rank)),
        ),
    ],
)
def test_each_kind_of_nonsense_has_its_code(code, choice):
    table, ask = seated()
    (refusal,) = refusals(answer(table, ask, choice(table, ask.seat)))
    assert refusal.code == code


def _one(table, seat):
    return (list(table.spec.board.hands[seat])[-5],)


def test_a_play_that_does_not_beat_is_refused():
    table, ask = seated()
    ask = only_ask(answer(table, ask, Lay((max(table.spec.board.hands[ask.seat]),))))
    (refusal,) = refusals(answer(table, ask, Lay(_one(table, ask.seat))))
    assert refusal.code == "does_not_beat"


def test_a_good_second_answer_is_taken_and_leaves_no_fault():
    table, ask = seated()
    answer(table, ask, Pass())
    assert refusals(answer(table, ask, 0)) == []
    assert table.evidence == []
    assert table.verdicts[ask.seat] is Verdict.OK


def test_the_clock_runs_on_over_an_illegal_answer():
    table, ask = seated()
    table.sent(ask.seat, ask.request.id, 0)
    answer(table, ask, Pass(), 90)
    answer(table, ask, 0, 300)
    assert table.log[1].ms == 300


def test_past_the_retries_the_substitute_plays_and_the_ruling_says_why():
    table, ask = seated()
    answer(table, ask, Pass())
    effects = answer(table, ask, Pass())
    (refusal,) = refusals(effects)
    assert refusal.attempts_left == 0
    assert isinstance(refusal.substitute, Lay)
    (ruling,) = rulings(table)
    assert (ruling.seat, ruling.fault, ruling.ask) == (ask.seat, Fault.ILLEGAL, Ask.PLAY)
    assert table.log[2].event.play.cards == refusal.substitute.cards
    assert table.verdicts[ask.seat] is Verdict.ILLEGAL_PLAYS
    assert table.evidence[0].n == 1


def test_without_retries_the_first_illegal_answer_is_answered_for():
    table, ask = seated(bad_move_retries=0)
    assert refusals(answer(table, ask, Pass()))[0].substitute is not None


def test_a_seat_that_plays_illegally_is_still_asked_again():
    table, ask = seated(bad_move_retries=0)
    effects = answer(table, ask, Pass())
    for _ in range(3):
        effects = answer(table, only_ask(effects), Pass())
    assert only_ask(effects)


def test_the_others_learn_of_a_ruling_but_not_of_what_was_wrong():
    table, ask = seated(bad_move_retries=0)
    missing = not_held(table, ask.seat)
    effects = answer(table, ask, Lay((missing,)))
    told = {e.seat: e.record.event for e in effects if isinstance(e, Tell) and isinstance(e.record.event, Ruling)}
    assert str(missing) in told[ask.seat].detail
    assert {told[seat].detail for seat in range(4) if seat != ask.seat} == {""}
    assert [effect.seat for effect in effects if isinstance(effect, Refuse)] == [ask.seat]


# Answers nobody asked for


def test_answers_out_of_turn_to_old_or_unknown_requests_are_stale_and_change_nothing():
    table, ask = seated()
    other = (ask.seat + 1) % 4
    for seat, request_id in ((other, ask.request.id), (other, 77), (ask.seat, 77), (ask.seat, 0)):
        (refusal,) = refusals(table.answered(seat, request_id, Answer(0), 0))
        assert (refusal.code, refusal.substitute) == ("stale", None)
    assert len(table.log) == 1
    answer(table, ask, 0)
    (refusal,) = refusals(answer(table, ask, 0))
    assert refusal.code == "stale"
    assert table.verdicts == (Verdict.OK,) * 4


def test_a_flood_of_stale_answers_breaks_the_protocol():
    table, ask = seated()
    other = (ask.seat + 1) % 4
    for _ in range(200):
        table.answered(other, 77, Answer(0), 0)
    assert table.verdicts[other] is Verdict.PROTOCOL_BROKEN
    assert len(table.evidence) == 1


def test_a_seat_that_is_out_may_be_cut_off_once_it_floods():
    table, ask = seated()
    other = (ask.seat + 1) % 4
    table.broken(other, Fault.TIMEOUT, "", 0)
    for _ in range(64):
        table.answered(other, 77, Answer(0), 0)
    assert not table.floods(other)
    table.answered(other, 77, Answer(0), 0)
    assert [table.floods(seat) for seat in range(4)] == [seat == other for seat in range(4)]


def test_a_seat_that_joins_again_and_again_breaks_the_protocol_and_is_told_no_more():
    table, ask = seated()
    other = (ask.seat + 1) % 4
    for _ in range(15):
        table.lost(other, 0)
        assert not refusals(table.joined(other, 0))
    table.lost(other, 0)
    effects = table.joined(other, 0)
    assert refusals(effects)[0].code == "too_many_streams"
    assert not [effect for effect in effects if isinstance(effect, Tell) and effect.seat == other]
    assert table.verdicts[other] is Verdict.PROTOCOL_BROKEN
    assert refusals(table.joined(other, 0))[0].code == "replaced"


def test_an_answer_before_the_table_has_begun_is_stale():
    table = Table(TableSpec("t", STANDARD, CLOCKS, board=board_of(SECRET)))
    table.joined(0, 0)
    assert refusals(table.answered(0, 1, Answer(0), 0))[0].code == "stale"


# Silence


def test_a_silent_seat_is_timed_out_at_its_deadline_and_the_substitute_plays():
    table, ask = seated()
    table.sent(ask.seat, ask.request.id, 10)
    assert table.tick(609) == ()
    table.tick(610)
    (ruling,) = rulings(table)
    assert ruling.fault == Fault.TIMEOUT
    assert (table.log[2].ms, table.log[2].left) == (600, 0)
    assert table.verdicts[ask.seat] is Verdict.TIMED_OUT
    assert table.timed[ask.seat] == ()


def test_an_answer_at_the_deadline_is_too_late_even_without_a_tick():
    table, ask = seated()
    table.sent(ask.seat, ask.request.id, 0)
    effects = answer(table, ask, 0, 600)
    assert rulings(table)[0].fault == Fault.TIMEOUT
    assert refusals(effects)[0].code == "stale"


def test_the_substitute_passes_when_it_may():
    table, ask = seated()
    ask = only_ask(answer(table, ask, 0))
    table.sent(ask.seat, ask.request.id, 0)
    table.tick(10_000)
    assert table.log[-1].event == Passed(ask.seat)


def test_the_third_timeout_replaces_a_seat_for_the_rest_of_the_table():
    table, ask = seated()
    silent, now = ask.seat, 0
    effects = (ask,)
    while not table.ended:
        for ask in (effect for effect in effects if isinstance(effect, AskSeat)):
            table.sent(ask.seat, ask.request.id, now)
        if ask.seat == silent:
            now = table.deadline_ms
            effects = table.tick(now)
        else:
            effects = answer(table, ask, 0, now)
    faults = [ruling.fault for ruling in rulings(table) if ruling.seat == silent]
    assert faults[:4] == [Fault.TIMEOUT] * 4
    assert len([e for e in table.evidence if e.seat == silent]) == 3
    assert table.verdicts[silent] is Verdict.TIMED_OUT


def test_a_request_that_never_reaches_the_wire_starts_its_clock_after_the_time_to_connect():
    table, ask = seated()
    assert table.deadline_ms == CLOCKS.connect_ms
    assert table.tick(1_000) == ()
    assert table.deadline_ms == 1_000 + 600
    table.tick(1_600)
    assert rulings(table)[0].seat == ask.seat


# Connections


def test_a_payer_that_is_broken_gives_its_tribute_sealed_like_any_other():
    for seed in range(30):
        table = Night(seed).classic()
        found = _reach_two_payers(table, random.Random(seed))
        if found:
            break
    first, second = found
    effects = table.broken(first.seat, Fault.CRASHED, "", 0)
    assert effects == ()
    assert not rulings(table)
    effects = table.answered(second.seat, second.request.id, Answer(0), 0)
    events = [effect.record.event for effect in effects if isinstance(effect, Tell) and effect.seat == second.seat]
    at = next(i for i, event in enumerate(events) if isinstance(event, Ruling))
    assert isinstance(events[at + 1], TributePaid)
    assert events[at + 1].seat == events[at].seat == first.seat


def _reach_two_payers(table, rng):
    pending = [e for seat in range(4) for e in table.joined(seat, 0) if isinstance(e, AskSeat)]
    while len(pending) == 1:
        (ask,) = pending
        choice = rng.randrange(len(ask.request.question.options))
        pending = [e for e in answer(table, ask, choice) if isinstance(e, AskSeat)]
    return pending if pending[0].request.question.ask is Ask.PAY else None


# Anything at all


actions = st.one_of(
    st.integers(-5, 300),
    st.builds(Pass),
    st.builds(Give, cards),
    st.builds(
        Lay,
        st.lists(cards, max_size=12).map(tuple),
        st.none() | st.builds(Reading, st.sampled_from(Kind), cards.map(lambda card: card.rank)),
    ),
)
inputs = st.one_of(
    st.tuples(st.just("answered"), st.integers(0, 3), st.integers(0, 12), actions),
    st.tuples(st.just("answer open"), st.integers(0, 3), st.just(0), actions),
    st.tuples(
        st.sampled_from(["joined", "lost", "sent", "tick", "broken"]), st.integers(0, 3), st.integers(0, 9), st.just(0)
    ),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(inputs, st.integers(0, 700)), max_size=60), st.integers(0, 5))
def test_no_order_of_inputs_upsets_the_table_and_it_always_ends(script, seed):
    table = Night(seed).classic(deal_limit=1, clocks=CLOCKS)
    now, open_ids = 0, {}
    for seat in range(4):
        open_ids |= {e.seat: e.request.id for e in table.joined(seat, 0) if isinstance(e, AskSeat)}
    for (verb, seat, number, action), wait in script:
        now += wait
        effects = _feed(table, verb, seat, number, action, now, open_ids)
        open_ids |= {e.seat: e.request.id for e in effects if isinstance(e, AskSeat)}
    while not table.ended:
        now = table.deadline_ms
        table.tick(now)
    assert [record.n for record in table.log] == list(range(1, len(table.log) + 1))
    assert sum(isinstance(record.event, MatchEnded) for record in table.log) == 1


def _feed(table, verb, seat, number, action, now, open_ids):
    if verb == "answered":
        return table.answered(seat, number, Answer(action), now)
    if verb == "answer open":
        return table.answered(seat, open_ids.get(seat, 0), Answer(action), now)
    if verb == "sent":
        return table.sent(seat, open_ids.get(seat, 0), now)
    if verb == "broken":
        return table.broken(seat, list(Fault)[number], "", now) if number > 7 else ()
    return {"joined": table.joined, "lost": table.lost, "tick": lambda _, now: table.tick(now)}[verb](seat, now)
