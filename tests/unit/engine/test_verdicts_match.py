"""The worked verdicts V35 to V45 on levels, the end of a match and its score, under every preset each speaks of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guandan_engine import match as matches
from guandan_engine.actions import Lay
from guandan_engine.cards import Card, Rank
from guandan_engine.events import DealEnded, DealStarted, DealVoided, LegEnded, MatchEnd
from guandan_engine.promotion import Climb, after_deal, passes_final
from guandan_engine.rules import load, presets
from guandan_engine.score import table_score
from tests.dealing import endgame
from tests.playing import DOUBLE_DOWN, MINUTE, PARTNER_LAST, SINGLE, at, plain_deal, script, started

A = Rank.ACE
START = (Rank.TWO, Rank.TWO)
LOST_DOUBLE = (1, 3, 0, 2)
CLIMBING = sorted(set(presets()) - {"anhui_jianzhu_2017"})


def played(rules, order, levels, *, owner=0, climb=None):
    """Levels and gain after a deal of the owner."""
    climb, levels, gain = after_deal(climb or Climb(), levels, order, rules, owner=owner, level=levels[owner])
    return climb, levels, gain


@pytest.mark.parametrize(
    ("name", "level"), [("standard", "5"), ("huaian_2017", "5"), ("elim40_531", "7"), ("freecard_531_bo3", "7")]
)
def test_v35_a_double_down_from_two(name, level):
    _, levels, _ = played(load(name), DOUBLE_DOWN, START)
    assert levels == (Rank.parse(level), Rank.TWO)


def test_v35_three_points_and_the_level_stays():
    match, _ = script(started(load("anhui_jianzhu_2017")), [DOUBLE_DOWN], load("anhui_jianzhu_2017"))
    assert (match.points, match.deal.result.levels) == ((3, 0), START)


@pytest.mark.parametrize("name", CLIMBING)
def test_v36_a_king_that_wins_double_stops_at_the_ace(name):
    rules = load(name)
    levels = (Rank.KING, Rank.TWO)
    assert played(rules, DOUBLE_DOWN, levels)[1] == (A, Rank.TWO)
    assert not passes_final(levels, 0, DOUBLE_DOWN, rules)


@pytest.mark.parametrize("name", CLIMBING)
def test_v37_own_ace_is_passed_unless_the_partner_is_last(name):
    rules = load(name)
    passes = [passes_final((A, Rank.TWO), 0, order, rules) for order in (DOUBLE_DOWN, SINGLE, PARTNER_LAST)]
    assert passes == [True, not name.startswith("digest_004"), False]
    assert played(rules, PARTNER_LAST, (A, Rank.TWO))[1] == (A, Rank.TWO)
    assert not passes_final((A, A), 1, DOUBLE_DOWN, rules)


FALLS = {"elim40_531", "level_penalty", "anhui_shangmao"}


@pytest.mark.parametrize("lost", [PARTNER_LAST, LOST_DOUBLE, (1, 0, 3, 2)])
@pytest.mark.parametrize("name", sorted(FALLS | {"huaian_2017", "standard", "freecard_531_bo3", "canmou_tournament"}))
def test_v38_the_third_failed_ace(name, lost):
    rules = load(name)
    climb, levels = Climb(), (A, Rank.TWO)
    for _ in range(2):
        climb, levels, _ = played(rules, lost, levels, climb=climb)
        assert levels[0] is A
        levels = (A, Rank.TWO)
    climb, levels, _ = played(rules, lost, levels, climb=climb)
    assert levels[0] is (Rank.TWO if name in FALLS else A)


def test_v38_openguandan_counts_only_wins_with_the_partner_last_and_falls_at_the_fourth():
    rules = load("openguandan")
    climb, levels = Climb(), (A, Rank.TWO)
    for order in [*[LOST_DOUBLE] * 9, *[PARTNER_LAST] * 3]:
        climb, after, _ = played(rules, order, levels, climb=climb)
        assert after[0] is A
    _, after, _ = played(rules, PARTNER_LAST, levels, climb=climb)
    assert after[0] is Rank.TWO


@pytest.mark.parametrize("name", CLIMBING)
def test_v39_a_double_down_at_ones_own_ace(name):
    _, levels, _ = played(load(name), LOST_DOUBLE, (A, Rank.NINE))
    assert levels[0] is (Rank.KING if name.startswith("digest_004") else A)


def test_v40_the_first_win_after_a_fall_leads_to_three():
    rules = load("elim40_531")
    climb, levels = Climb(fails=(2, 0)), (A, Rank.NINE)
    climb, levels, _ = played(rules, LOST_DOUBLE, levels, climb=climb)
    assert (levels[0], climb.fallen) == (Rank.TWO, (True, False))
    climb, levels, _ = played(rules, DOUBLE_DOWN, levels, owner=1, climb=climb)
    assert (levels[0], climb.fallen) == (Rank.THREE, (False, False))
    assert played(rules, DOUBLE_DOWN, levels, climb=climb)[1][0] is Rank.EIGHT


def test_v41_the_third_first_running_brings_a_level_more_and_the_third_last_costs_one():
    rules = load("yangzhou")
    climb, levels = Climb(firsts=(2, 0, 0, 0), lasts=(0, 0, 0, 2)), START
    climb, levels, gain = played(rules, SINGLE, levels, owner=0, climb=climb)
    assert (levels, gain) == ((Rank.FIVE, Rank.TWO), 3)
    climb, levels, gain = played(rules, SINGLE, (Rank.FIVE, Rank.SIX), climb=climb)
    assert (levels, gain) == ((Rank.NINE, Rank.FOUR), 4)


def test_v41_both_losers_of_a_double_down_are_last():
    climb, _, _ = played(load("yangzhou"), DOUBLE_DOWN, START)
    assert climb.lasts == (0, 1, 0, 1)
    climb, _, _ = played(replace(load("yangzhou"), double_down_both_last=False), DOUBLE_DOWN, START)
    assert climb.lasts == (0, 0, 0, 1)


def test_v41_a_deal_at_the_final_level_brings_no_bonus():
    climb = Climb(firsts=(2, 0, 0, 0))
    _, levels, gain = played(load("yangzhou"), SINGLE, (Rank.FIVE, A), owner=1, climb=climb)
    assert (levels, gain) == ((Rank.SEVEN, A), 2)


def at_nine_all(rules):
    """Both sides at 9, side 1 there first; side 0 has just come up."""
    match, _ = script(started(rules), [(1, 0, 3, 2)], rules)
    match, _ = matches.next_deal(match, plain_deal(), rules)
    match = at(match, (Rank.SEVEN, Rank.NINE), order=(1, 0, 3, 2))
    return replace(match, leg=replace(match.leg, reached=(0, 1)))


def test_v42_at_equal_levels_the_side_that_reached_them_first_wins():
    rules = replace(load("elim40_531"), gains=(3, 2, 1))
    match, _ = script(at_nine_all(rules), [SINGLE], rules, minutes=40)
    assert match.deal.result.levels == (Rank.NINE, Rank.NINE)
    assert (match.ended.side, match.ended.reason) == (1, MatchEnd.TIME_UP)


def timed(name, **changes):
    return replace(load(name), end_on=("final", "time"), end_minutes=60, **changes)


def test_v42_in_a_swiss_event_equal_levels_are_a_draw_and_share_the_points():
    rules = timed("huaian_2017")
    match, _ = script(at_nine_all(rules), [SINGLE], rules, minutes=60)
    assert match.ended.side is None
    assert table_score(match.ended, match.deal.result, rules) == (1, 1)


def test_v42_in_a_knockout_an_extra_deal_decides():
    rules = timed("huaian_2017", tie_break=("extra_deal",))
    match, _ = script(at_nine_all(rules), [SINGLE], rules, minutes=60)
    assert match.ended is None
    match, _ = script(match, [(3, 0, 1, 2)], rules)
    assert (match.ended.side, match.ended.reason) == (1, MatchEnd.EXTRA_DEAL)


def cut_in_its_last_trick(rules, cards, ms):
    """Seat 2 lays its last card when so much of the time has gone, and with it would end the deal."""
    deal = endgame(("", "S3", cards, "S4"), turn=2, finished=(0,), levels=(Rank.SIX, Rank.FIVE), number=4)
    match = replace(started(rules), deal=replace(deal, order=SINGLE))
    return matches.apply(match, 2, Lay((Card.parse("SA"),)), rules, ms=ms)


@pytest.mark.parametrize("cards", ["SA", "SA SK"])
def test_v43_where_the_time_breaks_a_deal_off_the_levels_before_it_count(cards):
    rules = load("library_shift3")
    match, events = cut_in_its_last_trick(rules, cards, 60 * MINUTE)
    assert not any(isinstance(event, DealEnded) for event in events)
    (voided,) = [event for event in events if isinstance(event, DealVoided)]
    assert voided.levels == (Rank.SIX, Rank.FIVE)
    assert (match.ended.side, match.ended.reason) == (0, MatchEnd.TIME_UP)
    assert match.points == (0, 0)


def test_v43_a_minute_before_the_time_is_up_the_deal_goes_on():
    match, _ = cut_in_its_last_trick(load("library_shift3"), "SA SK", 59 * MINUTE)
    assert not match.deal.ended


@pytest.mark.parametrize("name", ["elim40_531", "anhui_shangmao"])
def test_v43_elsewhere_the_deal_is_played_to_its_end(name):
    rules = load(name)
    match, _ = cut_in_its_last_trick(rules, "SA SK", 60 * MINUTE)
    assert not match.deal.ended
    match, events = cut_in_its_last_trick(rules, "SA", 60 * MINUTE)
    assert any(isinstance(event, DealEnded) for event in events)
    assert match.ended.reason is MatchEnd.TIME_UP


@pytest.mark.parametrize(("other", "score"), [(Rank.NINE, (108, 7)), (Rank.TWO, (115, 0))])
def test_v44_a_hundred_and_the_difference(other, score):
    rules = load("library_shift3")
    match = at(started(rules), (A, other), order=SINGLE)
    match, _ = script(match, [DOUBLE_DOWN], rules)
    assert match.ended.reason is MatchEnd.PASSED_FINAL
    assert table_score(match.ended, match.deal.result, rules) == score


def test_v44_when_time_ends_it_each_side_scores_its_levels():
    rules = load("library_shift3")
    match = at(started(rules), (A, Rank.NINE), order=SINGLE)
    match, _ = script(match, [PARTNER_LAST], rules, minutes=60)
    assert match.ended.reason is MatchEnd.TIME_UP
    assert table_score(match.ended, match.deal.result, rules) == (12, 7)


# Ten deals. That 14 : 14 with four deals of three against three cannot be: thirteen all can.
FOUR_TO_THREE = [*[DOUBLE_DOWN] * 4, PARTNER_LAST, *[LOST_DOUBLE] * 3, *[(1, 0, 3, 2)] * 2]
FOUR_ALL = [*[DOUBLE_DOWN] * 4, SINGLE, *[LOST_DOUBLE] * 4, (1, 0, 3, 2)]


def test_v45_of_equal_points_the_side_with_more_deals_of_three_wins():
    rules = load("anhui_jianzhu_2017")
    match, events = script(started(rules), FOUR_TO_THREE, rules)
    assert match.points == (13, 13)
    assert (match.ended.side, match.ended.reason) == (0, MatchEnd.DEAL_LIMIT)
    assert all(event.levels == START for event in events if isinstance(event, DealStarted))


def test_v45_otherwise_a_deal_more_is_played():
    rules = load("anhui_jianzhu_2017")
    match, _ = script(started(rules), FOUR_ALL, rules)
    assert match.points == (14, 14)
    assert match.awaits_deal
    match, _ = script(match, [(3, 2, 1, 0)], rules)
    assert (match.ended.side, match.ended.reason) == (1, MatchEnd.EXTRA_DEAL)


def test_a_meeting_of_three_is_won_by_two_matches_each_from_two():
    rules = load("freecard_531_bo3")
    wins = [DOUBLE_DOWN] * 4
    match, events = script(started(rules), [*wins, *wins], rules)
    assert [event.wins for event in events if isinstance(event, LegEnded)] == [(1, 0), (2, 0)]
    assert (match.ended.side, match.ended.reason) == (0, MatchEnd.PASSED_FINAL)
    fresh = [event for event in events if isinstance(event, DealStarted) and not event.order]
    assert [event.level for event in fresh] == [Rank.TWO]
    assert [event.deal for event in events if isinstance(event, DealStarted)] == list(range(2, 9))
