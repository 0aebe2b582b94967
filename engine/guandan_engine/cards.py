"""The 54 different cards of which two copies each make the 108 of Guandan, and a hand as a multiset of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from guandan_engine.errors import EngineError, MalformedText

__all__ = [
    "BIG_JOKER",
    "CARDS",
    "DECK",
    "RANK_CHARS",
    "SMALL_JOKER",
    "SUIT_CHARS",
    "Card",
    "Hand",
    "Rank",
    "Suit",
    "order_key",
    "wild_of",
]

SUIT_CHARS: Final = "SHCD"
RANK_CHARS: Final = "23456789TJQKA"


class Suit(IntEnum):
    """Spades, hearts, clubs, diamonds; suits have no order of strength."""

    SPADES = 0
    HEARTS = 1
    CLUBS = 2
    DIAMONDS = 3

    def __str__(self) -> str:
        return SUIT_CHARS[self]


class Rank(IntEnum):
    """2 to ace in natural order from 0, then the two jokers."""

    TWO = 0
    THREE = 1
    FOUR = 2
    FIVE = 3
    SIX = 4
    SEVEN = 5
    EIGHT = 6
    NINE = 7
    TEN = 8
    JACK = 9
    QUEEN = 10
    KING = 11
    ACE = 12
    SMALL_JOKER = 13
    BIG_JOKER = 14

    @classmethod
    def parse(cls, text: str) -> Rank:
        """Read ``2``..``9``, ``T``, ``J``, ``Q``, ``K``, ``A``, ``SB`` or ``HR``; raise MalformedText otherwise."""
        rank = _RANKS_BY_TEXT.get(text)
        if rank is None:
            raise MalformedText(f"{text!r} is not a rank; ranks are {RANK_CHARS}, SB and HR")
        return rank

    def __str__(self) -> str:
        return _RANK_TEXTS[self]


_RANK_TEXTS: Final[tuple[str, ...]] = (*RANK_CHARS, "SB", "HR")
_RANKS_BY_TEXT: Final = {text: Rank(i) for i, text in enumerate(_RANK_TEXTS)}


@dataclass(frozen=True, slots=True, order=True)
class Card:
    """One of 54 faces. ``index`` = rank * 4 + suit for 0..51, 52 is the small joker, 53 the big one."""

    index: int

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read a suit-first code such as ``H2``, ``ST``, ``SB``, ``HR``; raise MalformedText otherwise."""
        card = _CARDS_BY_TEXT.get(text)
        if card is None:
            raise MalformedText(f"{text!r} is not a card; write suit then rank, as H2 or ST, or SB, HR for the jokers")
        return card

    @property
    def rank(self) -> Rank:
        """Natural rank, whatever the level."""
        return Rank(self.index >> 2) if self.index < 52 else Rank(self.index - 39)

    @property
    def suit(self) -> Suit | None:
        """Suit, or None for a joker."""
        return Suit(self.index & 3) if self.index < 52 else None

    @property
    def is_joker(self) -> bool:
        """Whether this is a small or a big joker."""
        return self.index >= 52

    def is_wild(self, level: Rank) -> bool:
        """Whether this is the heart level card (逢人配), which may stand for any card but a joker."""
        return self.index == level * 4 + Suit.HEARTS

    def __str__(self) -> str:
        return _CARD_TEXTS[self.index]

    def __repr__(self) -> str:
        return f"Card({_CARD_TEXTS[self.index]})"


_CARD_TEXTS: Final[tuple[str, ...]] = (*(s + r for r in RANK_CHARS for s in SUIT_CHARS), "SB", "HR")
CARDS: Final = tuple(Card(i) for i in range(54))
DECK: Final = tuple(card for card in CARDS for _ in range(2))
_CARDS_BY_TEXT: Final = {text: CARDS[i] for i, text in enumerate(_CARD_TEXTS)}
SMALL_JOKER: Final = CARDS[52]
BIG_JOKER: Final = CARDS[53]


def wild_of(level: Rank) -> Card:
    """Return the heart level card of a level."""
    return CARDS[level * 4 + Suit.HEARTS]


def order_key(rank: Rank, level: Rank) -> int:
    """Return the strength of a rank for single cards and groups: 2..A = 0..12, level = 13, jokers 14 and 15."""
    if rank == level:
        return 13
    return int(rank) if rank <= Rank.ACE else rank + 1


@dataclass(frozen=True, slots=True)
class Hand:
    """A multiset of cards, at most two copies of each, as two 54-bit planes.

    Bit ``card.index`` of ``ones`` says that at least one copy is held, the same bit of ``twos`` that both are.
    """

    ones: int = 0
    twos: int = 0

    @classmethod
    def of(cls, cards: Iterable[Card]) -> Hand:
        """Collect cards; raise EngineError when a card comes a third time."""
        ones = twos = 0
        for card in cards:
            bit = 1 << card.index
            if twos & bit:
                raise EngineError(f"three copies of {card}; the deck has two")
            twos |= ones & bit
            ones |= bit
        return cls(ones, twos)

    @classmethod
    def parse(cls, text: str) -> Hand:
        """Read cards separated by blanks, as ``H2 ST SB``."""
        return cls.of(Card.parse(word) for word in text.split())

    def count(self, card: Card) -> int:
        """Return how many copies of a card are held: 0, 1 or 2."""
        return (self.ones >> card.index & 1) + (self.twos >> card.index & 1)

    def minus(self, other: Hand) -> Hand:
        """Take cards away; raise EngineError when one of them is not held."""
        if not other <= self:
            missing = [str(c) for c in CARDS if other.count(c) > self.count(c)]
            raise EngineError(f"not held: {' '.join(missing)}")
        ones = (self.ones & ~((other.ones & ~self.twos) | other.twos)) & _ALL
        return Hand(ones, self.twos & ~other.ones)

    def plus(self, other: Hand) -> Hand:
        """Add cards; raise EngineError when a card comes a third time."""
        return Hand.of((*self, *other))

    def __le__(self, other: Hand) -> bool:
        return not (self.ones & ~other.ones or self.twos & ~other.twos)

    def __len__(self) -> int:
        return self.ones.bit_count() + self.twos.bit_count()

    def __iter__(self) -> Iterator[Card]:
        """Yield cards by index, copies side by side."""
        for card in CARDS:
            for _ in range(self.count(card)):
                yield card

    def __contains__(self, card: Card) -> bool:
        return bool(self.ones >> card.index & 1)

    def __str__(self) -> str:
        return " ".join(map(str, self))

    def __repr__(self) -> str:
        return f"Hand({self})"


_ALL: Final = (1 << 54) - 1
