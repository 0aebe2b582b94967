"""The kinds of combination and the interned canonical combos: what a play is, apart from its concrete cards."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from guandan_engine.cards import Rank, Suit


class Kind(IntEnum):
    """The ten kinds of combination (docs/rules.md section 3)."""

    SINGLE = 1
    PAIR = 2
    TRIPS = 3
    THREE_PAIR = 4
    THREE_WITH_TWO = 5
    TWO_TRIPS = 6
    STRAIGHT = 7
    STRAIGHT_FLUSH = 8
    BOMB = 9
    JOKER_BOMB = 10

    @property
    def is_bomb(self) -> bool:
        """Whether this kind beats other kinds: bomb, straight flush and the four jokers."""
        return self >= Kind.STRAIGHT_FLUSH

    @property
    def is_run(self) -> bool:
        """Whether consecutive ranks make this kind, so that natural order ranks it."""
        return self in (Kind.THREE_PAIR, Kind.TWO_TRIPS, Kind.STRAIGHT, Kind.STRAIGHT_FLUSH)


@dataclass(frozen=True, slots=True, order=True)
class Combo:
    """A canonical combo. Interned: equal combos made by this package are the same object.

    ``rank``: the rank of the cards; of the triple in THREE_WITH_TWO; the LOWEST rank of a run, ace for the ace-low
    run; BIG_JOKER for JOKER_BOMB. ``size``: number of cards. ``pair``: rank of the pair of THREE_WITH_TWO, else None.
    ``wilds``: wild cards that stand for another card or at their own place (0..2).
    ``suit``: of a STRAIGHT_FLUSH, else None.
    """

    kind: Kind
    rank: Rank
    size: int
    pair: Rank | None = None
    wilds: int = 0
    suit: Suit | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a player declares its cards to be: kind and rank, as in ``Combo`` (docs/rules.md section 4)."""

    kind: Kind
    rank: Rank
