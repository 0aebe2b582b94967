"""Positions of conduct: what is told and may be looked at, how long one may think, and what faults cost."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from guandan_engine.actions import Ask, Pass
from guandan_engine.cards import Rank
from guandan_engine.conduct import Ledger, Offence, Sanction, umpire
from guandan_engine.conduct.announcing import hears, owes, silence
from guandan_engine.conduct.appeals import terms
from guandan_engine.conduct.ledger import booked, next_deal, next_rung, violation
from guandan_engine.conduct.pace import Pace, forfeit_ms, pace_of
from guandan_engine.conduct.rulings import cost_of
from guandan_engine.events import DealStarted, Event
from guandan_engine.exchange import Answer, Refuse
from guandan_engine.rules import RuleSet
from guandan_engine.view import SeatView, cut, fold
from tests.rule_positions import IDLE, position
from tests.umpiring import eleven_each, lay, moment, ruling, seated, table_of


def _tells(rules: RuleSet) -> str:
    """How announcing goes, agreed or not."""
    agreed = "auto_once" if rules.announce_agreed else "none"
    return agreed if rules.announce == "by_agreement" else rules.announce


_ONCE = ("auto_once", "auto_and_request")
_UNASKED = ("none", "on_request")

# Where the table always shows the cards left, asking for them changes nothing.
IDLE["announce"] = lambda rules: (
    _tells(rules) == "none" or (rules.count_view == "always" and _tells(rules) in (*_ONCE, "on_request"))
)
IDLE["announce_max"] = lambda rules: (
    _tells(rules) == "none" or (rules.count_view == "always" and _tells(rules) == "on_request")
)
IDLE["bad_move_retries"] = lambda rules: rules.bad_move_policy != "reject_retry"


@position("announce", "announce_max", "announce_agreed")
def who_is_told_how_many_cards_are_left(rules: RuleSet) -> Hashable:
    found = []
    for left in range(28):
        for told in (False, True):
            owed = owes(left, told=told, rules=rules)
            found.append((owed, hears(left, owed=owed, said=False, rules=rules)))
    return tuple(found)


def _view_of_next(rules: RuleSet) -> SeatView:
    """What the next seat sees when all have passed on one of eleven cards, and another is laid."""
    sitting = eleven_each()
    hands = sitting.deal.hands
    dealt: Event = DealStarted(1, Rank.TWO, (Rank.TWO, Rank.TWO), 0, hands)
    view = fold(SeatView(1, rules), cut(dealt, 1))
    for cards in ("S8", None, None, None, "S3", None, "C4"):
        action = Pass() if cards is None else lay(cards)
        sitting, events = umpire.act(sitting, sitting.deal.trick.turn, action, rules)
        for event in events:
            view = fold(view, cut(event, 1))
    return view


@position("count_view")
def the_count_of_one_who_laid_from_more_than_are_announced(rules: RuleSet) -> Hashable:
    rules = replace(rules, announce_max=1)
    return _view_of_next(rules).counts


@position("review")
def what_lies_open_of_two_tricks(rules: RuleSet) -> Hashable:
    view = _view_of_next(rules)
    return repr(view.history), view.trick


def _times(pace: Pace) -> Hashable:
    """All that a pace says: also how late a warning may be, and what that leaves."""
    return pace, pace.over_ms, pace.over_after(pace.warn_until_ms)


@position("play_clock", "first_play_clock")
def the_time_for_a_play(rules: RuleSet) -> Hashable:
    return _times(pace_of(Ask.PLAY, rules)), _times(pace_of(Ask.PLAY, rules, first=True))


@position("tribute_clock")
def the_time_for_a_tribute(rules: RuleSet) -> Hashable:
    return _times(pace_of(Ask.PAY, rules))


@position("return_clock")
def the_time_for_a_return(rules: RuleSet) -> Hashable:
    return _times(pace_of(Ask.RETURN, rules))


def _costs(rules: RuleSet, seats: tuple[int, ...], *, least: Sanction = Sanction.WARN) -> Hashable:
    """What faults of these seats cost, one after the other; None stands for a new deal."""
    ledger, found = Ledger(), []
    for seat in seats:
        sanction = next_rung(ledger, seat, rules, least=least)
        ledger = booked(ledger, seat, Offence.OTHER, sanction, rules)
        found.append(sanction)
    return tuple(found)


@position("ladder")
def faults_of_one_seat_one_after_the_other(rules: RuleSet) -> Hashable:
    length = len(rules.ladder) + 2
    return _costs(rules, (0,) * length), _costs(rules, (0,) * length, least=Sanction.FOUL), violation(rules)


@position("ladder_counts")
def faults_of_partners(rules: RuleSet) -> Hashable:
    return _costs(rules, (0, 2))


@position("ladder_span")
def a_fault_in_the_next_deal(rules: RuleSet) -> Hashable:
    ledger = booked(Ledger(), 0, Offence.OTHER, next_rung(Ledger(), 0, rules), rules)
    return next_rung(next_deal(ledger, rules), 0, rules)


@position("foul_effect", "foul_levels")
def a_foul_in_the_middle_of_a_deal(rules: RuleSet) -> Hashable:
    """One side is as far below the final level as the other, so that every number of levels shows."""
    sitting = moment(("S3 S4", "H3 H4", "C3 C4", "D3 D4"), levels=(Rank.FIVE, Rank.FIVE), order=(0, 1, 2, 3))
    after, events = umpire.rule(sitting, ruling(1, sanction=Sanction.FOUL), rules)
    return repr(events), after.match.points, after.deal.shifts, after.ledger.next_leader


@position("out_of_turn")
def a_play_out_of_turn(rules: RuleSet) -> Hashable:
    return tuple(_costs_of(rules, Offence.OUT_OF_TURN, previous_passed=passed) for passed in (True, False))


@position("exposed_card")
def two_cards_exposed(rules: RuleSet) -> Hashable:
    return _costs_of(rules, Offence.EXPOSED)


def _costs_of(rules: RuleSet, offence: Offence, **facts: Any) -> Hashable:
    """What a ruling on two cards costs the first time and the second."""
    made = ruling(0, offence, cards=lay("S3 S4").cards, **facts)
    once = booked(Ledger(), 0, Offence.OTHER, Sanction.WARN, rules)
    return cost_of(Ledger(), made, rules), cost_of(once, made, rules)


@position("announce_fault")
def silence_at_once_again_late_and_after_coming_out_first(rules: RuleSet) -> Hashable:
    again = Ledger(silences=(1, 0, 0, 0))
    return (
        silence(Ledger(), 0, rules),
        silence(again, 0, rules),
        silence(Ledger(), 0, rules, late=True),
        silence(Ledger(), 0, rules, out_first=True),
    )


@position("bad_move_policy", "bad_move_retries")
def nonsense_for_an_answer(rules: RuleSet) -> Hashable:
    """How often a table asks a seat that answers nonsense, and what that costs it."""
    table = table_of(rules)
    ask = seated(table)
    left = []
    while not left or left[-1]:
        effects = table.answered(ask.seat, ask.request.id, Answer(-1), 0)
        left += [effect.refusal.attempts_left for effect in effects if isinstance(effect, Refuse)]
    return tuple(left), umpire.bad_move(eleven_each(), 0, rules)


@position("late")
def an_absent_pair(rules: RuleSet) -> Hashable:
    late = rules.late
    return None if late is None else (forfeit_ms(late, leave=False), forfeit_ms(late, leave=True))


@position("appeal")
def an_appeal_against_a_ruling(rules: RuleSet) -> Hashable:
    return terms(rules, ended_ms=0)
