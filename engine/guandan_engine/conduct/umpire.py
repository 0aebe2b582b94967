"""The umpire: play under conduct. A match with what is held against its seats, one pure step after the other.

The table and the replay verifier both go through here, so what one does the other can follow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from guandan_engine import deal as deals
from guandan_engine import leg as legs
from guandan_engine import match as matches
from guandan_engine.actions import Action, Ask, Option, Pass, Question
from guandan_engine.board import side_of
from guandan_engine.cards import Card
from guandan_engine.combos import Combo
from guandan_engine.conduct.announcing import hears, owes, silence
from guandan_engine.conduct.exposed import check_lead, may_lead, picked, without
from guandan_engine.conduct.ledger import CLEAN, Ledger, counter_of, next_deal, next_rung, next_trick, violation
from guandan_engine.conduct.offences import Offence, Sanction
from guandan_engine.conduct.pace import Pace, Stage, pace_of
from guandan_engine.conduct.penalties import Penalty, impose
from guandan_engine.conduct.rulings import NoSuchRuling, RefereeRuling, cost_of
from guandan_engine.conduct.substitutes import action_of, substitute
from guandan_engine.deal import Deal, Phase
from guandan_engine.dealing import Dealt
from guandan_engine.decisions import DecisionPhase
from guandan_engine.errors import EngineError
from guandan_engine.events import Event, LeadPassed, Played, TributePaid, TributeReturned, TrickWon
from guandan_engine.match import Match
from guandan_engine.paying import ASKS
from guandan_engine.rules import RuleSet
from guandan_engine.seats import put
from guandan_engine.trick import Trick

__all__ = [
    "HAND_CARDS",
    "Events",
    "Outcome",
    "Sitting",
    "act",
    "asks",
    "bad_move",
    "bars",
    "check_ruling",
    "forgetting",
    "next_dealt",
    "pace",
    "penalise",
    "phase_of",
    "questions",
    "rule",
    "skip",
    "stand_in",
    "taken",
    "too_slow",
]

HAND_CARDS: Final = 27


@dataclass(frozen=True, slots=True)
class Sitting:
    """A moment of a match at a table: what has been played, and what is held against whom."""

    match: Match
    ledger: Ledger = CLEAN

    @property
    def deal(self) -> Deal:
        """The deal in progress."""
        return self.match.deal

    def exposed(self, seat: int) -> tuple[Card, ...]:
        """Return the exposed cards a seat must lead now, () unless it leads."""
        deal = self.deal
        leads = deal.phase is Phase.PLAYING and deal.trick.turn == seat and deal.trick.to_beat is None
        return self.ledger.exposed[seat] if leads else ()


Events: TypeAlias = tuple[Event, ...]
Outcome: TypeAlias = tuple[Sitting, Events]


def next_dealt(sitting: Sitting, dealt: Dealt, rules: RuleSet) -> Outcome:
    """Begin the next deal; no tribute is paid in it where a ruling has said so."""
    match, events = matches.next_deal(sitting.match, dealt, rules, leader=sitting.ledger.next_leader)
    return Sitting(match, next_deal(sitting.ledger, rules)), events


def questions(sitting: Sitting, rules: RuleSet) -> tuple[Question, ...]:
    """Return what is asked now: what the rules of play ask, less what conduct forbids."""
    asked = matches.questions(sitting.match, rules)
    if not any(sitting.ledger.exposed):
        return asked
    return tuple(Question(q.seat, q.ask, may_lead(q.options, sitting.exposed(q.seat)), q.to_beat) for q in asked)


def taken(sitting: Sitting, question: Question, option: Option) -> Action:
    """Return the action by which a seat takes an option of its question."""
    exposed = sitting.exposed(question.seat)
    if exposed and isinstance(option, Combo):
        return picked(option, exposed)
    return action_of(option, sitting.deal.hands[question.seat], sitting.deal.level)


def stand_in(sitting: Sitting, question: Question) -> Action:
    """Return what the table plays for a seat."""
    exposed = sitting.exposed(question.seat)
    if exposed:
        return picked(next(option for option in question.options if isinstance(option, Combo)), exposed)
    return substitute(question, sitting.deal.hands[question.seat], sitting.deal.level)


def act(
    sitting: Sitting, seat: int, action: Action, rules: RuleSet, *, announce: bool | None = None, ms: int = 0
) -> Outcome:
    """Act for a seat that took ``ms`` to decide; raise IllegalAction when it may not.

    ``announce``: whether it tells how many cards it keeps; None tells it where it is owed.
    """
    check_lead(action, sitting.exposed(seat))
    match, events = matches.apply(sitting.match, seat, action, rules, ms=ms)
    if isinstance(action, Pass):
        over = isinstance(events[-1], TrickWon)
        return Sitting(match, next_trick(sitting.ledger) if over else sitting.ledger), events
    if not events or not isinstance(events[0], Played):
        return Sitting(match, _given_away(sitting.ledger, events)), events
    return _laid(Sitting(match, sitting.ledger), events[0], events[1:], rules, announce=announce)


def _laid(sitting: Sitting, played: Played, others: Events, rules: RuleSet, *, announce: bool | None) -> Outcome:
    """Say who is told how many cards are left, and charge a player who owed it and kept silent."""
    match, ledger = sitting.match, sitting.ledger
    seat, left = played.seat, len(match.deal.hands[played.seat])
    if ledger.exposed[seat]:
        kept = without(ledger.exposed[seat], played.play.cards)
        ledger = replace(ledger, exposed=put(ledger.exposed, seat, kept))
    owed = owes(left, told=ledger.told[seat], rules=rules)
    silent = owed and announce is False
    told = hears(left, owed=owed, said=announce is True, rules=rules)
    if owed and not ledger.told[seat]:
        ledger = replace(ledger, told=put(ledger.told, seat, owed))
    events = (replace(played, told=told, silent=silent), *others) if told or silent else (played, *others)
    if not silent or match.deal.ended:
        return Sitting(match, ledger), events
    sanction = silence(ledger, seat, rules)
    if sanction is None:
        return Sitting(match, ledger), events
    match, ledger, costs = impose(match, ledger, Penalty(seat, Offence.UNANNOUNCED, sanction), rules)
    return Sitting(match, ledger), (*events, *costs)


def _given_away(ledger: Ledger, events: Events) -> Ledger:
    """Return the ledger without exposed cards that went to another hand as tribute or return."""
    for event in events:
        if isinstance(event, TributePaid | TributeReturned) and ledger.exposed[event.seat]:
            kept = without(ledger.exposed[event.seat], (event.card,))
            ledger = replace(ledger, exposed=put(ledger.exposed, event.seat, kept))
    return ledger


def bars(sitting: Sitting, seat: int) -> bool:
    """Whether a seat whose turn it is may not play now: it passes, or another leads in its place (§11.4)."""
    ledger, deal = sitting.ledger, sitting.deal
    if not (ledger.skips[seat] or ledger.laps[seat]) or deal.phase is not Phase.PLAYING or deal.trick.turn != seat:
        return False
    if deal.trick.to_beat is not None:
        return True
    return ledger.laps[seat] and _leads_instead(sitting, seat) is not None


def skip(sitting: Sitting, seat: int, rules: RuleSet, *, ms: int = 0) -> Outcome:
    """Pass over a seat that may not play, after ``ms`` of its time: see ``bars``."""
    ledger, deal = sitting.ledger, sitting.deal
    if deal.trick.to_beat is not None:
        if not ledger.laps[seat]:
            ledger = replace(ledger, skips=put(ledger.skips, seat, ledger.skips[seat] - 1))
        return act(replace(sitting, ledger=ledger), seat, Pass(), rules, ms=ms)
    to = _leads_instead(sitting, seat)
    if to is None:
        raise EngineError(f"seat {seat} must lead: nobody else may")
    led = replace(deal, trick=Trick(to, finished=deal.trick.finished))
    match = replace(sitting.match, deal=led, leg=legs.passing_time(sitting.match.leg, ms))
    return Sitting(match, ledger), (LeadPassed(seat, to),)


def _leads_instead(sitting: Sitting, seat: int) -> int | None:
    """Return the next seat in play order that holds cards and may lead, None when there is no other."""
    finished, laps = sitting.deal.trick.finished, sitting.ledger.laps
    others = ((seat + step) % 4 for step in (1, 2, 3))
    return next((other for other in others if other not in finished and not laps[other]), None)


def penalise(sitting: Sitting, penalty: Penalty, rules: RuleSet) -> Outcome:
    """Carry out a sanction."""
    match, ledger, events = impose(sitting.match, sitting.ledger, penalty, rules)
    return Sitting(match, ledger), events


def too_slow(sitting: Sitting, seat: int, stage: Stage, pace: Pace, rules: RuleSet) -> Penalty:
    """Return what it costs a seat to be so slow: a warning, a violation or a foul (§11.5)."""
    faultless = sitting.ledger.rungs[counter_of(seat, rules)] == 0
    if stage is not Stage.OVER or (pace.over == "warn_then_violation" and faultless):
        return Penalty(seat, Offence.SLOW, Sanction.WARN)
    foul = next_rung(sitting.ledger, seat, rules, least=Sanction.FOUL)
    return Penalty(seat, Offence.SLOW, foul if pace.over == "foul" else violation(rules))


def bad_move(sitting: Sitting, seat: int, rules: RuleSet) -> Penalty | None:
    """Return what an illegal answer costs, None where it costs nothing (§11.2)."""
    if rules.bad_move_policy != "foul":
        return None
    return Penalty(seat, Offence.BAD_MOVE, next_rung(sitting.ledger, seat, rules, least=Sanction.FOUL))


def pace(sitting: Sitting, ask: Ask, rules: RuleSet) -> Pace:
    """Return the times of the rules for what is asked."""
    deal = sitting.deal
    first = deal.trick.to_beat is None and not deal.trick.finished and min(map(len, deal.hands)) == HAND_CARDS
    return pace_of(ask, rules, first=first)


def phase_of(sitting: Sitting, ask: Ask) -> DecisionPhase:
    """Return what kind of decision a seat is asked for."""
    if ask is not Ask.PLAY:
        return DecisionPhase.TRIBUTE
    return DecisionPhase.LEADING if sitting.deal.trick.to_beat is None else DecisionPhase.FOLLOWING


def asks(sitting: Sitting) -> dict[int, Ask]:
    """Return what each seat that owes an answer is asked, without listing its options."""
    paying = sitting.deal.paying
    ask = Ask.PLAY if paying is None else ASKS[paying.step]
    return dict.fromkeys(deals.asked(sitting.deal), ask)


def rule(sitting: Sitting, ruling: RefereeRuling, rules: RuleSet) -> Outcome:
    """Carry out a referee's ruling; raise NoSuchRuling when it cannot be made."""
    check_ruling(sitting, ruling.seat, ruling.cards, ruling.leader)
    finished = sitting.deal.trick.finished
    out_first = bool(finished) and finished[0] == ruling.seat
    cost = cost_of(sitting.ledger, ruling, rules, out_first=out_first)
    penalty = Penalty(
        ruling.seat,
        ruling.offence,
        cost.sanction,
        cost.amount,
        cost.cards,
        ruling.leader,
        referee=True,
        reason=ruling.reason,
    )
    return penalise(sitting, penalty, rules)


def forgetting(sitting: Sitting, ms: int) -> Sitting:
    """Return a sitting without the time of answers that a ruling has made void before they were shown."""
    return replace(sitting, match=replace(sitting.match, leg=legs.passing_time(sitting.match.leg, -ms)))


def check_ruling(sitting: Sitting, seat: int, cards: tuple[Card, ...], leader: int | None) -> None:
    """Raise NoSuchRuling for what cannot be: no deal being played, cards not held, a leader of the wrong side."""
    if sitting.match.ended or sitting.deal.ended:
        raise NoSuchRuling("not_playing", "no deal is being played", "rule while a deal is played")
    hand = sitting.deal.hands[seat]
    missing = [card for card in cards if cards.count(card) > hand.count(card)]
    if missing:
        names = " ".join(map(str, missing))
        raise NoSuchRuling("not_held", f"seat {seat} does not hold {names}", "name cards that it holds now")
    if leader is not None and side_of(leader) == side_of(seat):
        raise NoSuchRuling("wrong_leader", f"seat {leader} is of the same side", "name a seat of the other side")
