"""A table of four well-behaved seats: joining, asking, clocks, and what is told to whom."""

from __future__ import annotations

import random

import pytest

from guandan_engine.actions import Ask, Lay
from guandan_engine.board import MOST_DECISIONS
from guandan_engine.cards import Card, Rank
from guandan_engine.clock import Clocks
from guandan_engine.conduct import Verdict
from guandan_engine.errors import EngineError
from guandan_engine.events import DealStarted, MatchEnd, MatchEnded, Played, TributePaid, TributeReturned
from guandan_engine.exchange import Answer, AskSeat, Over, Refuse, TableSpec, Tell
from guandan_engine.table import Table
from guandan_engine.view import cut
from tests.dealing import STANDARD, Night, any_legal, board_of, play_out

SECRET = b"table"
CLOCKS = Clocks(connect_ms=1_000, move_ms=100, bank_ms=500, increment_ms=50)


def new_table(**fields):
    return Table(TableSpec("t", STANDARD, CLOCKS, board=board_of(SECRET), **fields))


def seated():
    table = new_table()
    effects = [effect for seat in range(4) for effect in table.joined(seat, 0)]
    return table, effects


def asks(effects):
    return [effect for effect in effects if isinstance(effect, AskSeat)]


def tells(effects, seat):
    return [effect.record for effect in effects if isinstance(effect, Tell) and effect.seat == seat]


def test_a_board_of_seats_that_take_all_the_time_they_have_ends_within_the_longest_time_it_may_take():
    table, now = new_table(), CLOCKS.connect_ms - 1
    effects = [effect for seat in range(4) for effect in table.joined(seat, now)]
    while waiting := asks(effects):
        (ask,) = waiting
        table.sent(ask.seat, ask.request.id, now)
        now += ask.request.clock_ms + ask.request.bank_ms - 1
        effects = table.answered(ask.seat, ask.request.id, Answer(0), now)
    assert table.ended
    assert set(table.verdicts) == {Verdict.OK}
    assert sum(map(len, table.timed)) <= MOST_DECISIONS
    assert now <= CLOCKS.longest(MOST_DECISIONS)


def test_nothing_is_dealt_before_all_four_have_joined():
    table = new_table()
    assert [table.joined(seat, 0) for seat in range(3)] == [(), (), ()]
    assert table.log == []
    assert table.deadline_ms == CLOCKS.connect_ms


def test_the_fourth_to_join_starts_the_deal_and_the_leader_is_asked():
    table, effects = seated()
    (ask,) = asks(effects)
    assert ask.seat == table.spec.board.leader
    assert (ask.request.id, ask.request.question.ask) == (1, Ask.PLAY)
    assert (ask.request.clock_ms, ask.request.bank_ms) == (100, 500)
    assert all(isinstance(tells(effects, seat)[0].event, DealStarted) for seat in range(4))


def test_each_seat_is_told_its_own_hand_only():
    table, effects = seated()
    for seat in range(4):
        hands = tells(effects, seat)[0].event.hands
        assert [hand is not None for hand in hands] == [i == seat for i in range(4)]
        assert hands[seat] == table.spec.board.hands[seat]


def test_a_classic_match_needs_a_dealer():
    with pytest.raises(EngineError, match="needs a dealer"):
        Table(TableSpec("t", STANDARD))


def test_the_clock_starts_when_the_request_is_on_the_wire():
    table, effects = seated()
    (ask,) = asks(effects)
    table.sent(ask.seat, ask.request.id, 300)
    assert table.deadline_ms == 300 + 100 + 500
    table.answered(ask.seat, ask.request.id, Answer(0), 380)
    played = table.log[1]
    assert isinstance(played.event, Played)
    assert (played.ms, played.left) == (80, 500)
    assert [decision.ms for decision in table.timed[ask.seat]] == [80]


def test_time_past_the_free_move_time_eats_the_bank_and_the_increment_comes_back():
    table, effects = seated()
    (ask,) = asks(effects)
    table.sent(ask.seat, ask.request.id, 0)
    table.answered(ask.seat, ask.request.id, Answer(0), 400)
    assert (table.log[1].ms, table.log[1].left) == (400, 500 - 300 + 50)


def test_sending_twice_does_not_start_the_clock_again():
    table, effects = seated()
    (ask,) = asks(effects)
    table.sent(ask.seat, ask.request.id, 0)
    table.sent(ask.seat, ask.request.id, 90)
    assert table.deadline_ms == 600


def test_an_answer_may_be_an_option_or_the_cards_themselves():
    table, effects = seated()
    (ask,) = asks(effects)
    hand = table.spec.board.hands[ask.seat]
    card = next(iter(hand))
    effects = table.answered(ask.seat, ask.request.id, Answer(Lay((card,))), 0)
    assert tells(effects, 0)[0].event.play.cards == (card,)


