"""Listing the legal plays of a hand."""

from __future__ import annotations

from guandan_engine.cards import Hand, Rank
from guandan_engine.combos import Combo
from guandan_engine.rules import RuleSet


def legal_plays(hand: Hand, to_beat: Combo | None, rules: RuleSet, level: Rank) -> list[Combo]:
    """Return every combo the hand can lay, each once: all when ``to_beat`` is None (leading), else those that beat it.

    Interned combos in a fixed order: by kind, size, wilds used, then strength. Passing is not in the list.
    Empty when nothing beats ``to_beat`` or the hand is empty.
    """
    raise NotImplementedError
