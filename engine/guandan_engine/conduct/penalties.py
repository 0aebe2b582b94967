"""What a sanction does to a match: turns, levels, points, the deal, the match (docs/rules.md §11.4, §11.7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from guandan_engine import deal as deals
from guandan_engine import leg as legs
from guandan_engine import match as matches
from guandan_engine.board import side_of
from guandan_engine.cards import Card
from guandan_engine.conduct.exposed import also
from guandan_engine.conduct.ledger import Ledger, booked
from guandan_engine.conduct.offences import Offence, Sanction
from guandan_engine.deal import Deal
from guandan_engine.events import Event, MatchEnd, MatchEnded, Sanctioned
from guandan_engine.match import Match
from guandan_engine.promotion import Levels, shifted
from guandan_engine.rules import RuleSet
from guandan_engine.seats import put

Events: TypeAlias = tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Penalty:
    """A sanction on a seat for an offence, as it is to be carried out.

    ``amount``: turns, levels or points; of a foul, the rules say how many. ``cards``: to be led one by one.
    ``leader``: who leads the next deal, where no tribute is paid for this one; None takes the one who came out first.
    """

    seat: int
    offence: Offence
    sanction: Sanction
    amount: int = 1
    cards: tuple[Card, ...] = ()
    leader: int | None = None
    referee: bool = False
    reason: str = ""


Outcome: TypeAlias = tuple[Match, Ledger, Events]


def impose(match: Match, ledger: Ledger, penalty: Penalty, rules: RuleSet) -> Outcome:
    """Carry out a sanction and book it: the event that tells it comes first, then what it brings about."""
    ledger = booked(ledger, penalty.seat, penalty.offence, penalty.sanction, rules)
    if penalty.cards:
        penalty = replace(penalty, cards=tuple(sorted(penalty.cards)))
        exposed = also(ledger.exposed[penalty.seat], penalty.cards)
        ledger = replace(ledger, exposed=put(ledger.exposed, penalty.seat, exposed))
    effect = _EFFECTS[penalty.sanction]
    if penalty.sanction is Sanction.FOUL:
        penalty = replace(penalty, amount=rules.foul_levels)
        effect = _FOULS[rules.foul_effect]
    return effect(match, ledger, penalty, rules)


def _told(penalty: Penalty, *, amount: int = 0, levels: Levels | None = None, leader: int | None = None) -> Sanctioned:
    return Sanctioned(
        penalty.seat,
        penalty.offence,
        penalty.sanction,
        amount,
        levels,
        penalty.cards,
        leader,
        penalty.referee,
        penalty.reason,
    )


def _record(match: Match, ledger: Ledger, penalty: Penalty, _: RuleSet) -> Outcome:
    return match, ledger, (_told(penalty),)


def _skip_turns(match: Match, ledger: Ledger, penalty: Penalty, _: RuleSet) -> Outcome:
    turns = ledger.skips[penalty.seat] + penalty.amount
    ledger = replace(ledger, skips=put(ledger.skips, penalty.seat, turns))
    return match, ledger, (_told(penalty, amount=penalty.amount),)


def _skip_lap(match: Match, ledger: Ledger, penalty: Penalty, _: RuleSet) -> Outcome:
    barred = True
    return match, replace(ledger, laps=put(ledger.laps, penalty.seat, barred)), (_told(penalty),)


def _to_opponents(match: Match, ledger: Ledger, penalty: Penalty, rules: RuleSet) -> Outcome:
    """Raise the other side, never past the final level; where levels do not move, it gets points."""
    return _move(match, ledger, penalty, rules, side=1 - side_of(penalty.seat), by=penalty.amount)


def _lose_level(match: Match, ledger: Ledger, penalty: Penalty, rules: RuleSet) -> Outcome:
    """Lower the side, not below 2; where levels do not move, it loses points."""
    return _move(match, ledger, penalty, rules, side=side_of(penalty.seat), by=-penalty.amount)


def _lose_point(match: Match, ledger: Ledger, penalty: Penalty, _: RuleSet) -> Outcome:
    return _with_points(match, ledger, penalty, side_of(penalty.seat), -penalty.amount)


def _move(match: Match, ledger: Ledger, penalty: Penalty, rules: RuleSet, *, side: int, by: int) -> Outcome:
    """Move a side's level, or its points on a board and where points are played for.

    The level of the deal being played stays, and so does what its winners need to pass the final level.
    """
    deal = match.deal
    if not deal.promotes or rules.unit == "points":
        return _with_points(match, ledger, penalty, side, by)
    shifts = legs.plus(deal.shifts, side, by)
    levels = shifted(deal.levels, shifts, rules)
    told = _told(penalty, amount=penalty.amount, levels=levels)
    return replace(match, deal=replace(deal, shifts=shifts)), ledger, (told,)


def _with_points(match: Match, ledger: Ledger, penalty: Penalty, side: int, points: int) -> Outcome:
    leg = replace(match.leg, points=legs.plus(match.leg.points, side, points))
    moved = replace(match, points=legs.plus(match.points, side, points), leg=leg)
    return moved, ledger, (_told(penalty, amount=penalty.amount),)


def _lose_deal(match: Match, ledger: Ledger, penalty: Penalty, rules: RuleSet) -> Outcome:
    """The deal ends, and the side has come third and last in it (双下)."""
    lost, events = _judged(match, penalty.seat, rules)
    return lost, ledger, (_told(penalty), *events)


def _double_down_no_tribute(match: Match, ledger: Ledger, penalty: Penalty, rules: RuleSet) -> Outcome:
    """The deal is lost as above, and for it no tribute is paid: one of the winners leads the next deal."""
    lost, events = _judged(match, penalty.seat, rules)
    result = lost.deal.result
    first = result.order[0] if result else None
    leader = first if penalty.leader is None else penalty.leader
    return lost, replace(ledger, next_leader=leader), (_told(penalty, leader=leader), *events)


def _lose_match(match: Match, ledger: Ledger, penalty: Penalty, rules: RuleSet) -> Outcome:
    """The deal is lost, and with it the whole match."""
    end = MatchEnd.DISQUALIFIED if penalty.sanction is Sanction.BAN else MatchEnd.FORFEITED
    lost, events = _judged(match, penalty.seat, rules)
    levels = lost.deal.result.levels if lost.deal.result else lost.deal.levels
    ended = MatchEnded(1 - side_of(penalty.seat), lost.points, levels, end)
    events = (*(event for event in events if not isinstance(event, MatchEnded)), ended)
    return replace(lost, ended=ended), ledger, (_told(penalty), *events)


def _judged(match: Match, loser: int, rules: RuleSet) -> tuple[Match, Events]:
    """End the deal as a double-down of the loser's side, and whatever ends with it."""
    before = match.deal
    deal, events = deals.judge(before, lost_order(before, loser), rules)
    result = deal.result
    assert result is not None
    match = replace(match, deal=deal, points=legs.plus(match.points, result.side, result.gain))
    match, ends = matches.after_result(match, before, rules)
    return match, (*events, *ends)


