"""Tribute as it happens: who is asked for what, one step after the other, until a leader is named (docs/rules.md §8).

Answers of one step are sealed: they are kept until all who were asked have answered, and then shown together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from guandan_engine import tribute as tributes
from guandan_engine.actions import Action, Ask, Choose, Give, Option, Resist
from guandan_engine.board import Hands
from guandan_engine.cards import BIG_JOKER, Card, Hand, Rank
from guandan_engine.events import (
    AntiTribute,
    CardOffered,
    Chose,
    Event,
    LeaderNamed,
    Resisted,
    TributePaid,
    TributeReturned,
)
from guandan_engine.rules import RuleSet
from guandan_engine.tribute import Gift

Events: TypeAlias = tuple[Event, ...]


class Step(StrEnum):
    """What is asked for now, in the order in which it can come."""

    RESIST = "resist"
    PAY = "pay"
    TAKE = "take"
    RETURN = "return"
    TAKE_BACK = "take_back"
    NAME = "name"
    DONE = "done"


ASKS = {
    Step.RESIST: Ask.ANTI,
    Step.PAY: Ask.PAY,
    Step.TAKE: Ask.CHOOSE_TRIBUTE,
    Step.RETURN: Ask.RETURN,
    Step.TAKE_BACK: Ask.CHOOSE_RETURN,
    Step.NAME: Ask.CHOOSE_LEADER,
}


@dataclass(frozen=True, slots=True)
class Paying:
    """A moment of tribute.

    ``order``: finishing order of the deal before. ``asked``: who owes an answer in this step and has not given it.
    ``sealed``: answers given and not yet shown. ``paid``: the tribute of each payer. ``gifts``: tributes received.
    ``returns``: cards given back; where the payers choose among them, ``to`` is the giver until they have chosen.
    ``leader``: who leads, once it is known. ``lot``: chance, from 0 to 3.
    """

    order: tuple[int, ...]
    level: Rank
    step: Step
    asked: tuple[int, ...] = ()
    sealed: tuple[tuple[int, Action], ...] = ()
    paid: tuple[tuple[int, Card], ...] = ()
    gifts: tuple[Gift, ...] = ()
    returns: tuple[Gift, ...] = ()
    leader: int | None = None
    lot: int = 0

    @property
    def tied(self) -> bool:
        """Whether two equal tributes were paid."""
        return tributes.equal(dict(self.paid), self.level)


Outcome: TypeAlias = tuple[Paying, Hands, Events]


def start(
    order: tuple[int, ...], hands: Hands, level: Rank, rules: RuleSet, *, leader: int | None, lot: int
) -> tuple[Paying, Events]:
    """Begin the tribute owed after a deal that ended in this order; a ``leader`` leads whatever is paid."""
    holders = tributes.resisting(order, hands, rules)
    paying = Paying(order, level, Step.PAY, tributes.payers(order, rules), leader=leader, lot=lot)
    if not holders:
        return paying, ()
    if rules.anti_mode == "auto":
        return _resisted(paying, holders, rules)
    return replace(paying, step=Step.RESIST, asked=holders), ()


def options(paying: Paying, seat: int, hand: Hand, rules: RuleSet) -> tuple[Option, ...]:
    """Return every answer that a seat which is asked may give."""
    step = paying.step
    if step is Step.RESIST:
        return (Resist(), *tributes.payable(hand, paying.level, rules))
    if step is Step.PAY:
        return tributes.payable(hand, paying.level, rules)
    if step is Step.RETURN:
        gift = next(gift for gift in paying.gifts if gift.to == seat)
        return tributes.returnable(hand, paying.level, to_partner=tributes.to_partner(gift), rules=rules)
    offering = [gift.seat for gift in paying.returns] if step is Step.TAKE_BACK else [seat for seat, _ in paying.paid]
    return tuple(Choose(seat) for seat in sorted(offering))


def apply(paying: Paying, hands: Hands, seat: int, action: Action, rules: RuleSet) -> Outcome:
    """Take a legal answer of a seat that is asked."""
    if paying.step is Step.RETURN and isinstance(action, Give) and not rules.return_sealed:
        return _return(paying, hands, {seat: action.card}, rules)
    asked = tuple(other for other in paying.asked if other != seat)
    paying = replace(paying, asked=asked, sealed=(*paying.sealed, (seat, action)))
    if asked:
        return paying, hands, ()
    answers = dict(sorted(paying.sealed))
    return _STEPS[paying.step](replace(paying, sealed=()), hands, answers, rules)


def _all_answered_resisting(paying: Paying, hands: Hands, answers: dict[int, Action], rules: RuleSet) -> Outcome:
    """All holders must resist; one that would while another pays gives its big joker, the highest card, as well."""
    if all(isinstance(answer, Resist) for answer in answers.values()):
        paying, events = _resisted(paying, tuple(answers), rules)
        return paying, hands, (*(Resisted(seat) for seat in answers), *events)
    paid = tuple((seat, answer.card if isinstance(answer, Give) else BIG_JOKER) for seat, answer in answers.items())
    others = tuple(seat for seat in tributes.payers(paying.order, rules) if seat not in answers)
    paying = replace(paying, step=Step.PAY, asked=others, paid=paid)
    return (paying, hands, ()) if others else _paid(paying, hands, rules)


def _all_paid(paying: Paying, hands: Hands, answers: dict[int, Action], rules: RuleSet) -> Outcome:
    paid = tuple((seat, answer.card) for seat, answer in answers.items() if isinstance(answer, Give))
    return _paid(replace(paying, paid=tuple(sorted((*paying.paid, *paid)))), hands, rules)


def _paid(paying: Paying, hands: Hands, rules: RuleSet) -> Outcome:
    """Hand the tributes over, or lay them out where receivers choose."""
    paid = dict(paying.paid)
    choosers = tributes.choosers(paying.order, paid, paying.level, rules)
    if choosers:
        offers = tuple(CardOffered(seat, Ask.PAY, card) for seat, card in paying.paid)
        return replace(paying, step=Step.TAKE, asked=choosers), hands, offers
    gifts = tributes.pair_up(paying.order, paid, paying.level, rules, lot=paying.lot)
    return _received(paying, hands, gifts)


def _received(paying: Paying, hands: Hands, gifts: tuple[Gift, ...]) -> Outcome:
    shown = tuple(TributePaid(gift.seat, gift.to, gift.card) for gift in gifts)
    asked = tuple(sorted(gift.to for gift in gifts))
    return replace(paying, step=Step.RETURN, asked=asked, gifts=gifts), _moved(hands, gifts), shown


def _all_taken(paying: Paying, hands: Hands, answers: dict[int, Action], _: RuleSet) -> Outcome:
    """Everyone gets what it chose; two that chose the same card let the tributes go round clockwise."""
    first, second = paying.order[:2]
    wanted = _chosen(answers)
    to_first = wanted[first] if wanted[first] != wanted.get(second) else (first + 1) % 4
    gifts = tuple(Gift(seat, first if seat == to_first else second, card) for seat, card in paying.paid)
    paying, hands, shown = _received(paying, hands, gifts)
    return paying, hands, (*_chose(wanted, Ask.CHOOSE_TRIBUTE), *shown)


def _all_returned(paying: Paying, hands: Hands, answers: dict[int, Action], rules: RuleSet) -> Outcome:
    cards = {seat: answer.card for seat, answer in answers.items() if isinstance(answer, Give)}
    return _return(paying, hands, cards, rules)


def _return(paying: Paying, hands: Hands, given: dict[int, Card], rules: RuleSet) -> Outcome:
    """Show what receivers give back, and hand it over unless the payers will choose."""
    asked = tuple(seat for seat in paying.asked if seat not in given)
    if rules.return_to == "payers_choose_on_tie" and paying.tied:
        laid = tuple(Gift(seat, seat, card) for seat, card in given.items())
        paying = replace(paying, asked=asked, returns=(*paying.returns, *laid))
        if not asked:
            payers = tuple(seat for seat, _ in paying.paid)
            paying = replace(paying, step=Step.TAKE_BACK, asked=payers)
        return paying, hands, tuple(CardOffered(gift.seat, Ask.RETURN, gift.card) for gift in laid)
    order = paying.order
    to = {gift.to: tributes.receiver_of_return(gift, order, rules) for gift in paying.gifts}
    returns = tuple(Gift(seat, to[seat], card) for seat, card in given.items())
    shown = tuple(TributeReturned(gift.seat, gift.to, gift.card) for gift in returns)
    paying = replace(paying, asked=asked, returns=(*paying.returns, *returns))
    return _all_back(paying, _moved(hands, returns), shown, rules)


def _all_taken_back(paying: Paying, hands: Hands, answers: dict[int, Action], rules: RuleSet) -> Outcome:
    """Everyone gets back what it chose; when both chose the same, each return goes to its payer."""
    wanted = _chosen(answers)
    if len(set(wanted.values())) == 1:
        wanted_from = {gift.to: gift.seat for gift in paying.gifts}
    else:
        wanted_from = {giver: seat for seat, giver in wanted.items()}
    returns = tuple(replace(gift, to=wanted_from[gift.seat]) for gift in paying.returns)
    shown = tuple(TributeReturned(gift.seat, gift.to, gift.card) for gift in returns)
    events = (*_chose(wanted, Ask.CHOOSE_RETURN), *shown)
    return _all_back(replace(paying, returns=returns), _moved(hands, returns), events, rules)


def _all_back(paying: Paying, hands: Hands, events: Events, rules: RuleSet) -> Outcome:
    """Name the leader once every return has arrived, or have it chosen."""
    if paying.asked:
        return paying, hands, events
    leader = paying.leader
    if leader is None:
        leader = tributes.leader(paying.order, paying.gifts, paying.returns, paying.level, rules)
    if leader is None:
        payers = tuple(seat for seat, _ in paying.paid)
        return replace(paying, step=Step.NAME, asked=payers), hands, events
    paying, named = _done(paying, leader)
    return paying, hands, (*events, *named)


def _all_named(paying: Paying, hands: Hands, answers: dict[int, Action], _: RuleSet) -> Outcome:
    """The payers agree on who leads; where they do not, the one who paid the first does."""
    wanted = _chosen(answers)
    agreed = len(set(wanted.values())) == 1
    leader = min(wanted.values()) if agreed else tributes.payer_of_first(paying.order, paying.gifts)
    paying, named = _done(paying, leader)
    return paying, hands, (*_chose(wanted, Ask.CHOOSE_LEADER), *named)


_STEPS = {
    Step.RESIST: _all_answered_resisting,
    Step.PAY: _all_paid,
    Step.TAKE: _all_taken,
    Step.RETURN: _all_returned,
    Step.TAKE_BACK: _all_taken_back,
    Step.NAME: _all_named,
}


def _resisted(paying: Paying, holders: tuple[int, ...], rules: RuleSet) -> tuple[Paying, Events]:
    """Nothing is paid, and the first leads."""
    paying, named = _done(paying, paying.order[0])
    return paying, (AntiTribute(holders, rules.anti_show), *named)


def _done(paying: Paying, leader: int) -> tuple[Paying, Events]:
    leader = leader if paying.leader is None else paying.leader
    return replace(paying, step=Step.DONE, asked=(), leader=leader), (LeaderNamed(leader),)


def _chosen(answers: dict[int, Action]) -> dict[int, int]:
    """Return whose card, or which seat, each seat has chosen."""
    return {seat: answer.seat for seat, answer in answers.items() if isinstance(answer, Choose)}


def _chose(wanted: dict[int, int], ask: Ask) -> Events:
    return tuple(Chose(seat, ask, chosen) for seat, chosen in sorted(wanted.items()))


def _moved(hands: Hands, gifts: tuple[Gift, ...]) -> Hands:
    """Return the hands after all gifts changed owners."""
    held = list(hands)
    for gift in gifts:
        card = Hand.of((gift.card,))
        held[gift.seat], held[gift.to] = held[gift.seat].minus(card), held[gift.to].plus(card)
    a, b, c, d = held
    return (a, b, c, d)
