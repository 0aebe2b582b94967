"""Deals and matches driven by a few words: tribute answered by a plan, and matches as a script of finishing orders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from guandan_engine import deal as deals
from guandan_engine import leg as legs
from guandan_engine import match as matches
from guandan_engine.actions import Action, Choose, Give, Lay, Option, Pass, Question
from guandan_engine.board import Hands
from guandan_engine.cards import Card, Rank
from guandan_engine.conduct import action_of
from guandan_engine.deal import Deal
from guandan_engine.dealing import Dealt
from guandan_engine.events import Event, TributePaid, TributeReturned
from guandan_engine.match import Match
from guandan_engine.rules import RuleSet
from tests.dealing import dealt

DOUBLE_DOWN = (0, 2, 1, 3)
SINGLE = (0, 1, 2, 3)  # 1 + 3, seat 3 last
PARTNER_LAST = (0, 1, 3, 2)  # 1 + 4
MINUTE = 60_000

# What a seat answers in tribute: an option of its question.
Plan = Callable[[Question], Option]


def first_option(question: Question) -> Option:
    return question.options[0]


def last_option(question: Question) -> Option:
    return question.options[-1]


def gives(cards: Mapping[int, str], otherwise: Plan = first_option) -> Plan:
    """Seats give these cards where they may, as tribute or as return; else they do as ``otherwise`` says."""

    def plan(question: Question) -> Option:
        wanted = [Card.parse(word) for word in cards.get(question.seat, "").split()]
        return next((card for card in wanted if card in question.options), None) or otherwise(question)

    return plan


def chooses(seats: Mapping[int, int], otherwise: Plan) -> Plan:
    """Seats choose what lies before these seats, or these seats as leaders."""

    def plan(question: Question) -> Option:
        choice = Choose(seats.get(question.seat, -1))
        return choice if choice in question.options else otherwise(question)

    return plan


@dataclass(frozen=True)
class Tribute:
    """How tribute went: who was asked what with which options, all events, and the deal afterwards."""

    asked: tuple[tuple[int, str, tuple[str, ...]], ...]
    steps: tuple[tuple[Event, ...], ...]
    deal: Deal

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(event for step in self.steps for event in step)

    @property
    def paid(self) -> dict[int, int]:
        return {event.seat: event.to for event in self.events if isinstance(event, TributePaid)}

    @property
    def returned(self) -> dict[int, int]:
        return {event.seat: event.to for event in self.events if isinstance(event, TributeReturned)}

    @property
    def leader(self) -> int:
        return self.deal.trick.turn

    def options(self, seat: int, ask: str) -> set[str]:
        """What a seat was offered when it was asked so."""
        (found,) = [options for who, what, options in self.asked if (who, what) == (seat, ask)]
        return set(found)


def after(
    order: tuple[int, ...], wanted: Mapping[int, str], rules: RuleSet, *, level: Rank = Rank.TWO, lot: int = 0
) -> tuple[Deal, tuple[Event, ...]]:
    """Deal after a deal that ended so; seats hold these cards. The face-up card is seat 1's lowest."""
    hands = dealt(wanted, level)
    return deals.start(Dealt(hands, 1, next(iter(hands[1])), lot), level, rules, order=order, number=2)


def tribute(
    order: tuple[int, ...],
    wanted: Mapping[int, str],
    rules: RuleSet,
    plan: Plan = first_option,
    *,
    level: Rank = Rank.TWO,
    lot: int = 0,
) -> Tribute:
    """Play tribute out; every seat answers by the plan, lower seats first."""
    deal, events = after(order, wanted, rules, level=level, lot=lot)
    asked, steps = [], [events]
    while deal.paying:
        question = deals.questions(deal, rules)[0]
        asked.append((question.seat, str(question.ask), tuple(map(str, question.options))))
        deal, events = deals.apply(deal, question.seat, _action(plan(question)), rules)
        steps.append(events)
    return Tribute(tuple(asked), tuple(steps), deal)


def _action(option: Option) -> Action:
    return Give(option) if isinstance(option, Card) else action_of(option, None, Rank.TWO)


def lay(deal: Deal, text: str, rules: RuleSet) -> tuple[Deal, tuple[Event, ...]]:
    """The seat on turn lays these cards."""
    return deals.apply(deal, deal.trick.turn, Lay(tuple(map(Card.parse, text.split()))), rules)


def pass_round(deal: Deal, times: int, rules: RuleSet) -> tuple[Deal, tuple[Event, ...]]:
    """So many seats pass."""
    events: tuple[Event, ...] = ()
    for _ in range(times):
        deal, events = deals.apply(deal, deal.trick.turn, Pass(), rules)
    return deal, events


def started(rules: RuleSet, *, deal_limit: int | None = None) -> Match:
    """A match in its first deal."""
    match, _ = matches.start(plain_deal(), rules, deal_limit=deal_limit)
    return match


def script(
    match: Match, ended: Iterable[tuple[int, ...]], rules: RuleSet, *, minutes: int = 0
) -> tuple[Match, tuple[Event, ...]]:
    """Go on with a match whose deals end in these orders, each after so many minutes, until it is over."""
    told: list[Event] = []
    for order in ended:
        if match.ended:
            break
        if match.awaits_deal:
            match, events = matches.next_deal(match, plain_deal(), rules)
            told += events
        match, events = _end_deal(match, order, rules, minutes)
        told += events
    return match, tuple(told)


def at(match: Match, levels: tuple[Rank, Rank], *, order: tuple[int, ...]) -> Match:
    """The match as if its deal were played after another that ended in this order, with these levels."""
    deal = replace(match.deal, levels=levels, level=levels[order[0] % 2], order=order, number=match.deal.number + 1)
    return replace(match, deal=deal)


def _end_deal(match: Match, order: tuple[int, ...], rules: RuleSet, minutes: int) -> tuple[Match, tuple[Event, ...]]:
    before = match.deal
    deal, events = deals.judge(before, order, rules)
    leg = legs.passing_time(match.leg, minutes * MINUTE)
    points = legs.plus(match.points, deal.result.side, deal.result.gain)
    match, ends = matches.after_result(replace(match, deal=deal, leg=leg, points=points), before, rules)
    return match, (*events, *ends)


def plain_deal() -> Dealt:
    """Some deal of the whole deck, with a card face up."""
    hands: Hands = dealt({})
    return Dealt(hands, 0, next(iter(hands[0])), 0)
