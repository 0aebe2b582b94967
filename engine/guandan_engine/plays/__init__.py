"""What may be played: listing, comparing, choosing concrete cards, and reading cards that were laid.

A combo's ``wilds`` is the number of heart level cards among its cards, whatever they stand for, their own place
included (docs/rules.md §4.3). So ``size - wilds`` natural cards and ``wilds`` wild cards make the play.
"""

from guandan_engine.kernel import beats, legal_plays, may_follow, rank_strength, strength
from guandan_engine.plays.picking import cards_of
from guandan_engine.plays.reading import declared_cards, interpret, readings

__all__ = [
    "beats",
    "cards_of",
    "declared_cards",
    "interpret",
    "legal_plays",
    "may_follow",
    "rank_strength",
    "readings",
    "strength",
]
