"""The worked verdicts V46 to V50 on conduct, each under every preset it speaks of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guandan_engine.actions import Ask
from guandan_engine.cards import Rank
from guandan_engine.clock import Clocks
from guandan_engine.conduct import Offence, umpire
from guandan_engine.conduct.ledger import next_deal
from guandan_engine.conduct.umpire import Sitting
from guandan_engine.dealing import Dealt
from guandan_engine.errors import IllegalAction
from guandan_engine.events import DealEnded, DealStarted, MatchEnd, Passed, Played, Ruling, Sanctioned
from guandan_engine.exchange import Answer, Refuse
from guandan_engine.rules import load, presets
from tests.dealing import dealt
from tests.umpiring import (
    eleven_each,
    lay,
    moment,
    ruling,
    sanctions,
    seated,
    silent_play,
    table_of,
    wired,
)

SECOND, MINUTE = 1_000, 60_000


# V46: a play out of turn lies on the table


@pytest.mark.parametrize("name", presets())
def test_v46_the_engine_rejects_what_is_out_of_turn(name):
    rules = load(name)
    with pytest.raises(IllegalAction, match="not asked") as caught:
        umpire.act(eleven_each(), 1, lay("H3"), rules)
    assert caught.value.code == "not_your_turn"


def test_v46_p_the_opponents_go_up_a_level_and_the_deal_goes_on():
    rules, before = load("level_penalty"), eleven_each(levels=(Rank.FIVE, Rank.NINE))
    after, events = umpire.rule(before, ruling(1, Offence.OUT_OF_TURN), rules)
    (event,) = events
    assert (event.sanction, event.amount, event.levels) == ("foul", 1, (Rank.SIX, Rank.NINE))
    assert not after.deal.ended
    assert after.deal.trick == before.deal.trick


def test_v46_a_it_is_only_a_warning_when_the_previous_seat_passes_else_turns_are_skipped():
    rules = load("anhui_jianzhu_2017")
    _, warned = umpire.rule(eleven_each(), ruling(1, Offence.OUT_OF_TURN, previous_passed=True), rules)
    assert sanctions(warned) == [(1, "out_of_turn", "warn")]
    cards = lay("H3 H4").cards
    after, skipped = umpire.rule(eleven_each(), ruling(1, Offence.OUT_OF_TURN, cards=cards), rules)
    assert sanctions(skipped) == [(1, "out_of_turn", "skip_turn")]
    assert after.ledger.skips == (0, 2, 0, 0)


# V47: ten left, not announced, noticed at once; then a second time in the game


def both_times(name, *, level=Rank.TWO):
    """What the first and the second silence of seat 0 in a match bring, each in a deal of its own."""
    rules = load(name)
    first, events = silent_play(eleven_each(), "S3", rules)
    played = events[0]
    again = Sitting(eleven_each().match, next_deal(first.ledger, rules))
    after, more = silent_play(again, "S3", rules)
    return played, sanctions(events), after, sanctions(more)


@pytest.mark.parametrize("name", ["huaian_2017", "digest_004", "digest_004_strict"])
def test_v47_h_d_the_count_is_made_good_and_warned_then_a_lap_is_skipped(name):
    played, first, after, second = both_times(name)
    assert (played.left, played.told, played.silent) == (10, True, True)
    assert first == [(0, "unannounced", "warn")]
    assert second == [(0, "unannounced", "skip_lap")]
    assert after.ledger.laps[0]


def test_v47_c_it_is_warned_then_a_foul_each_time_and_the_play_can_be_beaten():
    played, first, after, second = both_times("canmou_tournament")
    assert (played.told, played.silent) == (True, True)
    assert first == [(0, "unannounced", "warn")]
    assert second == [(0, "unannounced", "foul")]
    assert after.deal.trick.turn == 1
    assert after.deal.trick.to_beat == played.play


def test_v47_c_three_fouls_of_a_side_lose_the_match():
    rules, ledger = load("canmou_tournament"), umpire.CLEAN
    seen = []
    for _ in range(4):
        after, events = silent_play(Sitting(eleven_each().match, ledger), "S3", rules)
        ledger = next_deal(after.ledger, rules)
        seen += sanctions(events)
    assert [sanction for _, _, sanction in seen] == ["warn", "foul", "foul", "lose_match"]
    assert (after.match.ended.side, after.match.ended.reason) == (1, MatchEnd.FORFEITED)


def test_v47_a_a_chance_to_follow_is_lost_but_not_a_lead():
    rules = load("anhui_jianzhu_2017")
    seven = moment(("S3 S4 S5 S6 S7 S8 S9", "H9 HT HJ", "C3 C4", "D3 D4"))
    after, events = silent_play(seven, "S3", rules)
    assert sanctions(events) == [(0, "unannounced", "skip_turn")]
    assert after.ledger.skips == (1, 0, 0, 0)
    assert not umpire.bars(seven, 0)


@pytest.mark.parametrize("name", ["elim40_531", "freecard_531_bo3", "library_shift3"])
def test_v47_e_f_l_name_no_penalty(name):
    rules = replace(load(name), announce="auto_once", announce_max=10)
    _, events = silent_play(eleven_each(), "S3", rules)
    assert sanctions(events) == []


# V48: the offender who failed to announce has already gone out first


def test_v48_j_the_deal_ends_as_a_double_down_no_tribute_follows_and_one_of_the_others_leads():
    rules = load("standard")
    out = moment(("", "H3 H4", "C3 C4", "D3 D4"), turn=1, finished=(0,), levels=(Rank.FIVE, Rank.FIVE))
    after, events = umpire.rule(out, ruling(0, Offence.UNANNOUNCED, noticed_late=True), rules)
    told, ended = events
    assert isinstance(told, Sanctioned)
    assert (told.sanction, told.leader) == ("foul", 1)
    assert isinstance(ended, DealEnded)
    assert {*ended.order[:2]} == {1, 3}
    assert (ended.side, ended.gain, ended.levels) == (1, 3, (Rank.FIVE, Rank.EIGHT))
    _, started = umpire.next_dealt(after, Dealt(dealt({}, Rank.EIGHT)), rules)
    (first,) = started
    assert isinstance(first, DealStarted)
    assert first.leader == 1


def test_v48_the_referee_may_name_the_other_winner_as_leader_but_none_of_the_losers():
    rules = load("standard")
    out = moment(("", "H3 H4", "C3 C4", "D3 D4"), turn=1, finished=(0,))
    after, _ = umpire.rule(out, ruling(0, Offence.UNANNOUNCED, leader=3), rules)
    assert after.ledger.next_leader == 3
    with pytest.raises(umpire.NoSuchRuling, match="same side"):
        umpire.rule(out, ruling(0, Offence.UNANNOUNCED, leader=2), rules)


def test_v48_while_it_still_plays_it_is_a_warning_at_once_and_a_violation_later():
    rules = load("standard")
    _, at_once = umpire.rule(eleven_each(), ruling(0, Offence.UNANNOUNCED), rules)
    _, later = umpire.rule(eleven_each(), ruling(0, Offence.UNANNOUNCED, noticed_late=True), rules)
    assert sanctions(at_once) == [(0, "unannounced", "warn")]
    assert sanctions(later) == [(0, "unannounced", "skip_lap")]


# V49: no move by 32 s


def slow(name, until_s, *, following=False):
    """The log of a table of this preset after nobody has moved for so long."""
    table = table_of(load(name))
    ask = seated(table)
    if following:
        ask = wired(table, table.answered(ask.seat, ask.request.id, Answer(0), 0), 0)
    for now in range(0, until_s * SECOND + 1, SECOND):
        table.tick(now)
    return table, ask.seat, [record.event for record in table.log[2 if following else 1 :]]


def test_v49_h_a_violation_and_the_turn_is_skipped():
    _, seat, events = slow("huaian_2017", 32, following=True)
    warned, charged, ruled, passed = events
    assert [(event.offence, event.sanction) for event in (warned, charged)] == [("slow", "warn"), ("slow", "skip_lap")]
    assert (ruled, passed) == (Ruling(seat, "skipped", ruled.ask), Passed(seat))


def test_v49_c_at_32_s_only_a_warning_at_45_a_foul():
    _, seat, events = slow("canmou_tournament", 32, following=True)
    assert sanctions(tuple(events)) == [(seat, "slow", "warn")]
    _, seat, events = slow("canmou_tournament", 45, following=True)
    assert sanctions(tuple(events)) == [(seat, "slow", "warn"), (seat, "slow", "foul")]
    assert not any(isinstance(event, Passed) for event in events)


def test_v49_s_over_its_target_no_penalty_is_stated():
    rules = load("anhui_shangmao")
    _, _, events = slow("anhui_shangmao", 300, following=True)
    assert events == []
    assert umpire.pace(eleven_each(), Ask.PLAY, rules).target_ms == 20 * SECOND


@pytest.mark.parametrize(("name", "first", "later"), [("library_shift3", 30, 15), ("level_penalty", 180, 30)])
def test_v49_l_p_the_first_play_of_a_deal_has_its_own_time(name, first, later):
    assert slow(name, first - 1)[2] == []
    assert sanctions(tuple(slow(name, first)[2])) == [(slow(name, first)[1], "slow", "warn")]
    assert slow(name, later - 1, following=True)[2] == []
    assert len(slow(name, later, following=True)[2]) == 1


def test_v49_d_the_first_time_is_warned_the_second_a_violation():
    _, seat, events = slow("digest_004", 30)
    assert sanctions(tuple(events)) == [(seat, "slow", "warn")]
    rules, sitting = load("digest_004"), eleven_each()
    pace, seen = umpire.pace(sitting, Ask.PLAY, rules), []
    for _ in range(3):
        penalty = umpire.too_slow(sitting, 0, pace.stage(30 * SECOND), pace, rules)
        sitting, events = umpire.penalise(sitting, penalty, rules)
        seen += sanctions(events)
    assert [sanction for _, _, sanction in seen] == ["warn", "skip_lap", "skip_lap"]


# V50: a pair is absent 11 minutes after the start


def absent(name, minutes, *, leave=(False, False)):
    """A table whose side 1 has not come after so many minutes."""
    rules = load(name)
    table = table_of(rules, clocks=Clocks(connect_ms=60 * MINUTE, move_ms=SECOND))
    table.spec = replace(table.spec, leave=leave)
    table.joined(0, 0)
    table.joined(2, 0)
    table.tick(minutes * MINUTE)
    return table


@pytest.mark.parametrize("name", ["anhui_jianzhu_2017", "library_shift3", "level_penalty", "freecard_531_bo3"])
def test_v50_a_l_p_f_the_absent_pair_has_forfeited_the_match(name):
    assert not absent(name, 9).ended
    table = absent(name, 11, leave=(False, True))
    assert (table.result.side, table.result.reason) == (0, MatchEnd.FORFEITED)
    assert sanctions(tuple(record.event for record in table.log)) == [(1, "late", "lose_match")]


def test_v50_c_with_leave_not_before_fifteen_minutes():
    assert absent("canmou_tournament", 11).result.side == 0
    assert not absent("canmou_tournament", 11, leave=(False, True)).ended
    assert not absent("canmou_tournament", 14, leave=(False, True)).ended
    assert absent("canmou_tournament", 15, leave=(False, True)).result.reason is MatchEnd.FORFEITED


def test_v50_without_such_a_rule_the_table_waits_as_long_as_it_waits_for_anybody():
    rules = replace(load("standard"), late=None)
    table = table_of(rules, clocks=Clocks(connect_ms=60 * MINUTE, move_ms=SECOND))
    table.joined(0, 0)
    table.joined(2, 0)
    assert table.tick(59 * MINUTE) == ()
    assert table.deadline_ms == 60 * MINUTE


# What is not asked for is not there


@pytest.mark.parametrize("name", presets())
def test_an_announcement_that_is_made_costs_nothing_under_any_preset(name):
    rules = load(name)
    _, events = umpire.act(eleven_each(), 0, lay("S3"), rules, announce=True)
    _, by_itself = umpire.act(eleven_each(), 0, lay("S3"), rules)
    assert sanctions(events) == sanctions(by_itself) == []
    assert isinstance(events[0], Played)


@pytest.mark.parametrize("name", presets())
def test_a_table_refuses_an_answer_of_a_seat_that_is_not_asked(name):
    table = table_of(load(name))
    ask = seated(table)
    other = (ask.seat + 1) % 4
    (refused,) = table.answered(other, ask.request.id, Answer(0), 0)
    assert isinstance(refused, Refuse)
    assert refused.refusal.code == "stale"
    assert len(table.log) == 1
