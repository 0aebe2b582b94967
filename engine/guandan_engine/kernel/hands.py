"""A hand as words from which all its plays can be read without looking at single cards.

A hand takes ``SEAT`` words of a vector. Everything but ``ONES``, ``TWOS`` and ``SIZE`` counts natural cards only: a
wild is no card of its own rank there.
"""

from __future__ import annotations

from typing import Final

from guandan_engine.kernel.book import ELEVATED, KIND_AT, NATURAL, NEED_AT, SUIT_AT, WILDS_AT, WRAPPED, Book
from guandan_engine.kernel.places import BOMBS, FLUSHES, LEVEL_KEY
from guandan_engine.kernel.types import i64, vec
from guandan_engine.kernel.words import POP8, bit, columns, five_in_a_row, nibble_counts, nibble_sum

ONES: Final = 0
"""The faces of which at least one copy is held, as in ``Hand``."""
TWOS: Final = 1
"""The faces of which both are."""
SIZE: Final = 2
WILDS: Final = 3
HELD: Final = 3
"""Ten words follow: the keys with at least one, two, .. ten cards (of nine and ten there are none)."""
LINE: Final = 14
"""The suits of each rank of the line of runs, four bits each, from ace (low) up."""
FLUSH: Final = 15
"""Three words: where straight flushes can be made with exactly 0, 1 and 2 wilds."""
RUNS: Final = 17
"""Three words follow: the ranks held at least once, twice, three times, in the line of runs, from ace (low) up."""
ARMED: Final = 21
"""The bombs the hand can make: 1 of equal cards or jokers, 2 straight flushes, 3 both."""
SEAT: Final = 22

SUITED: Final = 0xFFFFFFFFFFFFF
KEYS: Final = 0xFFFF
PLAIN_KEYS: Final = 0x3FFF
_PLAIN_RANKS: Final = 0x1FFF
STRAIGHT: Final = 7
SMALL: Final = 52
"""The place of the small joker among the faces, that of the big one follows."""


def hold(h: vec[i64], at: i64, ones: i64, twos: i64, book: Book) -> None:
    """Write down the hand of these planes at a place of a vector."""
    wild = book.wild
    wilds: i64 = 0
    if ones & wild:
        wilds = 2 if twos & wild else 1
    suited = ones & SUITED
    doubled = twos & SUITED
    if wilds:
        suited &= ~wild
        doubled &= ~wild
    counts = nibble_counts(suited) + nibble_counts(doubled)
    small = (ones >> SMALL & 1) + (twos >> SMALL & 1)
    big = (ones >> SMALL + 1 & 1) + (twos >> SMALL + 1 & 1)
    size = nibble_sum(counts) + wilds + small + big
    own = counts >> 4 * book.level & 15
    h[at + ONES] = ones
    h[at + TWOS] = twos
    h[at + SIZE] = size
    h[at + WILDS] = wilds
    _set_thresholds(h, at, (counts ^ own << 4 * book.level) | own << 52 | small << 56 | big << 60)
    armed: i64 = 0
    if size >= 4:
        valid = book.valid
        if (
            h[at + HELD + 4] & valid[BOMBS]
            or (wilds and h[at + HELD + 3] & valid[BOMBS + 1])
            or (wilds > 1 and h[at + HELD + 2] & valid[BOMBS + 2])
            or small + big == 4
        ):
            armed = 1
    if size >= 5:
        _set_runs(h, at, book)
        armed += _set_flushes(h, at, suited, wilds, book)
    else:
        i: i64
        for i in range(at + LINE, at + ARMED):
            h[i] = 0
    h[at + ARMED] = armed


def _set_thresholds(h: vec[i64], at: i64, counts: i64) -> None:
    """Turn sixteen counts of 0..8 in nibbles into masks."""
    word = columns(counts)
    b0, b1, b2, b3 = word & KEYS, word >> 16 & KEYS, word >> 32 & KEYS, word >> 48
    some = b0 | b1
    four = b2 | b3
    h[at + HELD + 1] = some | four
    h[at + HELD + 2] = b1 | four
    h[at + HELD + 3] = b0 & b1 | four
    h[at + HELD + 4] = four
    if four:
        h[at + HELD + 5] = some & b2 | b3
        h[at + HELD + 6] = b1 & b2 | b3
        h[at + HELD + 7] = b0 & b1 & b2 | b3
        h[at + HELD + 8] = b3
    else:
        h[at + HELD + 5] = h[at + HELD + 6] = h[at + HELD + 7] = h[at + HELD + 8] = 0


def _set_runs(h: vec[i64], at: i64, book: Book) -> None:
    """Turn the masks of keys into the line of runs."""
    level = book.level
    count: i64
    for count in range(1, 4):
        keys = h[at + HELD + count]
        ranks = keys & _PLAIN_RANKS | (keys >> LEVEL_KEY & 1) << level
        if book.line == NATURAL:
            line = ranks << 1 | ranks >> 12
        elif book.line == ELEVATED:
            line = raised(ranks, 1, book) << 1 | ranks >> 12
        else:
            line = ranks << 1 | ranks >> 12 | ranks << 14
        h[at + RUNS + count] = line


