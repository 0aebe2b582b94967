"""A match (一局): deals that climb from level 2 until the final level is passed, or a single board."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from guandan_engine import deal as deals
from guandan_engine.actions import Action, Question
from guandan_engine.board import Board, Hands
from guandan_engine.cards import Rank
from guandan_engine.deal import Deal
from guandan_engine.errors import EngineError
from guandan_engine.events import DealEnded, Event, MatchEnd, MatchEnded
from guandan_engine.promotion import passes_final
from guandan_engine.rules import RuleSet

# Two sides that never pass the final level would play for ever; people's matches end far below this.
MAX_DEALS: Final = 200


@dataclass(frozen=True, slots=True)
class Match:
    """A moment of a match. ``points``: sum of the gains of each side. ``limit`` is None for a board.

    When ``awaits_deal`` is true the cards of the next deal are needed: see ``next_deal``.
    """

    deal: Deal
    limit: int | None
    points: tuple[int, int] = (0, 0)
    ended: MatchEnded | None = None

    @property
    def awaits_deal(self) -> bool:
        """Whether a deal has ended and another must follow."""
        return self.deal.ended and self.ended is None


def start(
    hands: Hands, rules: RuleSet, *, leader: int = 0, deal_limit: int | None = None
) -> tuple[Match, tuple[Event, ...]]:
    """Begin a classic match at level 2 with the hands of its first deal."""
    limit = MAX_DEALS if deal_limit is None else min(deal_limit, MAX_DEALS)
    if limit < 1:
        raise EngineError(f"a deal limit of {deal_limit}; at least one deal is played")
    deal, events = deals.start(hands, Rank.TWO, rules, leader=leader)
    return Match(deal, limit), events


def start_board(board: Board, rules: RuleSet) -> tuple[Match, tuple[Event, ...]]:
    """Begin a board: one deal at its level, without tribute or promotion."""
    deal, events = deals.start(board.hands, board.level, rules, leader=board.leader, promotes=False)
    return Match(deal, None), events


def next_deal(match: Match, hands: Hands, rules: RuleSet) -> tuple[Match, tuple[Event, ...]]:
    """Begin the next deal at the level of the side that won the last one."""
    last = match.deal.result
    if last is None or match.ended:
        raise EngineError("no deal is awaited")
    level = last.levels[last.side]
    deal, events = deals.start(hands, level, rules, number=last.deal + 1, levels=last.levels, order=last.order)
    return replace(match, deal=deal), events


def questions(match: Match, rules: RuleSet) -> tuple[Question, ...]:
    """Return what the rules ask now; () between deals and at the end."""
    return deals.questions(match.deal, rules)


def apply(match: Match, seat: int, action: Action, rules: RuleSet) -> tuple[Match, tuple[Event, ...]]:
    """Act for a seat; raise IllegalAction when it may not. The event that ends the match comes last."""
    before = match.deal
    deal, events = deals.apply(before, seat, action, rules)
    if deal.result is None:
        return replace(match, deal=deal), events
    points = _plus(match.points, deal.result)
    ended = _ending(match.limit, before, deal.result, points, rules)
    return replace(match, deal=deal, points=points, ended=ended), (*events, ended) if ended else events


def _plus(points: tuple[int, int], result: DealEnded) -> tuple[int, int]:
    return (points[0] + result.gain, points[1]) if result.side == 0 else (points[0], points[1] + result.gain)


def _ending(
    limit: int | None, deal: Deal, result: DealEnded, points: tuple[int, int], rules: RuleSet
) -> MatchEnded | None:
    """Return how the match has ended with this deal, None when it goes on."""
    if limit is None:
        return MatchEnded(result.side, points, result.levels, MatchEnd.BOARD_PLAYED)
    if passes_final(deal.levels, deal.owner, result.order, rules):
        return MatchEnded(result.side, points, result.levels, MatchEnd.PASSED_FINAL)
    if result.deal < limit:
        return None
    a, b = result.levels
    side = None if a == b else int(b > a)
    return MatchEnded(side, points, result.levels, MatchEnd.DEAL_LIMIT)
