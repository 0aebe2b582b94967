"""Reading concrete cards as combos (docs/rules.md §4)."""

from __future__ import annotations

from collections.abc import Sequence

from guandan_engine.actions import Play
from guandan_engine.cards import Card, Rank
from guandan_engine.combos import Combo, Reading
from guandan_engine.rules import RuleSet


def readings(cards: Sequence[Card], rules: RuleSet, level: Rank) -> tuple[Combo, ...]:
    """Return every combo these cards, all of them, can be; () when none."""
    raise NotImplementedError


def interpret(cards: Sequence[Card], declared: Reading | None, rules: RuleSet, level: Rank) -> Combo:
    """Return what these cards are, read as declared; ``declared`` may be None when there is only one reading.

    Any concrete choice of cards is accepted. Raise IllegalAction otherwise, with code ``no_cards``,
    ``too_many_copies``, ``not_a_combo``, ``wild_alone``, ``reading_impossible`` or ``reading_ambiguous``;
    the hint lists the readings there are. Whether the cards are held and beat anything is for the caller to ask.
    """
    raise NotImplementedError


def declared_cards(play: Play, level: Rank) -> tuple[Card, ...]:
    """Return what each card of a play stands for, in the order of ``play.cards``: wilds replaced, others themselves.

    A wild stands as the heart of the rank it fills; in a straight flush as the card of that suit; in a plain straight
    whose other cards are all hearts as the spade.
    """
    raise NotImplementedError
