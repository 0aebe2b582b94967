"""What the result of a match is worth in an event (docs/rules.md §12.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from guandan_engine.cards import Rank
from guandan_engine.events import DealEnded, Event, MatchEnd, MatchEnded
from guandan_engine.rules import RuleSet

__all__ = ["HUNDRED", "Score", "score_of", "table_score"]

Score: TypeAlias = tuple[int, int]

# Table score -> what the winner, each side of a draw, and the loser get.
_PLAIN: Final = {"none": (0, 0, 0), "2_1_0": (2, 1, 0), "3_2_1_0": (3, 2, 1)}
_LOST_BY_CONDUCT: Final = (MatchEnd.FORFEITED, MatchEnd.DISQUALIFIED)
HUNDRED: Final = 100


def table_score(end: MatchEnded, last: DealEnded | None, rules: RuleSet) -> Score:
    """Return what both sides score for a match; ``last`` is its last deal that counted, None when none did."""
    if rules.table_score == "deal_points":
        return end.points
    if rules.table_score == "hundred_plus_diff":
        return _hundred_plus_diff(end, last, rules)
    won, drawn, lost = _PLAIN[rules.table_score]
    if end.side is None:
        return drawn, drawn
    return _by_side(end.side, won, 0 if end.reason in _LOST_BY_CONDUCT else lost)


def score_of(events: Iterable[Event], rules: RuleSet) -> Score | None:
    """Return the score of a match from its whole log, None while it is not over."""
    last: DealEnded | None = None
    for event in events:
        if isinstance(event, DealEnded):
            last = event
        elif isinstance(event, MatchEnded):
            return table_score(event, last, rules)
    return None


def _hundred_plus_diff(end: MatchEnded, last: DealEnded | None, rules: RuleSet) -> Score:
    """A hundred and the difference of levels to whoever has passed the final one; levels gained to the loser.

    When the match has ended otherwise nobody gets the hundred, and both score the levels they have gained.
    """
    caps = rules.score_caps
    gained = [min(caps.loser, level - Rank.TWO) for level in end.levels]
    if end.reason is not MatchEnd.PASSED_FINAL or end.side is None:
        return gained[0], gained[1]
    passing = last.gain if last and caps.last_gain else 1
    difference = rules.final_level + passing - end.levels[1 - end.side]
    return _by_side(end.side, HUNDRED + min(caps.winner, difference), gained[1 - end.side])


def _by_side(winner: int, won: int, lost: int) -> Score:
    return (won, lost) if winner == 0 else (lost, won)
