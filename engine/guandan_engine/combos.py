"""The kinds of combination and the interned canonical combos: what a play is, apart from its concrete cards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from typing import Final

from guandan_engine.cards import Rank, Suit
from guandan_engine.errors import EngineError, MalformedText

__all__ = [
    "ALL_COMBOS",
    "RUN_LENGTHS",
    "SIZES",
    "UNUSUAL_COMBOS",
    "Combo",
    "Kind",
    "Reading",
    "combo",
    "elevated_runs",
    "interned",
    "line_of",
    "natural_top",
    "rank_of_wild_pair",
    "run_ranks",
]


class Kind(IntEnum):
    """The ten kinds of combination (docs/rules.md §3)."""

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

    @classmethod
    def parse(cls, text: str) -> Kind:
        """Read a kind's name as the field writes it: ``Single``, ``ThreePair``, ``JokerBomb``."""
        kind = _KINDS_BY_TEXT.get(text)
        if kind is None:
            raise MalformedText(f"{text!r} is not a kind; kinds are {', '.join(_KINDS_BY_TEXT)}")
        return kind

    def __str__(self) -> str:
        return _KIND_TEXTS[self]

    @property
    def is_bomb(self) -> bool:
        """Whether this kind beats other kinds: bomb, straight flush and the four jokers."""
        return self >= Kind.STRAIGHT_FLUSH

    @property
    def is_run(self) -> bool:
        """Whether consecutive ranks make this kind, so that natural order ranks it."""
        return self in RUN_LENGTHS


_KIND_TEXTS: Final = {kind: kind.name.title().replace("_", "") for kind in Kind}
_KINDS_BY_TEXT: Final = {text: kind for kind, text in _KIND_TEXTS.items()}


