"""What ends a match and who has won it; meetings of several; what a result scores."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guandan_engine import leg as legs
from guandan_engine import match as matches
from guandan_engine.cards import Rank
from guandan_engine.conduct import action_of
from guandan_engine.events import DealStarted, LegEnded, MatchEnd, MatchEnded
from guandan_engine.leg import Decided
from guandan_engine.promotion import Climb, after_deal
from guandan_engine.rules import load
from guandan_engine.rules.promotion import Streak
from guandan_engine.score import score_of, table_score
from tests.dealing import STANDARD
from tests.playing import DOUBLE_DOWN, PARTNER_LAST, SINGLE, at, plain_deal, script, started
from tests.strategies import levels

A = Rank.ACE
LOST = (1, 0, 3, 2)
LOST_DOUBLE = (1, 3, 0, 2)


def decide(tie_break, leg, *, out_of_deals=False):
    rules = replace(STANDARD, tie_break=tie_break)
    return legs.by_standing(leg, (A, A), MatchEnd.TIME_UP, out_of_deals=out_of_deals, rules=rules)


def test_tie_breaks_are_gone_through_in_their_order():
    leg = replace(legs.FIRST, reached=(4, 4), triples=(1, 2))
    assert decide(("first_to_reach", "more_triples", "draw"), leg) == Decided(1, MatchEnd.TIME_UP)
    assert decide(("first_to_reach", "draw"), leg) == Decided(None, MatchEnd.TIME_UP)
    assert decide(("first_to_reach",), replace(leg, reached=(5, 4))) == Decided(1, MatchEnd.TIME_UP)


def test_an_extra_deal_needs_a_deal_that_may_be_played():
    assert decide(("extra_deal",), legs.FIRST).extra
    assert decide(("extra_deal",), legs.FIRST, out_of_deals=True) == Decided(None, MatchEnd.TIME_UP)


def test_time_counts_only_where_it_ends_a_match():
    rules = replace(STANDARD, end_on=("final", "time"), end_minutes=1)
    for chosen, over in ((STANDARD, False), (rules, True)):
        match, _ = script(started(chosen), [SINGLE], chosen, minutes=5)
        assert bool(match.ended) is over


def test_the_time_of_a_match_is_that_of_its_decisions():
    match = started(STANDARD)
    (question,) = matches.questions(match, STANDARD)
    action = action_of(question.options[0], match.deal.hands[question.seat], match.deal.level)
    match, _ = matches.apply(match, question.seat, action, STANDARD, ms=1234)
    assert match.leg.elapsed_ms == 1234


def test_a_voided_deal_is_followed_by_one_at_the_same_level_with_the_same_tribute():
    rules = replace(load("library_shift3"), tie_break=("extra_deal",))
    match = at(started(rules), (Rank.FIVE, Rank.FIVE), order=SINGLE)
    leg = replace(match.leg, elapsed_ms=rules.end_minutes * 60_000)
    match, events = matches._cut(match, leg, match.deal, (), rules)
    assert match.awaits_deal
    match, events = matches.next_deal(match, plain_deal(), rules)
    assert (events[0].order, events[0].level) == (SINGLE, Rank.FIVE)
    match, _ = script(match, [LOST], rules)
    assert (match.ended.side, match.ended.reason) == (1, MatchEnd.EXTRA_DEAL)


def test_a_meeting_goes_to_a_third_match_and_each_begins_afresh():
    rules = load("freecard_531_bo3")
    wins, losses = [DOUBLE_DOWN] * 4, [LOST_DOUBLE] * 4
    match, events = script(started(rules), [*wins, *losses, *wins], rules)
    assert [(event.leg, event.side, event.wins) for event in events if isinstance(event, LegEnded)] == [
        (1, 0, (1, 0)),
        (2, 1, (1, 1)),
        (3, 0, (2, 1)),
    ]
    assert match.ended.side == 0
    assert match.points == (40, 20)
    afresh = [event for event in events if isinstance(event, DealStarted) and not event.order]
    assert [(event.levels, event.leader) for event in afresh] == [((Rank.TWO, Rank.TWO), 0)] * 2


def test_a_meeting_out_of_deals_is_decided_by_matches_won():
    rules = load("freecard_531_bo3")
    match, events = script(started(rules, deal_limit=5), [DOUBLE_DOWN] * 4 + [LOST], rules)
    assert [event.side for event in events if isinstance(event, LegEnded)] == [0, 1]
    assert (match.ended.side, match.ended.reason) == (None, MatchEnd.DEAL_LIMIT)


def test_a_level_that_must_be_played_is_left_only_in_a_deal_of_ones_own():
    rules = replace(STANDARD, must_play=(Rank.TWO, A))
    climb, now = Climb(), (Rank.TWO, Rank.TWO)
    climb, now, _ = after_deal(climb, now, LOST, rules, owner=None, level=Rank.TWO)
    assert now == (Rank.TWO, Rank.FOUR)
    climb, now, gain = after_deal(climb, now, SINGLE, rules, owner=1, level=now[1])
    assert (now[0], gain) == (Rank.TWO, 2)
    climb, now, _ = after_deal(climb, now, SINGLE, rules, owner=0, level=Rank.TWO)
    assert now[0] is Rank.FOUR


@given(levels, levels, st.permutations(range(4)), st.integers(0, 1), st.integers(0, 9), st.integers(0, 9))
def test_streaks_never_lead_below_the_floor_or_past_a_stop(a, b, order, owner, first, last):
    rules = replace(load("yangzhou"), streak=Streak(start=3, floor=Rank.FOUR))
    climb = Climb(firsts=(first,) * 4, lasts=(last,) * 4)
    _, now, _ = after_deal(climb, (a, b), tuple(order), rules, owner=owner, level=(a, b)[owner])
    for before, level in zip((a, b), now, strict=True):
        assert level <= A
        assert level >= min(before, Rank.FOUR)


@pytest.mark.parametrize(
    ("form", "side", "reason", "score"),
    [
        ("none", 0, MatchEnd.PASSED_FINAL, (0, 0)),
        ("2_1_0", 1, MatchEnd.PASSED_FINAL, (0, 2)),
        ("2_1_0", None, MatchEnd.DEAL_LIMIT, (1, 1)),
        ("3_2_1_0", 0, MatchEnd.TIME_UP, (3, 1)),
        ("3_2_1_0", None, MatchEnd.TIME_UP, (2, 2)),
        ("3_2_1_0", 1, MatchEnd.FORFEITED, (0, 3)),
        ("deal_points", 1, MatchEnd.DEAL_LIMIT, (7, 9)),
    ],
)
def test_what_a_result_scores(form, side, reason, score):
    rules = replace(STANDARD, table_score=form)
    assert table_score(MatchEnded(side, (7, 9), (A, Rank.NINE), reason), None, rules) == score


def test_the_score_of_a_log_takes_the_gain_of_the_deal_that_passed():
    rules = load("library_shift3")
    for order, score in ((DOUBLE_DOWN, 108), (SINGLE, 107)):
        match = at(started(rules), (A, Rank.NINE), order=PARTNER_LAST)
        _, events = script(match, [order], rules)
        assert score_of(events, rules) == (score, 7)
    assert score_of((), rules) is None
