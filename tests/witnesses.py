"""Deals played out at random while four seats look on, each through its own cut of the events."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from guandan_engine import deal as deals
from guandan_engine import shuffle
from guandan_engine.board import Board
from guandan_engine.cards import Card
from guandan_engine.combos import Combo
from guandan_engine.conduct import action_of
from guandan_engine.deal import Deal
from guandan_engine.dealing import Dealt
from guandan_engine.events import Event, Played
from guandan_engine.rules import RuleSet
from guandan_engine.view import SeatView, cut, fold
from guandan_sdk.memory import Memory


class Witness:
    """A seat that only looks: its view, and what a bot there would remember."""

    def __init__(self, seat: int, rules: RuleSet) -> None:
        self.view = SeatView(seat, rules)
        self.memory = Memory()

    def see(self, events: tuple[Event, ...]) -> None:
        for event in events:
            shown = cut(event, self.view.seat)
            self.view = fold(self.view, shown)
            self.memory.add(shown)


@dataclass(frozen=True)
class Moment:
    """A moment of a deal before a seat acts: the whole truth, what was laid, its options, and the four witnesses."""

    deal: Deal
    laid: tuple[Card, ...]
    options: tuple[Combo | None, ...]
    witnesses: tuple[Witness, ...]


def started(board: Board, rules: RuleSet) -> tuple[Deal, tuple[Event, ...]]:
    return deals.start(Dealt(board.hands, board.leader), board.level, rules, promotes=False, leader=board.leader)


def moments(secret: bytes, rules: RuleSet, rng: random.Random) -> Iterator[Moment]:
    """Play a board out at random, pausing before each action."""
    deal, events = started(shuffle.board(secret, rules), rules)
    witnesses = tuple(Witness(seat, rules) for seat in range(4))
    laid: list[Card] = []
    while True:
        for witness in witnesses:
            witness.see(events)
        laid += [card for event in events if isinstance(event, Played) for card in event.play.cards]
        if deal.ended:
            return
        (question,) = deals.questions(deal, rules)
        yield Moment(deal, tuple(laid), question.options, witnesses)
        hand = deal.hands[question.seat]
        deal, events = deals.apply(
            deal, question.seat, action_of(rng.choice(question.options), hand, deal.level), rules
        )
