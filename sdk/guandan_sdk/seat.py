"""A bot in its seat: folds events into what it may know, puts questions to it, and turns its choice into an answer.

Local tables and the network client both seat a bot through this, so a bot cannot tell them apart.
"""

from __future__ import annotations

import sys
from random import Random
from typing import TypeAlias

from guandan_engine.actions import Ask, Choose, Give, Lay, Option, Pass, Question, Resist
from guandan_engine.cards import Card
from guandan_engine.combos import Combo
from guandan_engine.conduct import action_of, substitute
from guandan_engine.conduct.announcing import owes
from guandan_engine.errors import IllegalAction
from guandan_engine.events import CardOffered, DealEnded, DealStarted, Event
from guandan_engine.exchange import Answer, Refusal
from guandan_engine.view import SeatView, fold
from guandan_sdk.bot import Bot, TimeLeft, Welcome
from guandan_sdk.errors import BotBroken
from guandan_sdk.memory import Memory

Seatable: TypeAlias = Bot | type[Bot]
_PASS = Pass()


class Seat:
    """One bot at one table. Exceptions the bot raises pass through."""

    def __init__(self, bot: Seatable, welcome: Welcome) -> None:
        """Sit a bot down: give it its chance and let it start."""
        self.bot = bot() if isinstance(bot, type) else bot
        self.view = SeatView(welcome.seat, welcome.rules)
        self.bot.memory = Memory()
        self.bot.random = Random(welcome.seed)  # noqa: S311 - reproducible chance is the purpose
        self.bot.start(welcome)

    def happened(self, event: Event) -> None:
        """Fold an event that was cut for this seat, then tell the bot."""
        self.view = fold(self.view, event)
        self.bot.memory.add(event)
        if isinstance(event, DealStarted):
            self.bot.deal_started(self.view)
        self.bot.event(self.view, event)
        if isinstance(event, DealEnded):
            self.bot.deal_ended(self.view, event)

    def answer(self, question: Question, time: TimeLeft) -> Answer:
        """Put a question to the bot."""
        self.bot.time = time
        self.bot._note = ""
        self.bot.announce = None
        choice = self._choose(question)
        return Answer(choice, self.bot._note, self._announces(question, choice))

    def _announces(self, question: Question, choice: int | Lay | Pass | Give) -> bool | None:
        """Say whether the others are told how many cards are left: as the bot says, else where it is owed (§6.6)."""
        if self.bot.announce is not None:
            return self.bot.announce
        laid = question.options[choice] if isinstance(choice, int) else choice
        if not isinstance(laid, Combo | Lay) or self.view.hand is None or self.view.seat is None:
            return None
        left = len(self.view.hand) - (laid.size if isinstance(laid, Combo) else len(laid.cards))
        told = self.bot.memory.told[self.view.seat]
        return owes(left, told=told, rules=self.view.rules) or None

    def _choose(self, question: Question) -> int | Lay | Pass | Give:
        options = question.options
        if question.ask is Ask.PLAY:
            plays: tuple[Combo | None, ...] = options  # type: ignore[assignment]
            return self._play(plays, self.bot.play(self.view, plays))
        if question.ask is Ask.CHOOSE_LEADER:
            seats = tuple(option.seat for option in options if isinstance(option, Choose))
            return self._chosen(seats, self.bot.name_leader(self.view, seats), "name_leader")
        if question.ask in (Ask.CHOOSE_TRIBUTE, Ask.CHOOSE_RETURN):
            method = "take_tribute" if question.ask is Ask.CHOOSE_TRIBUTE else "take_back"
            offers = self._offers(options)
            return self._chosen(offers, getattr(self.bot, method)(self.view, offers), method)
        if question.ask is Ask.ANTI and self.bot.resist(self.view):
            return options.index(Resist())
        return self._give(question)

    def _give(self, question: Question) -> int | Give:
        cards = tuple(option for option in question.options if isinstance(option, Card))
        ask = self.bot.give_back if question.ask is Ask.RETURN else self.bot.pay
        card = ask(self.view, cards)
        if not isinstance(card, Card):
            raise self._nonsense(ask.__name__, card, "return one of the cards in options")
        return question.options.index(card) if card in cards else Give(card)

    def _offers(self, options: tuple[Option, ...]) -> tuple[CardOffered, ...]:
        """Return the cards that may be chosen, in the order of the options."""
        offers = {offer.seat: offer for offer in self.view.offers}
        return tuple(offers[option.seat] for option in options if isinstance(option, Choose))

    def _chosen(self, listed: tuple[object, ...], choice: object, method: str) -> int:
        if choice not in listed:
            raise self._nonsense(method, choice, "return one of those that were listed")
        return listed.index(choice)

    def _play(self, options: tuple[Combo | None, ...], choice: object) -> int | Lay | Pass:
        if isinstance(choice, Lay | Pass):
            return choice
        for place, option in enumerate(options):  # not ``index``: combos are interned, and comparing them all is slow
            if option is choice:
                return place
        if choice is None:
            return _PASS
        if not isinstance(choice, Combo):
            raise self._nonsense("play", choice, "return one of options: a Combo, or None to pass; or a Lay of cards")
        if choice in options:  # equal, but made by hand
            return options.index(choice)
        assert self.view.hand is not None
        try:
            action = action_of(choice, self.view.hand, self.view.level)
        except IllegalAction as error:
            raise self._nonsense("play", choice, error.reason) from None
        assert isinstance(action, Lay)
        return action

    def _nonsense(self, method: str, value: object, hint: str) -> BotBroken:
        return BotBroken(f"{type(self.bot).__name__}.{method} returned {value!r}, which is not an answer", hint)

    def refused(self, question: Question, refusal: Refusal) -> Answer | None:
        """Say on stderr why an answer was refused; while the question stays open, answer as the table would."""
        end = "" if refusal.attempts_left else f"; the table played {refusal.substitute}"
        print(f"refused: {refusal.reason} ({refusal.code}). {refusal.hint}{end}", file=sys.stderr)  # noqa: T201
        if not refusal.attempts_left:
            return None
        assert self.view.hand is not None
        return Answer(substitute(question, self.view.hand, self.view.level))
