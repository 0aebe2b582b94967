"""Tables that turn masks of places into interned combos, a byte of the mask at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from guandan_engine.cards import Rank, Suit
from guandan_engine.combos import RUN_LENGTHS, Combo, Kind, combo, run_ranks
from guandan_engine.plays.masks import LEVEL_KEY

_KEYS: Final = 16


class Places(dict[int, tuple[Combo, ...]]):
    """The combos of eight places; indexed by a byte, gives those whose bit is set. Filled as it is used."""

    __slots__ = ("combos",)

    def __init__(self, combos: Sequence[Combo | None]) -> None:
        super().__init__()
        self.combos = combos

    def __missing__(self, mask: int) -> tuple[Combo, ...]:
        found = tuple(made for place, made in enumerate(self.combos) if mask >> place & 1 and made is not None)
        self[mask] = found
        return found


Table: TypeAlias = tuple[Places, ...]
"""One ``Places`` for each byte of a mask, the lowest first."""


def spread(plays: list[Combo], table: Table, mask: int) -> None:
    """Add to ``plays`` the combos at the places of a mask, the weakest first."""
    for places in table:
        plays += places[mask & 0xFF]
        mask >>= 8
        if not mask:
            return


def table_of(combos: Sequence[Combo | None]) -> Table:
    """Return the table of the combos at each place, None where there is none."""
    return tuple(Places(combos[first : first + 8]) for first in range(0, len(combos), 8))


def rank_of_key(key: int, level: Rank) -> Rank:
    """Return the rank that has a strength at a level; the opposite of ``order_key``."""
    if key == LEVEL_KEY:
        return level
    return Rank(key if key < LEVEL_KEY else key - 1)


def _by_key(kind: Kind, level: Rank, *, wilds: int, size: int | None = None) -> Table:
    """Return the table of a kind of equal cards; a place is empty where no cards make the combo or jokers stand."""
    plain = wilds > 0 or kind not in (Kind.SINGLE, Kind.PAIR)
    empty = {level.value, LEVEL_KEY + 1, LEVEL_KEY + 2} if plain else {level.value}
    combos = [
        None if key in empty else combo(kind, rank_of_key(key, level), size=size, wilds=wilds) for key in range(_KEYS)
    ]
    return table_of([*combos, _UNLIKE_JOKERS] if kind is Kind.PAIR and not wilds else combos)


Runs: TypeAlias = Sequence[tuple[Rank, Rank | None]]
"""Lowest rank and ``top`` of the runs of one length, by start."""


def runs_table(kind: Kind, runs: Runs, *, wilds: int) -> Table:
    """Return the table of a run by its start."""
    suits = tuple(Suit) if kind is Kind.STRAIGHT_FLUSH else (None,)
    return table_of([combo(kind, rank, wilds=wilds, suit=suit, top=top) for rank, top in runs for suit in suits])


def _full_houses(rank: Rank, *, wilds: int) -> Table:
    """Return the table of the full houses of a triple, by the rank of the pair, that of unlike jokers last."""
    pairs = [None if pair is rank else combo(Kind.THREE_WITH_TWO, rank, pair=pair, wilds=wilds) for pair in Rank]
    unlike = combo(Kind.THREE_WITH_TWO, rank, pair=Rank.SMALL_JOKER, wilds=wilds, top=Rank.BIG_JOKER)
    return table_of([*pairs, unlike])


FULL_HOUSES: Final = tuple(tuple(_full_houses(Rank(rank), wilds=wilds) for rank in range(13)) for wilds in range(3))
"""By wilds used and the triple's rank."""

UNLIKE_JOKERS_KEY: Final = 16
"""The place of a pair of a small and a big joker."""
UNLIKE_JOKERS_RANK: Final = 15
"""The same among the pairs of full houses."""
_UNLIKE_JOKERS: Final = combo(Kind.PAIR, Rank.SMALL_JOKER, top=Rank.BIG_JOKER)

_RUN_TABLES: Final = {
    kind: tuple(runs_table(kind, [(rank, None) for rank in run_ranks(length)], wilds=wilds) for wilds in range(3))
    for kind, length in RUN_LENGTHS.items()
}

_MOST_WILDS: Final = {Kind.SINGLE: 1, Kind.PAIR: 2, Kind.TRIPS: 2}


def _by_kind(level: Rank) -> dict[Kind, tuple[Table, ...]]:
    groups = {
        kind: tuple(_by_key(kind, level, wilds=wilds) for wilds in range(most + 1))
        for kind, most in _MOST_WILDS.items()
    }
    return groups | _RUN_TABLES


def _bombs(level: Rank) -> dict[int, tuple[Table, ...]]:
    """Return the tables of bombs by size and wilds used; nine and ten cards are not made without wilds."""
    return {
        size: tuple(_by_key(Kind.BOMB, level, size=size, wilds=w) if size - w <= 8 else () for w in range(3))
        for size in range(4, 11)
    }


def _same_rank(level: Rank, *, wilds: int) -> Table:
    """Return the table of the full houses of five equal cards."""
    ranks = [None if key == level else rank_of_key(key, level) for key in range(LEVEL_KEY + 1)]
    return table_of(
        [None if rank is None else combo(Kind.THREE_WITH_TWO, rank, pair=rank, wilds=wilds) for rank in ranks]
    )


_LEVELS: Final = tuple(Rank)[:LEVEL_KEY]
BY_KIND: Final = tuple(_by_kind(level) for level in _LEVELS)
"""By level, kind and wilds used: every kind but full houses and bombs."""
BOMBS: Final = tuple(_bombs(level) for level in _LEVELS)
"""By level, size and wilds used."""
SAME_RANK_FULL_HOUSES: Final = tuple(tuple(_same_rank(level, wilds=w) for w in range(2)) for level in _LEVELS)
"""By level and wilds used."""
RANK_OF_KEY: Final = tuple(tuple(rank_of_key(key, level) for key in range(_KEYS)) for level in _LEVELS)
"""By level and key."""
