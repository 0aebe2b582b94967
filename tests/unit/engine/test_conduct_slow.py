"""Slow, silent and nonsensical seats at a table: warned, passed over, and told of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guandan_engine.actions import Ask
from guandan_engine.events import LeadPassed, Passed, Played, Ruling, TrickWon
from guandan_engine.exchange import Answer, Over, Refuse
from guandan_engine.replay import verify
from guandan_engine.rules import load
from tests.dealing import STANDARD
from tests.umpiring import HURRIED, at_tribute, events_of, replay_of, sanctions, seated, table_of, wired

SECOND = 1_000
HUAIAN = load("huaian_2017")


def test_a_violation_on_the_lead_passes_the_lead_to_the_next_seat():
    table = table_of(HUAIAN)
    ask = seated(table)
    table.tick(20 * SECOND)
    effects = table.tick(30 * SECOND)
    warned, charged, ruled, passed = events_of(table)[1:]
    assert sanctions((warned, charged)) == [(ask.seat, "slow", "warn"), (ask.seat, "slow", "skip_lap")]
    assert (ruled, passed) == (Ruling(ask.seat, "skipped", Ask.PLAY), LeadPassed(ask.seat, (ask.seat + 1) % 4))
    assert wired(table, effects, 30 * SECOND).seat == (ask.seat + 1) % 4


def test_a_seat_that_skips_a_lap_is_passed_over_until_the_trick_is_over():
    table = table_of(HUAIAN)
    skipped = seated(table).seat
    now = 30 * SECOND
    ask = wired(table, table.tick(now), now)
    asked = [ask.seat]
    while not any(isinstance(event, TrickWon) for event in events_of(table)):
        ask = wired(table, table.answered(ask.seat, ask.request.id, Answer(0), now), now)
        asked.append(ask.seat)
    assert asked[:3] == [(skipped + step) % 4 for step in (1, 2, 3)]
    assert Passed(skipped) in events_of(table)
    assert skipped not in asked[:-1]


def test_an_answer_that_comes_after_the_turn_was_skipped_is_stale_and_costs_nothing_more():
    table = table_of(HUAIAN)
    ask = seated(table)
    effects = table.answered(ask.seat, ask.request.id, Answer(0), 31 * SECOND)
    assert [effect.refusal.code for effect in effects if isinstance(effect, Refuse)] == ["stale"]
    assert len(sanctions(events_of(table))) == 2


def test_the_table_clock_comes_first_where_it_is_shorter():
    table = table_of(HUAIAN, clocks=replace(HURRIED, move_ms=5 * SECOND, bank_ms=0))
    seated(table)
    table.tick(40 * SECOND)
    assert sanctions(events_of(table)) == []
    assert any(isinstance(event, Ruling) and event.fault == "timeout" for event in events_of(table))


def test_without_the_play_clock_nobody_is_slow():
    table = table_of(HUAIAN, clocks=replace(HURRIED, move_ms=500 * SECOND, play_clock=False))
    seated(table)
    table.tick(400 * SECOND)
    assert len(table.log) == 1


def test_a_slow_tribute_is_warned_and_then_costs_the_first_trick():
    table, asks = at_tribute(HUAIAN, payers=1)
    table.tick(15 * SECOND)
    table.tick(30 * SECOND)
    assert sanctions(events_of(table)) == [(asks[0].seat, "slow", "warn"), (asks[0].seat, "slow", "skip_lap")]


def test_a_silence_is_seen_by_all_and_the_count_is_told_all_the_same():
    table = table_of(STANDARD)
    ask = seated(table)
    while True:
        options = ask.request.question.options
        most = max(range(len(options)), key=lambda i: 0 if options[i] is None else options[i].size)
        effects = table.answered(ask.seat, ask.request.id, Answer(most, announce=False), 0)
        if sanctions(events_of(table)):
            break
        ask = wired(table, effects, 0)
    (played,) = [event for event in events_of(table) if isinstance(event, Played) and event.silent]
    assert played.told
    assert sanctions(events_of(table)) == [(played.seat, "unannounced", "warn")]
    assert table.view((played.seat + 1) % 4).counts[played.seat] == played.left


@pytest.mark.parametrize(("policy", "answers"), [("reject_retry", 2), ("auto_pass", 1), ("foul", 1)])
def test_nonsense_is_answered_for_after_as_many_tries_as_the_rules_forgive(policy, answers):
    table = table_of(replace(STANDARD, bad_move_policy=policy, foul_effect="record"))
    ask = seated(table)
    for _ in range(answers):
        assert len(table.log) == 1
        table.answered(ask.seat, ask.request.id, Answer(-1), 0)
    faults = [event.fault for event in events_of(table) if isinstance(event, Ruling)]
    assert faults == ["illegal"]
    assert sanctions(events_of(table)) == ([(ask.seat, "bad_move", "foul")] if policy == "foul" else [])


def test_where_a_bad_move_is_a_foul_that_loses_the_deal_nothing_is_played_for_the_seat():
    table = table_of(replace(STANDARD, bad_move_policy="foul", foul_effect="lose_deal"))
    ask = seated(table)
    effects = table.answered(ask.seat, ask.request.id, Answer(-1), 0)
    assert isinstance(effects[-1], Over)
    assert not any(isinstance(event, Ruling) for event in events_of(table))
    assert table.result.side == 1 - ask.seat % 2
    verify(replay_of(table))
