"""A hand as bit masks, from which all legal plays can be read without looking at single cards.

Three orders of places are used:

- **keys**, strength of a rank at this level: 2..A without the level's own cards at 0..12, the level at 13, the jokers
  at 14 and 15. Singles, groups, bombs and the triples of full houses are masks of keys.
- **ranks**, natural: 2..A at 0..12, the jokers at 13 and 14. The pairs of full houses are masks of ranks.
- **starts**, where a run begins: ace (low) at 0, two at 1, .. ten at 9. Runs are masks of starts; straight flushes have
  four places for each start, one for each suit. Places past the last start mean nothing: the tables end there.

``masks`` of a kind are three: where it can be made with exactly 0, 1 and 2 wild cards; those that need more wilds than
the hand holds are never asked for. Everything counts natural cards first: a wild is no card of its own rank here.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from guandan_engine.cards import Hand, Rank, Suit
from guandan_engine.combos import Kind

Masks: TypeAlias = tuple[int, int, int]

PLAIN_KEYS: Final = 0x3FFF
LEVEL_KEY: Final = 13
_LEVEL_BIT: Final = 1 << LEVEL_KEY
_PLAIN_RANKS: Final = 0x1FFF
_SUITED: Final = (1 << 52) - 1
_JOKER: Final = 52
_NIBBLE: Final = 0xF
_FIVES: Final = 0x5555555555555555
_THREES: Final = 0x3333333333333333


class Holding:
    """The masks of one hand at one level."""

    __slots__ = ("_flushes", "_suits", "at_least", "level", "wilds")

    def __init__(self, hand: Hand, level: Rank) -> None:
        ones, twos = hand.ones, hand.twos
        wild = 1 << (level * 4 + Suit.HEARTS)
        self.level = level
        self.wilds = (1 if ones & wild else 0) + (1 if twos & wild else 0)
        suited, doubled = ones & _SUITED & ~wild, twos & _SUITED & ~wild
        counts = _nibble_counts(suited) + _nibble_counts(doubled)
        own = counts >> 4 * level & _NIBBLE
        jokers = _joker_counts(ones, twos)
        self.at_least = _thresholds((counts ^ own << 4 * level) | own << 4 * LEVEL_KEY | jokers)
        self._suits = suited << 4 | suited >> 48
        self._flushes: Masks | None = None

    def masks(self, kind: Kind) -> Masks:
        """Return where a kind can be made, by wilds used; all kinds but full houses and bombs."""
        return _MASKS[kind](self)

    def pair_ranks(self) -> int:
        """Return the mask of the ranks that make a natural pair."""
        return self.ranks(self.at_least[2])

    def ranks(self, keys: int) -> int:
        """Turn a mask of keys into one of ranks."""
        return keys & _PLAIN_RANKS | (keys >> LEVEL_KEY & 1) << self.level | keys >> 14 << 13

    def singles(self) -> Masks:
        """A single; a wild alone is a level card (§4.2)."""
        return self.at_least[1], _LEVEL_BIT, 0

    def pairs(self) -> Masks:
        """Two of a rank; both wilds alone are a pair of level cards (§4.2)."""
        return self.at_least[2], self.at_least[1] & PLAIN_KEYS, _LEVEL_BIT

    def trips(self) -> Masks:
        """Three of a rank, never jokers."""
        return self.at_least[3], self.at_least[2] & PLAIN_KEYS, self.at_least[1] & PLAIN_KEYS

    def three_pairs(self) -> Masks:
        """Three pairs in a row; of two cards at each rank, one or two may be wild."""
        one, two = self._natural(1), self._natural(2)
        a1, b1, c1 = one, one >> 1, one >> 2
        a2, b2, c2 = two, two >> 1, two >> 2
        return (
            a2 & b2 & c2,
            a1 & b2 & c2 | a2 & b1 & c2 | a2 & b2 & c1,
            a2 & b2 | a2 & c2 | b2 & c2 | a2 & b1 & c1 | a1 & b2 & c1 | a1 & b1 & c2,
        )

    def two_trips(self) -> Masks:
        """Two triples in a row; of three cards at each rank, one or two may be wild."""
        a1, a2, a3 = self._natural(1), self._natural(2), self._natural(3)
        b1, b2, b3 = a1 >> 1, a2 >> 1, a3 >> 1
        return a3 & b3, a3 & b2 | a2 & b3, a3 & b1 | a2 & b2 | a1 & b3

    def straights(self) -> Masks:
        """Five ranks in a row; five natural cards of one suit are no plain straight (§4.4)."""
        none, one, two = _five_in_a_row(self._natural(1), 1)
        flushes = self.straight_flushes()[0]
        while flushes:
            start = (flushes.bit_length() - 1) >> 2
            if (self._suits >> 4 * start & 0xFFFFF).bit_count() == 5:
                none &= ~(1 << start)
            flushes &= (1 << 4 * start) - 1
        return none, one, two

    def straight_flushes(self) -> Masks:
        """Five cards in a row of one suit."""
        if self._flushes is None:
            self._flushes = _five_in_a_row(self._suits, 4)
        return self._flushes

    def _natural(self, count: int) -> int:
        """Return the ranks held at least ``count`` times, from ace (low) at 0 to ace (high) at 13."""
        keys = self.at_least[count]
        ranks = keys & _PLAIN_RANKS | (keys >> LEVEL_KEY & 1) << self.level
        return ranks << 1 | ranks >> 12


_MASKS: Final = {
    Kind.SINGLE: Holding.singles,
    Kind.PAIR: Holding.pairs,
    Kind.TRIPS: Holding.trips,
    Kind.THREE_PAIR: Holding.three_pairs,
    Kind.TWO_TRIPS: Holding.two_trips,
    Kind.STRAIGHT: Holding.straights,
    Kind.STRAIGHT_FLUSH: Holding.straight_flushes,
}


def _nibble_counts(word: int) -> int:
    """Count the bits of each nibble into that nibble."""
    word -= word >> 1 & _FIVES
    return (word & _THREES) + (word >> 2 & _THREES)


def _joker_counts(ones: int, twos: int) -> int:
    """Return the numbers of small and big jokers in the nibbles of keys 14 and 15."""
    small = (ones >> _JOKER & 1) + (twos >> _JOKER & 1)
    big = (ones >> _JOKER + 1) + (twos >> _JOKER + 1)
    return small << 56 | big << 60


def _thresholds(counts: int) -> tuple[int, ...]:
    """Turn sixteen counts of 0..8 in nibbles into masks: the places with at least 0, 1, .. 8, and never 9 or 10."""
    columns = _columns(counts)
    b0, b1, b2, b3 = columns & 0xFFFF, columns >> 16 & 0xFFFF, columns >> 32 & 0xFFFF, columns >> 48
    four = b2 | b3
    low = b0 | b1
    return (
        0xFFFF,
        low | four,
        b1 | four,
        b0 & b1 | four,
        four,
        low & b2 | b3,
        b1 & b2 | b3,
        b0 & b1 & b2 | b3,
        b3,
        0,
        0,
    )


def _swap_mask(high: int, low: int) -> int:
    """Return the places of a 64-bit word whose number has bit ``low`` and not bit ``high``."""
    return sum(1 << i for i in range(64) if i >> low & 1 and not i >> high & 1)


_SWAPS: Final = tuple(
    (_swap_mask(high, low), (1 << high) - (1 << low)) for high, low in ((5, 1), (4, 0), (3, 1), (2, 0))
)


def _columns(word: int) -> int:
    """Transpose sixteen nibbles into four columns of sixteen bits: bit b of nibble k goes to place 16 b + k.

    Each step exchanges two binary digits of every bit's place number.
    """
    for mask, shift in _SWAPS:
        moved = (word ^ word >> shift) & mask
        word ^= moved ^ moved << shift
    return word


def _five_in_a_row(plane: int, step: int) -> Masks:
    """Return the places from which, going up by ``step``, all five, at least four, at least three places are set.

    A bit-sliced adder: all places are counted at once, in the binary digits ``ones``, ``twos`` and ``fours``.
    """
    a, b, c, d, e = plane, plane >> step, plane >> 2 * step, plane >> 3 * step, plane >> 4 * step
    ab, de = a ^ b, d ^ e
    abc = ab ^ c
    carry1, carry2, carry3 = a & b | ab & c, d & e, abc & de
    ones = abc ^ de
    twos = carry1 ^ carry2 ^ carry3
    fours = carry1 & carry2 | carry3 & (carry1 | carry2)
    return fours & ones, fours, fours | twos & ones
