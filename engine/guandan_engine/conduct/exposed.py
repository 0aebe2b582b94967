"""Exposed cards (暴露牌): whoever has shown them leads them one by one (docs/rules.md §11.9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from guandan_engine.actions import Action, Lay, Option
from guandan_engine.cards import Card
from guandan_engine.combos import Combo, Kind, Reading
from guandan_engine.errors import IllegalAction

__all__ = ["also", "check_lead", "may_lead", "picked", "without"]


def may_lead(options: Sequence[Option], exposed: Sequence[Card]) -> tuple[Option, ...]:
    """Return which leads are left to a seat with exposed cards: one of these as a single."""
    if not exposed:
        return tuple(options)
    ranks = {card.rank for card in exposed}
    singles = (option for option in options if isinstance(option, Combo) and option.kind is Kind.SINGLE)
    return tuple(option for option in singles if option.rank in ranks)


def check_lead(action: Action, exposed: Sequence[Card]) -> None:
    """Raise IllegalAction unless a lead is one exposed card, where there are any."""
    if exposed and not (isinstance(action, Lay) and len(action.cards) == 1 and action.cards[0] in exposed):
        cards = " or ".join(map(str, exposed))
        raise IllegalAction("exposed_first", "exposed cards are led first, one by one", f"lead {cards} alone")


def picked(option: Combo, exposed: Sequence[Card]) -> Lay:
    """Return the lead of the exposed card that is this single."""
    card = next(card for card in exposed if card.rank is option.rank)
    return Lay((card,), Reading(option.kind, option.rank))


def also(exposed: Sequence[Card], cards: Sequence[Card]) -> tuple[Card, ...]:
    """Return the exposed cards with more that were shown; a card that was shown before is one card."""
    return tuple(sorted((Counter(exposed) | Counter(cards)).elements()))


def without(exposed: Sequence[Card], laid: Sequence[Card]) -> tuple[Card, ...]:
    """Return the exposed cards that are still held after a play."""
    left = list(exposed)
    for card in laid:
        if card in left:
            left.remove(card)
    return tuple(left)
