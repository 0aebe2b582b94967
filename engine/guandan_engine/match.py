"""A match (一局): deals that climb from level 2 until the rules end it; a meeting of several; or a single board."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from guandan_engine import deal as deals
from guandan_engine import leg as legs
from guandan_engine.actions import Action, Question
from guandan_engine.board import Board
from guandan_engine.cards import Rank
from guandan_engine.deal import Deal
from guandan_engine.dealing import Dealt
from guandan_engine.errors import EngineError
from guandan_engine.events import DealEnded, Event, LegEnded, MatchEnd, MatchEnded
from guandan_engine.leg import Decided, Leg
from guandan_engine.promotion import Levels, passes_final
from guandan_engine.rules import RuleSet

__all__ = [
    "MAX_DEALS",
    "START",
    "Events",
    "Match",
    "after_result",
    "apply",
    "next_deal",
    "questions",
    "start",
    "start_board",
]

# Two sides that never pass the final level would play for ever; people's matches end far below this.
MAX_DEALS: Final = 200
START: Final[Levels] = (Rank.TWO, Rank.TWO)

Events: TypeAlias = tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A moment of a match. ``limit``: the most deals, None for a board. ``points``: sum of the gains of each side.

    ``leg``: the tally of the match being played; ``wins``: matches of a meeting that each side has won. ``afresh``:
    the next deal is the first of another match. When ``awaits_deal`` is true the next deal is needed: ``next_deal``.
    """

    deal: Deal
    limit: int | None
    points: tuple[int, int] = (0, 0)
    ended: MatchEnded | None = None
    leg: Leg = legs.FIRST
    wins: tuple[int, int] = (0, 0)
    afresh: bool = False

    @property
    def awaits_deal(self) -> bool:
        """Whether a deal has ended and another must follow."""
        return self.deal.ended and self.ended is None


def start(dealt: Dealt, rules: RuleSet, *, deal_limit: int | None = None) -> tuple[Match, Events]:
    """Begin a classic match at level 2 with its first deal."""
    limit = MAX_DEALS if deal_limit is None else min(deal_limit, MAX_DEALS)
    if limit < 1:
        raise EngineError(f"a deal limit of {deal_limit}; at least one deal is played")
    deal, events = _first_deal(dealt, 1, rules)
    return Match(deal, limit), events


def start_board(board: Board, rules: RuleSet) -> tuple[Match, Events]:
    """Begin a board: one deal at its level, without promotion, and without tribute unless its context has it."""
    dealt = Dealt(board.hands, board.leader)
    deal, events = deals.start(dealt, board.level, rules, order=board.order, promotes=False)
    return Match(deal, None), events


def next_deal(match: Match, dealt: Dealt, rules: RuleSet, *, leader: int | None = None) -> tuple[Match, Events]:
    """Begin the next deal: at the level of the side that won the last one, or afresh in a meeting's next match.

    A deal that was voided is followed by another in its place. Where a ``leader`` is named, no tribute is paid.
    """
    last = match.deal
    if not match.awaits_deal:
        raise EngineError("no deal is awaited")
    number = last.number + 1
    result = last.result
    levels, order = (result.levels, result.order) if result else (last.levels, last.order)
    if match.afresh or not order:
        deal, events = _first_deal(dealt, number, rules)
    else:
        level = rules.fixed_level if rules.fixed_level is not None else levels[order[0] & 1]
        deal, events = deals.start(
            dealt, level, rules, number=number, levels=levels, order=order, climb=last.climb, leader=leader
        )
    return replace(match, deal=deal, afresh=False), events


def _first_deal(dealt: Dealt, number: int, rules: RuleSet) -> tuple[Deal, Events]:
    level = Rank.TWO if rules.fixed_level is None else rules.fixed_level
    return deals.start(dealt, level, rules, number=number, levels=(level, level))


def questions(match: Match, rules: RuleSet) -> tuple[Question, ...]:
    """Return what the rules ask now; () between deals and at the end."""
    return deals.questions(match.deal, rules)


def apply(match: Match, seat: int, action: Action, rules: RuleSet, *, ms: int = 0) -> tuple[Match, Events]:
    """Act for a seat that took ``ms`` to decide; raise IllegalAction when it may not.

    The event that ends the match comes last. Where the time breaks a deal off, it is voided once nothing is sealed.
    """
    before = match.deal
    deal, events = deals.apply(before, seat, action, rules)
    leg = legs.passing_time(match.leg, ms)
    if match.limit is not None and legs.is_cut(leg, rules) and not deal.sealed:
        return _cut(match, leg, deal, events, rules)
    if deal.result is None:
        return Match(deal, match.limit, match.points, None, leg, match.wins), events
    match = replace(match, deal=deal, leg=leg, points=legs.plus(match.points, deal.result.side, deal.result.gain))
    match, ends = after_result(match, before, rules)
    return match, (*events, *ends)


def after_result(match: Match, before: Deal, rules: RuleSet) -> tuple[Match, Events]:
    """Return the match once its deal has a result, and what that ends; ``before``: the deal before it ended."""
    result = match.deal.result
    if result is None:
        raise EngineError("the deal has not ended")
    if match.limit is None:
        ended = MatchEnded(result.side, match.points, result.levels, MatchEnd.BOARD_PLAYED)
        return replace(match, ended=ended), (ended,)
    leg = legs.after_deal(match.leg, before.levels, result)
    passed = passes_final(before.levels, before.owner, result.order, rules)
    decided = legs.decided_by(leg, result, passed=passed, out_of_deals=result.deal >= match.limit, rules=rules)
    return _go_on(match, leg, decided, result.levels, rules)


def _cut(match: Match, leg: Leg, deal: Deal, events: Events, rules: RuleSet) -> tuple[Match, Events]:
    """The time has run out in this deal: it does not count, not even when its last card has just been laid."""
    voided, event = deals.void(replace(deal, levels=match.deal.levels, climb=match.deal.climb), rules)
    events = (*(event for event in events if not isinstance(event, DealEnded)), event)
    out_of_deals = match.limit is not None and deal.number >= match.limit
    decided = legs.by_standing(leg, voided.levels, MatchEnd.TIME_UP, out_of_deals=out_of_deals, rules=rules)
    match, ends = _go_on(replace(match, deal=voided), leg, decided, voided.levels, rules)
    return match, (*events, *ends)


def _go_on(match: Match, leg: Leg, decided: Decided | Leg, levels: Levels, rules: RuleSet) -> tuple[Match, Events]:
    """Play on with the tally, or end the match, and with it the meeting when it is won or may not go on."""
    if isinstance(decided, Leg):
        return replace(match, leg=decided), ()
    side, reason = decided.side, decided.reason
    if rules.best_of == 1:
        ended = MatchEnded(side, match.points, levels, reason)
        return replace(match, leg=leg, ended=ended), (ended,)
    wins = match.wins if side is None else legs.plus(match.wins, side, 1)
    over = LegEnded(leg.number, side, levels, wins, reason)
    out_of_deals = match.limit is not None and match.deal.number >= match.limit
    if max(wins) * 2 > rules.best_of or leg.number >= rules.best_of or out_of_deals:
        winner = None if wins[0] == wins[1] else int(wins[1] > wins[0])
        ended = MatchEnded(winner, match.points, levels, reason)
        return replace(match, leg=leg, wins=wins, ended=ended), (over, ended)
    return replace(match, leg=Leg(leg.number + 1), wins=wins, afresh=True), (over,)
