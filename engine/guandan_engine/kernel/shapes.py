"""What ranks a combo is made of."""

from __future__ import annotations

from guandan_engine.cards import Rank
from guandan_engine.combos import RUN_LENGTHS, Combo, Kind, line_of


def shape(combo: Combo, level: Rank) -> tuple[tuple[Rank, int], ...]:
    """Return the ranks a combo is made of and how many cards of each, wilds standing for what they stand for.

    The pair of a full house comes first: it may be of jokers, for which no wild stands, and keeps its natural cards.
    """
    if combo.kind is Kind.JOKER_BOMB:
        return (Rank.SMALL_JOKER, 2), (Rank.BIG_JOKER, 2)
    if combo.kind in RUN_LENGTHS:
        length = RUN_LENGTHS[combo.kind]
        return tuple([(rank, combo.size // length) for rank in _run(combo, length, level)])
    unlike = combo.top is Rank.BIG_JOKER
    jokers = ((Rank.SMALL_JOKER, 1), (Rank.BIG_JOKER, 1)) if unlike else ()
    if combo.pair is combo.rank:
        return ((combo.rank, 5),)
    if combo.pair is not None:
        return (*(jokers or ((combo.pair, 2),)), (combo.rank, 3))
    return jokers or ((combo.rank, combo.size),)


def _run(combo: Combo, length: int, level: Rank) -> tuple[Rank, ...]:
    """Return the ranks of a run from the lowest up; one with a ``top`` of its own goes by the line of the level."""
    if combo.top is None:
        start = -1 if combo.rank is Rank.ACE else int(combo.rank)
        return tuple([Rank(place % 13) for place in range(start, start + length)])
    line = line_of(level)
    last = len(line) - 1 - line[::-1].index(combo.top)
    return line[max(0, last + 1 - length) : last + 1]
