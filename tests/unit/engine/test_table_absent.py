"""Seats that come late, leave, or break: the others play on, and the verdict stands."""

from __future__ import annotations

import random

import pytest

from guandan_engine.conduct import Fault, Verdict
from guandan_engine.events import MatchEnded, Played
from guandan_engine.exchange import Answer, AskSeat, Over, TableSpec, Tell
from guandan_engine.table import Table
from tests.dealing import STANDARD, Night, board_of, play_out, unruly
from tests.tables import CLOCKS, SECRET, answer, only_ask, refusals, rulings, seated


def test_seats_that_never_connect_are_played_for_and_the_rest_play_on():
    table = Table(TableSpec("t", STANDARD, CLOCKS, board=board_of(SECRET)), opened_ms=500)
    for seat in (0, 1, 2):
        table.joined(seat, 600)
    assert table.deadline_ms == 1_500
    table.tick(1_499)
    assert table.log == []
    table.tick(1_500)
    assert table.log
    assert table.verdicts == (Verdict.OK, Verdict.OK, Verdict.OK, Verdict.NEVER_CONNECTED)


def test_joining_too_late_or_twice_is_refused():
    table = Table(TableSpec("t", STANDARD, CLOCKS, board=board_of(SECRET)))
    table.joined(0, 0)
    assert refusals(table.joined(0, 0))[0].code == "already_joined"
    assert refusals(table.joined(3, 2_000))[0].code == "replaced"


def test_a_table_to_which_nobody_comes_is_played_to_its_end():
    table = Night(4).classic(deal_limit=3)
    effects = table.tick(10_000)
    assert isinstance(effects[-1], Over)
    assert isinstance(table.log[-1].event, MatchEnded)
    assert table.verdicts == (Verdict.NEVER_CONNECTED,) * 4
    assert refusals(table.joined(0, 10_001))[0].code == "table_over"


def test_a_seat_that_was_there_before_the_deal_but_left_has_crashed():
    table = Table(TableSpec("t", STANDARD, CLOCKS, board=board_of(SECRET)))
    for seat in range(3):
        table.joined(seat, 0)
    table.lost(2, 1)
    table.joined(3, 2)
    assert table.log == []
    table.tick(1_000)
    assert table.verdicts[2] is Verdict.CRASHED


def test_a_seat_lost_past_its_clock_is_replaced_at_once():
    table, ask = seated()
    table.sent(ask.seat, ask.request.id, 0)
    table.lost(ask.seat, 10)
    table.tick(600)
    assert rulings(table)[0].fault == Fault.DISCONNECTED
    assert table.verdicts[ask.seat] is Verdict.CRASHED
    assert refusals(table.joined(ask.seat, 700))[0].code == "replaced"


def test_a_seat_lost_before_its_turn_has_its_clock_started_when_it_is_asked():
    table, ask = seated()
    lost = (ask.seat + 1) % 4
    table.lost(lost, 0)
    effects = answer(table, ask, 0, 100)
    assert not [effect for effect in effects if isinstance(effect, AskSeat)]
    assert table.deadline_ms == 100 + 600
    assert only_ask(table.joined(lost, 150)).request.clock_ms == 50


def test_a_lost_seat_is_told_nothing_until_it_joins_again():
    table, ask = seated()
    lost = (ask.seat + 2) % 4
    table.lost(lost, 0)
    effects = answer(table, ask, 0)
    assert lost not in {effect.seat for effect in effects if isinstance(effect, Tell)}


@pytest.mark.parametrize(
    ("fault", "verdict"),
    [
        (Fault.PROTOCOL_BROKEN, Verdict.PROTOCOL_BROKEN),
        (Fault.CRASHED, Verdict.CRASHED),
        (Fault.MEMORY_EXCEEDED, Verdict.MEMORY_EXCEEDED),
        (Fault.OUTPUT_EXCEEDED, Verdict.OUTPUT_EXCEEDED),
        (Fault.HARNESS, Verdict.HARNESS_FAULT),
        (Fault.INFRASTRUCTURE, Verdict.INFRASTRUCTURE_FAULT),
    ],
)
def test_a_broken_seat_is_replaced_at_once_and_its_verdict_kept(fault, verdict):
    table, ask = seated()
    table.broken(ask.seat, fault, "what happened", 5)
    assert rulings(table)[0].fault == fault
    assert table.verdicts[ask.seat] is verdict
    assert table.evidence[0].detail == "what happened"
    assert isinstance(table.log[2].event, Played)


def test_of_several_faults_the_gravest_is_the_verdict():
    table, ask = seated()
    table.broken(ask.seat, Fault.CRASHED, "exit status 137", 5)
    table.broken(ask.seat, Fault.MEMORY_EXCEEDED, "600 MB", 6)
    assert table.verdicts[ask.seat] is Verdict.MEMORY_EXCEEDED
    assert len([ruling for ruling in rulings(table) if ruling.seat == ask.seat]) == 1


def test_the_same_fault_of_a_seat_that_is_out_is_written_down_once():
    table, ask = seated()
    for now in range(5, 1_000):
        table.broken(ask.seat, Fault.PROTOCOL_BROKEN, "a second connection", now)
    assert [evidence.fault for evidence in table.evidence] == [Fault.PROTOCOL_BROKEN]


def test_a_seat_broken_before_the_deal_does_not_hold_up_the_others():
    table = Table(TableSpec("t", STANDARD, CLOCKS, board=board_of(SECRET)))
    for seat in range(3):
        table.joined(seat, 0)
    table.broken(3, Fault.CRASHED, "exit status 1", 1)
    assert table.log


def test_what_happens_after_the_end_changes_nothing():
    table = Night(6).board()
    play_out(table, unruly, random.Random(6))
    log, verdicts = list(table.log), table.verdicts
    assert table.broken(0, Fault.CRASHED, "", 10**9) == ()
    assert table.lost(1, 10**9) == ()
    assert table.tick(10**9) == ()
    assert refusals(table.answered(2, 1, Answer(0), 10**9))[0].code == "stale"
    assert (table.log, table.verdicts) == (log, verdicts)
