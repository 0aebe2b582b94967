"""Choosing concrete cards for a combo."""

from __future__ import annotations

from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.combos import Combo


def cards_of(combo: Combo, hand: Hand, level: Rank) -> tuple[Card, ...]:
    """Return cards of the hand that make the combo, sorted by index, always the same ones for the same hand.

    Raise IllegalAction (``not_held``) when the hand cannot make it.
    """
    raise NotImplementedError
