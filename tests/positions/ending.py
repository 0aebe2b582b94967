"""Positions of the end of a match: time, deals, ties, meetings, and what the result is worth."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from guandan_engine import leg as legs
from guandan_engine import match as matches
from guandan_engine.actions import Lay
from guandan_engine.cards import Card, Rank
from guandan_engine.events import DealEnded, MatchEnd, MatchEnded
from guandan_engine.match import Match
from guandan_engine.rules import RuleSet
from guandan_engine.rules.match import ScoreCaps
from guandan_engine.score import table_score
from tests.dealing import endgame
from tests.playing import DOUBLE_DOWN, MINUTE, PARTNER_LAST, SINGLE, at, plain_deal, script, started
from tests.rule_positions import IDLE, position

LOST_DOUBLE = (1, 3, 0, 2)


def result(match: Match) -> Hashable:
    """How a match stands or has ended."""
    deal = match.deal.result.levels if match.deal.result else None
    return match.ended, match.awaits_deal, match.wins, match.points, match.leg.number, match.leg.extra, deal


@position("end_on", "best_of")
def passing_the_final_level(rules: RuleSet) -> Hashable:
    match = at(started(rules), (rules.final_level, Rank.TWO), order=SINGLE)
    return result(script(match, [DOUBLE_DOWN], rules)[0])


@position("end_on", "end_minutes", "best_of")
def deals_of_a_minute_each(rules: RuleSet) -> Hashable:
    """After how many deals, none of which passes anything, the match is over."""
    return _deals_until_over(rules, minutes=1)


@position("end_on", "end_deals", "best_of")
def deals_that_take_no_time(rules: RuleSet) -> Hashable:
    return _deals_until_over(rules, minutes=0)


def _deals_until_over(rules: RuleSet, *, minutes: int) -> Hashable:
    match, count = started(rules), 0
    while not match.ended and count < 70:
        if match.awaits_deal:
            match, _ = matches.next_deal(match, plain_deal(), rules)
        in_between = replace(match.deal, number=2, levels=(Rank.SEVEN, Rank.FIVE), order=PARTNER_LAST, promotes=False)
        match, _ = script(replace(match, deal=in_between), [PARTNER_LAST], rules, minutes=minutes)
        count += 1
    return count, match.ended and match.ended.reason


@position("time_cut")
def the_last_card_falls_when_the_time_is_up(rules: RuleSet) -> Hashable:
    deal = endgame(("", "S3", "SA", "S4"), turn=2, finished=(0,), levels=(Rank.FOUR, Rank.FIVE), number=4)
    match = replace(started(rules), deal=replace(deal, order=SINGLE))
    late = rules.end_minutes * MINUTE
    return tuple(map(type, matches.apply(match, 2, Lay((Card.parse("SA"),)), rules, ms=late)[1]))


def level_at_the_end(rules: RuleSet, *, reached: tuple[int, int], triples: tuple[int, int]) -> Hashable:
    """How a match ends whose sides are level when time or deals run out, and a deal later."""
    leg = replace(legs.FIRST, deals=9, points=(5, 5), reached=reached, triples=triples)
    ended = legs.by_standing(leg, (Rank.NINE, Rank.NINE), MatchEnd.TIME_UP, out_of_deals=False, rules=rules)
    last = legs.by_standing(leg, (Rank.NINE, Rank.NINE), MatchEnd.TIME_UP, out_of_deals=True, rules=rules)
    return ended, last


@position("tie_break")
def sides_that_are_level(rules: RuleSet) -> Hashable:
    cases = [((3, 4), (1, 2)), ((4, 3), (2, 1)), ((3, 3), (2, 1)), ((3, 3), (1, 1)), ((3, 4), (2, 2))]
    return tuple(level_at_the_end(rules, reached=reached, triples=triples) for reached, triples in cases)


# Nobody gains more than the 12 levels from 2 to A.
IDLE["score_caps"] = lambda rules: rules.score_caps == replace(ScoreCaps(), loser=max(12, rules.score_caps.loser))


@position("table_score", "score_caps")
def scores(rules: RuleSet) -> Hashable:
    ends = [
        (side, reason, (a, b))
        for side in (0, 1, None)
        for reason in (MatchEnd.PASSED_FINAL, MatchEnd.TIME_UP, MatchEnd.FORFEITED)
        for a in Rank
        for b in (Rank.TWO, Rank.NINE, Rank.KING)
        if max(a, b) <= rules.final_level
    ]
    return tuple(
        table_score(MatchEnded(side, (13, 9), levels, reason), _last(gain, levels), rules)
        for side, reason, levels in ends
        for gain in (1, 3, 5)
    )


def _last(gain: int, levels: tuple[Rank, Rank]) -> DealEnded:
    deal = endgame(("", "", "", "S3"), finished=(0, 1, 2))
    return DealEnded(9, SINGLE, 0, gain, levels, deal.hands)
