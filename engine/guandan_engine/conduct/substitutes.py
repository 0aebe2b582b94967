"""What the table plays for a seat (docs/rules.md §11.2)."""

from __future__ import annotations

from guandan_engine.actions import Action, Ask, Choose, Give, Lay, Option, Pass, Question, Resist
from guandan_engine.cards import Card, Hand, Rank, order_key
from guandan_engine.combos import Combo, Kind, Reading
from guandan_engine.errors import EngineError
from guandan_engine.plays import cards_of


def action_of(option: Option, hand: Hand, level: Rank) -> Action:
    """Return the action that takes an option of a question, its concrete cards picked from the hand."""
    if option is None:
        return Pass()
    if isinstance(option, Card):
        return Give(option)
    if isinstance(option, Resist | Choose):
        return option
    return Lay(cards_of(option, hand, level), Reading(option.kind, option.rank))


def substitute(question: Question, hand: Hand, level: Rank) -> Action:
    """Return what the table plays for a seat.

    It passes if that is allowed, else lays the lowest single; it gives the lowest card; it resists tribute; of what
    may be chosen it takes the first.
    """
    if question.ask is not Ask.PLAY:
        return _substitute_gift(question, level)
    if None in question.options:
        return Pass()
    combos = [option for option in question.options if isinstance(option, Combo)]
    if not combos:
        raise EngineError("a question without options")
    lowest = min(combos, key=lambda combo: (combo.kind is not Kind.SINGLE, combo.size, order_key(combo.rank, level)))
    return action_of(lowest, hand, level)


def _substitute_gift(question: Question, level: Rank) -> Action:
    for option in question.options:
        if isinstance(option, Resist | Choose):
            return option
    cards = [option for option in question.options if isinstance(option, Card)]
    return Give(min(cards, key=lambda card: (order_key(card.rank, level), card.index)))
