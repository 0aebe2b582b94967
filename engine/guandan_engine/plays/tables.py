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

    __slots__ = ("_combos",)

    def __init__(self, combos: Sequence[Combo | None]) -> None:
        super().__init__()
        self._combos = combos

    def __missing__(self, mask: int) -> tuple[Combo, ...]:
        found = tuple(made for place, made in enumerate(self._combos) if mask >> place & 1 and made is not None)
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


def _table(combos: Sequence[Combo | None]) -> Table:
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
    return _table(
        [None if key in empty else combo(kind, rank_of_key(key, level), size=size, wilds=wilds) for key in range(_KEYS)]
    )


def _runs(kind: Kind, *, wilds: int) -> Table:
    """Return the table of a run by its start."""
    suits = tuple(Suit) if kind is Kind.STRAIGHT_FLUSH else (None,)
    ranks = run_ranks(RUN_LENGTHS[kind])
    return _table([combo(kind, rank, wilds=wilds, suit=suit) for rank in ranks for suit in suits])


def _full_houses(rank: Rank, *, wilds: int) -> Table:
    """Return the table of the full houses of a triple, by the rank of the pair."""
    pairs = [None if pair is rank else combo(Kind.THREE_WITH_TWO, rank, pair=pair, wilds=wilds) for pair in Rank]
    return _table(pairs)


FULL_HOUSES: Final = tuple(tuple(_full_houses(Rank(rank), wilds=wilds) for rank in range(13)) for wilds in range(3))
"""By wilds used and the triple's rank."""

_RUN_TABLES: Final = {kind: tuple(_runs(kind, wilds=wilds) for wilds in range(3)) for kind in RUN_LENGTHS}


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


_LEVELS: Final = tuple(Rank)[:LEVEL_KEY]
BY_KIND: Final = tuple(_by_kind(level) for level in _LEVELS)
"""By level, kind and wilds used: every kind but full houses and bombs."""
BOMBS: Final = tuple(_bombs(level) for level in _LEVELS)
"""By level, size and wilds used."""
RANK_OF_KEY: Final = tuple(tuple(rank_of_key(key, level) for key in range(_KEYS)) for level in _LEVELS)
"""By level and key."""