def _set_flushes(h: vec[i64], at: i64, suited: i64, wilds: i64, book: Book) -> i64:
    """Find the straight flushes; return 2 when there are any, else 0."""
    top = raised(suited, 4, book) if book.line == ELEVATED else suited
    line = top << 4 | suited >> 48
    h[at + LINE] = line
    if book.line == WRAPPED:
        line &= SUITED
        none, one, two = five_in_a_row(line, turned(line, 4), turned(line, 8), turned(line, 12), turned(line, 16))
    else:
        none, one, two = five_in_a_row(line, line >> 4, line >> 8, line >> 12, line >> 16)
    valid = book.valid
    none &= valid[FLUSHES]
    one = one & valid[FLUSHES + 1] if wilds else 0
    two = two & valid[FLUSHES + 2] if wilds > 1 else 0
    h[at + FLUSH] = none
    h[at + FLUSH + 1] = one
    h[at + FLUSH + 2] = two
    return 2 if none | one | two else 0


def turned(line: i64, by: i64) -> i64:
    """Turn a circle of thirteen ranks, four bits each, so that what was ``by`` bits up comes to the start."""
    return line >> by | (line & (bit(by) - 1)) << (52 - by)


def raised(ranks: i64, width: i64, book: Book) -> i64:
    """Take the level out of its place among two .. ace, ``width`` bits each, and put it above the ace (§3.7)."""
    at = width * book.level
    below = bit(at) - 1
    whole = bit(width) - 1
    rest = ranks & below | ranks >> width & ~below
    return rest & (bit(12 * width) - 1) | (ranks >> at & whole) << 12 * width


def _rests() -> list[int]:
    """Return, for each count and planes of a rank, the planes left: suits are taken in order, copies side by side."""
    found = [0] * 4096
    for ones in range(16):
        for twos in (twos for twos in range(16) if not twos & ~ones):
            left, at = ones | twos << 4, ones << 4 | twos << 8
            cards = [1 << suit for suit in (0, 0, 1, 1, 2, 2, 3, 3) if ones >> suit & 1]
            cards = [one for n, one in enumerate(cards) if twos & one or one not in cards[:n]]
            found[at] = left
            for count, one in enumerate(cards, 1):
                left ^= one << 4 if left >> 4 & one else one
                found[at | count] = left
    return found


_REST: Final = vec[i64](_rests())
"""At a count of cards and the planes of a rank, ``count | ones << 4 | twos << 8``: the planes after taking them."""


def without(ones: i64, twos: i64, action: i64, book: Book) -> tuple[i64, i64]:
    """Return the planes of a hand after an action it can take, its cards chosen as ``plays.cards_of`` does."""
    word = book.moves[action]
    wild = book.wild
    wild_ones = ones & wild
    wild_twos = twos & wild
    wilds = word >> WILDS_AT & 3
    ones ^= wild_ones
    twos ^= wild_twos
    need = word >> NEED_AT & 15
    suit = word >> SUIT_AT & 7
    if suit:
        ones, twos = _without_flush(ones, twos, word, suit - 1, need)
    elif word >> KIND_AT & 15 == STRAIGHT and wilds == 0:
        ones, twos = _without_straight(ones, twos, word)
    else:
        ones, twos = _without_equal(ones, twos, word, need)
    if wilds == 1 and wild_twos:
        return ones | wild_ones, twos
    return (ones, twos) if wilds else (ones | wild_ones, twos | wild_twos)


def _without_equal(ones: i64, twos: i64, word: i64, need: i64) -> tuple[i64, i64]:
    """Take so many natural cards, rank by rank, no more of each than the combo has."""
    while need and word & 0xF0:
        rank = word & 15
        count = word >> 4 & 15
        count = min(count, need)
        if rank > 12:
            face = bit(SMALL + rank - 13)
            need -= count
            if count == 1 and twos & face:
                twos ^= face
            else:
                ones &= ~face
                twos &= ~face
        else:
            at = 4 * rank
            plane1, plane2 = ones >> at & 15, twos >> at & 15
            held = POP8[plane1] + POP8[plane2]
            count = min(count, held)
            need -= count
            rest = _REST[count | plane1 << 4 | plane2 << 8]
            ones ^= (plane1 ^ rest & 15) << at
            twos ^= (plane2 ^ rest >> 4) << at
        word >>= 8
    return ones, twos


def _without_flush(ones: i64, twos: i64, word: i64, suit: i64, need: i64) -> tuple[i64, i64]:
    """Take so many cards of one suit, from the lowest rank up."""
    left: i64 = 5
    while need and left:
        face = bit(4 * (word & 15) + suit)
        if twos & face:
            twos ^= face
            need -= 1
        elif ones & face:
            ones ^= face
            need -= 1
        word >>= 8
        left -= 1
    return ones, twos


def _without_straight(ones: i64, twos: i64, word: i64) -> tuple[i64, i64]:
    """Take a card of each rank; where all would be of one suit, the first that can be is of another (§4.4)."""
    shared: i64 = 15
    lowest: i64 = 0
    rest = word
    left: i64 = 5
    while left:
        suits = ones >> 4 * (rest & 15) & 15
        lowest = suits & -suits
        shared &= lowest
        rest >>= 8
        left -= 1
    left = 5
    while left:
        at = 4 * (word & 15)
        suits = ones >> at & 15
        lowest = suits & -suits
        if shared and suits != lowest:
            lowest = (suits ^ lowest) & -(suits ^ lowest)
            shared = 0
        face = lowest << at
        if twos & face:
            twos ^= face
        else:
            ones ^= face
        word >>= 8
        left -= 1
    return ones, twos