@dataclass(frozen=True, slots=True)
class Combo:
    """A canonical combo; make it with ``combo()``, which interns: equal combos are then the same object.

    ``rank``: the rank of the cards; of the triple in THREE_WITH_TWO; the LOWEST rank of a run, ace for the ace-low
    run; BIG_JOKER for JOKER_BOMB. ``size``: number of cards. ``pair``: rank of the pair of THREE_WITH_TWO, else None.
    A pair made of both wilds counts as the strongest rank the triple leaves: the level, or A (K at level A) beside
    three level cards. ``wilds``: how many of the cards are wild cards, whatever they stand for, their own place
    included (0..2). ``suit``: of a STRAIGHT_FLUSH, else None. ``top``: the highest rank where kind and rank do not say
    it, else None: of a run that skips the level or ends in it (§3.7), and BIG_JOKER of a pair of unlike jokers (§3.2).
    ``action``: its number among all actions, 0 of which is to pass; -1 when ``combo()`` did not make it.
    """

    kind: Kind
    rank: Rank
    size: int
    pair: Rank | None = None
    wilds: int = 0
    suit: Suit | None = None
    top: Rank | None = None
    action: int = field(default=-1, init=False, compare=False, repr=False)

    def __lt__(self, other: Combo) -> bool:
        """Sort by kind, rank, size, pair, wilds, suit; what is absent comes first."""
        return self._place() < other._place()

    def _place(self) -> tuple[int, ...]:
        parts = (self.kind, self.rank, self.size, self.pair, self.wilds, self.suit, self.top)
        return tuple(-1 if part is None else part for part in parts)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a player declares its cards to be: kind and rank, as in ``Combo`` (docs/rules.md §4.6)."""

    kind: Kind
    rank: Rank


SIZES: Final = {
    Kind.SINGLE: 1,
    Kind.PAIR: 2,
    Kind.TRIPS: 3,
    Kind.THREE_PAIR: 6,
    Kind.THREE_WITH_TWO: 5,
    Kind.TWO_TRIPS: 6,
    Kind.STRAIGHT: 5,
    Kind.STRAIGHT_FLUSH: 5,
    Kind.JOKER_BOMB: 4,
}
"""Number of cards of every kind but BOMB, which has 4 to 10."""

_PLAIN_RANKS: Final = tuple(Rank)[: Rank.ACE + 1]
_JOKERS: Final = (Rank.SMALL_JOKER, Rank.BIG_JOKER)


def run_ranks(length: int) -> tuple[Rank, ...]:
    """Return the lowest ranks of the runs of ``length`` ranks: ace (low), two, and so on up to the run ending in A."""
    return (Rank.ACE, *_PLAIN_RANKS[: len(_PLAIN_RANKS) - length + 1])


RUN_LENGTHS: Final = {Kind.THREE_PAIR: 3, Kind.TWO_TRIPS: 2, Kind.STRAIGHT: 5, Kind.STRAIGHT_FLUSH: 5}
"""How many ranks in a row make each run."""


@cache
def line_of(level: Rank) -> tuple[Rank, ...]:
    """Return the ranks in the order of runs where the level card stands above the ace: ace (low), two .. ace, level."""
    return (Rank.ACE, *(rank for rank in _PLAIN_RANKS if rank is not level), level)


def natural_top(rank: Rank, length: int) -> Rank:
    """Return the highest rank of a run of ``length`` ranks from ``rank`` up, ace below two and above king."""
    return Rank((rank + length - 1) % len(_PLAIN_RANKS))


def _all_combos() -> Iterator[Combo]:
    """Yield every combo that some hand can lay at some level where runs are natural and a pair is two of a rank."""
    for kind in (Kind.SINGLE, Kind.PAIR, Kind.TRIPS):
        for wilds in range(min(SIZES[kind], 2) + 1):
            ranks = _PLAIN_RANKS if wilds or kind is Kind.TRIPS else (*_PLAIN_RANKS, *_JOKERS)
            yield from (Combo(kind, rank, SIZES[kind], wilds=wilds) for rank in ranks)
    for wilds in range(3):
        for kind, length in RUN_LENGTHS.items():
            for rank in run_ranks(length):
                for suit in Suit if kind is Kind.STRAIGHT_FLUSH else (None,):
                    yield Combo(kind, rank, SIZES[kind], wilds=wilds, suit=suit)
        for rank in _PLAIN_RANKS:
            pairs = (pair for pair in (*_PLAIN_RANKS, *_JOKERS) if pair is not rank)
            yield from (Combo(Kind.THREE_WITH_TWO, rank, 5, pair, wilds) for pair in pairs)
            yield from (Combo(Kind.BOMB, rank, size, wilds=wilds) for size in range(4, 9 + wilds))
    yield Combo(Kind.JOKER_BOMB, Rank.BIG_JOKER, 4)


def _unusual_combos() -> Iterator[Combo]:
    """Yield the combos that only rules unlike ``standard`` know."""
    yield Combo(Kind.PAIR, Rank.SMALL_JOKER, 2, top=Rank.BIG_JOKER)
    for wilds in range(3):
        for rank in _PLAIN_RANKS:
            yield Combo(Kind.THREE_WITH_TWO, rank, 5, Rank.SMALL_JOKER, wilds, top=Rank.BIG_JOKER)
            if wilds < 2:
                yield Combo(Kind.THREE_WITH_TWO, rank, 5, rank, wilds)
        for kind, length in RUN_LENGTHS.items():
            for rank, top in _unusual_runs(length):
                for suit in Suit if kind is Kind.STRAIGHT_FLUSH else (None,):
                    yield Combo(kind, rank, SIZES[kind], wilds=wilds, suit=suit, top=top)


@cache
def _unusual_runs(length: int) -> tuple[tuple[Rank, Rank | None], ...]:
    """Return lowest rank and ``top`` of the runs that go on past the ace, or in which the level is not at its place."""
    wrapped = [(rank, None) for rank in _PLAIN_RANKS if rank not in run_ranks(length)]
    found = {run for level in _PLAIN_RANKS for run in elevated_runs(level, length)}
    return (*wrapped, *sorted((rank, top) for rank, top in found if top is not None))


def elevated_runs(level: Rank, length: int) -> tuple[tuple[Rank, Rank | None], ...]:
    """Return lowest rank and ``top`` of each run at a level that stands above the ace; no top where it is natural."""
    line = line_of(level)
    return tuple(_ends(line[first : first + length]) for first in range(len(line) - length + 1))


def _ends(ranks: tuple[Rank, ...]) -> tuple[Rank, Rank | None]:
    natural = all(natural_top(ranks[0], place + 1) is rank for place, rank in enumerate(ranks))
    return ranks[0], None if natural else ranks[-1]


def _sorted(combos: Iterator[Combo]) -> list[Combo]:
    return sorted(combos, key=lambda one: (one.kind, one.size, one.wilds, one.rank))


ALL_COMBOS: Final = tuple(_sorted(_all_combos()))
"""Every combo of ``standard``, at any level: a closed action space."""
UNUSUAL_COMBOS: Final = tuple(_sorted(_unusual_combos()))
"""Every combo that only other rules know."""
_INTERNED: Final = {
    (one.kind, one.rank, one.size, one.pair, one.wilds, one.suit, one.top): one
    for one in (*ALL_COMBOS, *UNUSUAL_COMBOS)
}
for _number, _one in enumerate(_INTERNED.values(), 1):
    object.__setattr__(_one, "action", _number)


def combo(
    kind: Kind,
    rank: Rank,
    *,
    size: int | None = None,
    pair: Rank | None = None,
    wilds: int = 0,
    suit: Suit | None = None,
    top: Rank | None = None,
) -> Combo:
    """Return the one combo of this description; raise EngineError when no cards make it. Only a bomb needs ``size``."""
    cards = SIZES.get(kind, 0) if size is None else size
    found = _INTERNED.get((kind, rank, cards, pair, wilds, suit, top))
    if found is None:
        raise EngineError(f"no cards make {Combo(kind, rank, cards, pair, wilds, suit, top)}")
    return found


def interned(one: Combo) -> Combo:
    """Return the one combo that equals this one; raise EngineError when no cards make it."""
    return combo(one.kind, one.rank, size=one.size, pair=one.pair, wilds=one.wilds, suit=one.suit, top=one.top)


def rank_of_wild_pair(triple: Rank, level: Rank) -> Rank:
    """Return what a pair of both wilds counts as beside a triple: the strongest rank left (docs/rules.md §4.5)."""
    if triple is not level:
        return level
    return Rank.ACE if level is not Rank.ACE else Rank.KING