def lost_order(deal: Deal, loser: int) -> tuple[int, int, int, int]:
    """Return the finishing order of a deal that a side has lost by ruling.

    Each side keeps the order in which its seats came out; seats still in follow in play order from the loser.
    """
    finished = deal.trick.finished
    rest = (seat for step in (1, 2, 3, 4) if (seat := (loser + step) % 4) not in finished)
    seats = (*finished, *rest)
    winners = [seat for seat in seats if side_of(seat) != side_of(loser)]
    losers = [seat for seat in seats if side_of(seat) == side_of(loser)]
    return (winners[0], winners[1], losers[0], losers[1])


_Effect: TypeAlias = Callable[[Match, Ledger, Penalty, RuleSet], Outcome]
_EFFECTS: Final[dict[Sanction, _Effect]] = {
    Sanction.WARN: _record,
    Sanction.SKIP_TURN: _skip_turns,
    Sanction.SKIP_LAP: _skip_lap,
    Sanction.FOUL: _record,
    Sanction.LEVEL_TO_OPPONENTS: _to_opponents,
    Sanction.LOSE_LEVEL: _lose_level,
    Sanction.LOSE_POINT: _lose_point,
    Sanction.LOSE_DEAL: _lose_deal,
    Sanction.LOSE_MATCH: _lose_match,
    Sanction.BAN: _lose_match,
}
_FOULS: Final[dict[str, _Effect]] = {
    "record": _record,
    "opponents_plus": _to_opponents,
    "lose_level": _lose_level,
    "lose_point": _lose_point,
    "lose_deal": _lose_deal,
    "double_down_no_tribute": _double_down_no_tribute,
}