def test_a_note_is_kept_for_the_seats_own_log_and_told_to_nobody():
    table, effects = seated()
    (ask,) = asks(effects)
    effects = table.answered(ask.seat, ask.request.id, Answer(0, "理由" * 2_000), 0)
    ((n, seat, note),) = table.notes
    assert (n, seat) == (1, ask.seat)
    assert 1_020 <= len(note.encode()) <= 1_024
    assert "理由" not in repr(effects)


def test_a_board_is_one_deal_and_ends_with_over():
    night = Night(1)
    table = night.board(level=Rank.NINE)
    effects = play_out(table, any_legal, random.Random(1))
    assert isinstance(effects[-1], Over)
    end = table.log[-1].event
    assert isinstance(end, MatchEnded)
    assert end == table.result
    assert end.reason is MatchEnd.BOARD_PLAYED
    assert end.levels == (Rank.NINE, Rank.NINE)
    assert sorted(end.points)[0] == 0
    assert table.verdicts == (Verdict.OK,) * 4
    assert table.deadline_ms is None


def test_every_seat_hears_every_record_in_order_cut_for_it():
    table = Night(2).classic(deal_limit=3)
    effects = play_out(table, any_legal, random.Random(2))
    for seat in range(4):
        heard = tells(effects, seat)
        assert [record.n for record in heard] == list(range(1, len(table.log) + 1))
        assert [record.event for record in heard] == [cut(record.event, seat) for record in table.log]


def test_a_match_ends_at_its_deal_limit_with_the_higher_level():
    table = Night(3).classic(deal_limit=2)
    play_out(table, any_legal, random.Random(3))
    end = table.result
    assert end.reason is MatchEnd.DEAL_LIMIT
    a, b = end.levels
    assert end.side == (None if a == b else int(b > a))


def test_two_payers_are_asked_at_once_and_their_cards_are_shown_together():
    table, first, second = _double_tribute()
    card, before = first.request.question.options[0], len(table.log)
    effects = table.answered(first.seat, first.request.id, Answer(0), 0)
    assert effects == ()
    assert len(table.log) == before
    effects = table.answered(second.seat, second.request.id, Answer(0), 0)
    paid = [record.event for record in tells(effects, 0)]
    assert [type(event) for event in paid] == [TributePaid] * 2
    assert {event.seat for event in paid} == {first.seat, second.seat}
    assert card in {event.card for event in paid}
    returns = asks(effects)
    assert [ask.request.question.ask for ask in returns] == [Ask.RETURN] * 2
    assert table.answered(returns[0].seat, returns[0].request.id, Answer(0), 0) == ()
    effects = table.answered(returns[1].seat, returns[1].request.id, Answer(0), 0)
    assert [type(record.event) for record in tells(effects, 0)][:2] == [TributeReturned] * 2


def _double_tribute():
    """Return a classic table that has just asked two payers, and the two requests."""
    for seed in range(20):
        table = Night(seed).classic()
        rng, pending = random.Random(seed), []
        for seat in range(4):
            pending += asks(table.joined(seat, 0))
        while len(pending) == 1:
            ask = pending.pop()
            options = ask.request.question.options
            pending += asks(table.answered(ask.seat, ask.request.id, Answer(rng.randrange(len(options))), 0))
        if len(pending) == 2 and pending[0].request.question.ask is Ask.PAY:
            return table, *pending
    raise AssertionError("no double-down in twenty first deals")


def test_a_seat_knows_nothing_of_the_other_payers_card_before_both_are_in():
    table, first, second = _double_tribute()
    table.answered(first.seat, first.request.id, Answer(0), 0)
    for seat in (second.seat, *range(4)):
        view = table.view(seat)
        assert view.tributes == ()
        assert view.counts == (27,) * 4


def test_a_lost_seat_that_joins_again_hears_the_whole_log_and_its_request_with_the_time_left():
    table, effects = seated()
    (ask,) = asks(effects)
    table.sent(ask.seat, ask.request.id, 0)
    table.lost(ask.seat, 50)
    effects = table.joined(ask.seat, 250)
    assert [record.n for record in tells(effects, ask.seat)] == [record.n for record in table.log]
    (again,) = asks(effects)
    assert again.request.id == ask.request.id
    assert again.request.question == ask.request.question
    assert (again.request.clock_ms, again.request.bank_ms) == (0, 350)
    effects = table.answered(ask.seat, ask.request.id, Answer(0), 300)
    assert not any(isinstance(effect, Refuse) for effect in effects)
    assert [decision.ms for decision in table.timed[ask.seat]] == [300]


def test_the_view_of_a_seat_is_the_fold_of_what_it_was_told():
    table = Night(5).board()
    play_out(table, any_legal, random.Random(5))
    view = table.view(2)
    assert view.ended == table.result
    assert view.history[0].hands[2] == table.spec.board.hands[2]
    assert view.history[0].hands[1] is None
    assert table.view(None).hand is None


def test_a_card_code_is_enough_to_lead():
    table, effects = seated()
    (ask,) = asks(effects)
    lowest = str(next(iter(table.spec.board.hands[ask.seat])))
    effects = table.answered(ask.seat, ask.request.id, Answer(Lay((Card.parse(lowest),))), 10)
    assert len(asks(effects)) == 1
