"""Finding the plays of a hand (docs/rules.md §3 to §5): every row of places as one mask.

What is found are segments, in the order of ``legal_plays``: a row in seven bits, above them the mask of the places
where it can be made now. ``masks`` of a kind are three: made with exactly 0, 1 and 2 wilds.
"""

from __future__ import annotations

from typing import Final

from guandan_engine.kernel.book import ELEVATED, KIND_AT, SIZE_AT, WRAPPED, Book
from guandan_engine.kernel.hands import (
    ARMED,
    FLUSH,
    KEYS,
    LINE,
    LOW,
    PLAIN_KEYS,
    SIZE,
    WILDS,
    at_least,
    raised,
)
from guandan_engine.kernel.places import (
    BOMBS,
    EQUAL_HOUSES,
    FLUSHES,
    HOUSES,
    JOKER_BOMB,
    LEVEL_KEY,
    PAIRS,
    SINGLES,
    STRAIGHTS,
    THREE_PAIRS,
    TRIPS,
    TWO_TRIPS,
)
from guandan_engine.kernel.types import i64, vec
from guandan_engine.kernel.words import BITS8, PLACE, POP8, bit, five_in_a_row, popcount

ROW_BITS: Final = 7
ROW_MASK: Final = 127
MOST_SEGMENTS: Final = 96
_EVERYWHERE: Final = 0xFFFFFFFFFFFFFFF
_LEVEL_BIT: Final = 0x2000
_PLAIN_RANKS: Final = 0x1FFF


def find(h: vec[i64], at: i64, book: Book, to_beat: i64, found: vec[i64]) -> i64:
    """Find every play of a hand, those that beat an action or, on 0, all; return the number of segments."""
    n: i64 = 0
    if to_beat == 0:
        kind: i64
        for kind in range(1, 8):
            n = _of_kind(h, at, book, kind, _EVERYWHERE, found, n)
        return _bombs(h, at, book, 4, found, n) if h[at + ARMED] else n
    word = book.moves[to_beat]
    kind = word >> KIND_AT & 15
    if kind < 8:
        if h[at + SIZE] >= word >> SIZE_AT & 15:
            n = _of_kind(h, at, book, kind, book.above[to_beat], found, n)
        return _bombs(h, at, book, 4, found, n) if h[at + ARMED] else n
    if not h[at + ARMED] or kind == 10:
        return 0
    smallest = book.ladder + 1
    if kind == 8:
        n = _flushes(h, at, book, book.above[to_beat], found, n)
    else:
        size = word >> SIZE_AT & 15
        if size <= book.ladder:
            n = _flushes(h, at, book, _EVERYWHERE, found, n)
        n = _of_size(h, at, book, size, book.above[to_beat], found, n)
        smallest = size + 1
    return _sizes(h, at, book, smallest, found, n)


def _add(found: vec[i64], n: i64, row: i64, mask: i64) -> i64:
    if mask:
        found[n] = mask << ROW_BITS | row
        return n + 1
    return n


def _of_kind(h: vec[i64], at: i64, book: Book, kind: i64, above: i64, found: vec[i64], n: i64) -> i64:
    """Find the plays of a kind that is no bomb whose place is in ``above``."""
    if kind == 5:
        return _houses(h, at, book, above, found, n)
    if kind == 1:
        row: i64 = SINGLES
        none, one, two = _singles(h, at, book)
    elif kind == 2:
        row = PAIRS
        none, one, two = _pairs(h, at, book)
    elif kind == 3:
        row = TRIPS
        low = h[at + LOW]
        none, one, two = low >> 32, low >> 16, low
    elif kind == 4:
        row = THREE_PAIRS
        none, one, two = _three_pairs(h, at, book)
    elif kind == 6:
        row = TWO_TRIPS
        none, one, two = _two_trips(h, at, book)
    else:
        row = STRAIGHTS
        none, one, two = _straights(h, at, book)
    valid = book.valid
    n = _add(found, n, row, none & above & valid[row])
    wilds = h[at + WILDS]
    if wilds:
        n = _add(found, n, row + 1, one & above & valid[row + 1])
        if wilds > 1:
            n = _add(found, n, row + 2, two & above & valid[row + 2])
    return n


def _singles(h: vec[i64], at: i64, book: Book) -> tuple[i64, i64, i64]:
    """A single; a wild alone is a level card (§4.2)."""
    alone: i64 = _LEVEL_BIT if book.alone or h[at + SIZE] == h[at + WILDS] else 0
    return h[at + LOW], alone, 0


def _pairs(h: vec[i64], at: i64, book: Book) -> tuple[i64, i64, i64]:
    """Two of a rank; both wilds alone are a pair of level cards (§4.2)."""
    low = h[at + LOW]
    none = low >> 16 & KEYS
    if low >> 14 & 3 == 3:
        none |= 0x10000  # a small and a big joker
    alone: i64 = _LEVEL_BIT if book.alone or h[at + SIZE] == h[at + WILDS] else 0
    return none, low, alone


def _line(keys: i64, book: Book) -> i64:
    """Turn a mask of keys into one of the line of runs, from ace (low) at 0 up."""
    ranks = keys & _PLAIN_RANKS | (keys >> LEVEL_KEY & 1) << book.level
    if book.line == ELEVATED:
        return raised(ranks, 1, book) << 1 | ranks >> 12
    line = ranks << 1 | ranks >> 12
    return line | ranks << 14 if book.line == WRAPPED else line


def _three_pairs(h: vec[i64], at: i64, book: Book) -> tuple[i64, i64, i64]:
    """Three pairs in a row; of two cards at each rank, one or two may be wild."""
    low = h[at + LOW]
    a1, a2 = _line(low & KEYS, book), _line(low >> 16 & KEYS, book)
    b1, c1, b2, c2 = a1 >> 1, a1 >> 2, a2 >> 1, a2 >> 2
    none = a2 & b2 & c2
    if not h[at + WILDS]:
        return none, 0, 0
    return (
        none,
        a1 & b2 & c2 | a2 & b1 & c2 | a2 & b2 & c1,
        a2 & b2 | a2 & c2 | b2 & c2 | a2 & b1 & c1 | a1 & b2 & c1 | a1 & b1 & c2,
    )


def _two_trips(h: vec[i64], at: i64, book: Book) -> tuple[i64, i64, i64]:
    """Two triples in a row; of three cards at each rank, one or two may be wild."""
    low = h[at + LOW]
    a3 = _line(low >> 32 & KEYS, book)
    b3 = a3 >> 1
    if not h[at + WILDS]:
        return a3 & b3, 0, 0
    a1, a2 = _line(low & KEYS, book), _line(low >> 16 & KEYS, book)
    b1, b2 = a1 >> 1, a2 >> 1
    return a3 & b3, a3 & b2 | a2 & b3, a3 & b1 | a2 & b2 | a1 & b3


def _straights(h: vec[i64], at: i64, book: Book) -> tuple[i64, i64, i64]:
    """Five ranks in a row; five natural cards of one suit are no plain straight (§4.4)."""
    a = _line(h[at + LOW] & KEYS, book)
    none, one, two = five_in_a_row(a, a >> 1, a >> 2, a >> 3, a >> 4)
    if h[at + FLUSH]:
        none &= ~_only_flushes(h[at + FLUSH], h[at + LINE], book)
    return none, one, two


def _only_flushes(flushes: i64, line: i64, book: Book) -> i64:
    """Return the starts of the natural straight flushes whose ranks are held in no other suit."""
    only: i64 = 0
    start: i64
    step: i64
    for start in range(13):
        if flushes >> 4 * start & 15:
            single = True
            for step in range(5):
                place = start + step
                if book.line == WRAPPED and place > 12:
                    place -= 13
                suits = line >> 4 * place & 15
                if suits & suits - 1:
                    single = False
            if single:
                only |= bit(start)
    return only


def _houses(h: vec[i64], at: i64, book: Book, above: i64, found: vec[i64], n: i64) -> i64:
    """Find full houses: of the wilds used the triple takes what it lacks, the pair may lack no more than the rest."""
    low = h[at + LOW]
    above &= PLAIN_KEYS
    two, three = low >> 16 & above, low >> 32 & above
    wilds = h[at + WILDS]
    if not (three or (two and wilds) or wilds > 1):
        return n
    level = book.level
    pairs = _ranks(low >> 16, level)
    if low >> 14 & 3 == 3:
        pairs |= 0x8000  # a small and a big joker
    singles = _ranks(low & PLAIN_KEYS, level)
    valid, ranks = book.valid, book.ranks
    used: i64 = 0
    triples = three
    while True:
        row = HOUSES + 13 * used
        while triples:
            one = triples & -triples
            triples ^= one
            rank = ranks[PLACE[one % 37]]
            left = used if one & three else used - 1 if one & two else used - 2
            seconds = pairs
            if left:
                seconds |= singles
                if left > 1:
                    seconds |= bit(book.wild_pairs >> 4 * rank & 15)
            n = _add(found, n, row + rank, seconds & valid[row + rank])
        if used < 2 and valid[EQUAL_HOUSES + used]:
            equal = at_least(h, at, 5 - used) & above & valid[EQUAL_HOUSES + used]
            n = _add(found, n, EQUAL_HOUSES + used, equal)
        if used >= wilds:
            return n
        used += 1
        triples = two if used == 1 else low & above


def _ranks(keys: i64, level: i64) -> i64:
    """Turn a mask of keys into one of ranks."""
    return keys & _PLAIN_RANKS | (keys >> LEVEL_KEY & 1) << level | (keys >> 14 & 3) << 13


def _bombs(h: vec[i64], at: i64, book: Book, smallest: i64, found: vec[i64], n: i64) -> i64:
    """Find every bomb, straight flushes first."""
    return _sizes(h, at, book, smallest, found, _flushes(h, at, book, _EVERYWHERE, found, n))


def _flushes(h: vec[i64], at: i64, book: Book, above: i64, found: vec[i64], n: i64) -> i64:
    wilds: i64
    for wilds in range(3):
        n = _add(found, n, FLUSHES + wilds, h[at + FLUSH + wilds] & above)
    return n


def _sizes(h: vec[i64], at: i64, book: Book, smallest: i64, found: vec[i64], n: i64) -> i64:
    """Find the bombs of equal cards from a size on, and the four jokers."""
    size = smallest
    wilds = h[at + WILDS]
    while size <= 10 and at_least(h, at, size - wilds) & PLAIN_KEYS:
        n = _of_size(h, at, book, size, _EVERYWHERE, found, n)
        size += 1
    if h[at + LOW] >> 30 & 3 == 3:
        n = _add(found, n, JOKER_BOMB, 1)
    return n


def _of_size(h: vec[i64], at: i64, book: Book, size: i64, above: i64, found: vec[i64], n: i64) -> i64:
    """Find the bombs of one size, never of jokers."""
    row = BOMBS + 3 * (size - 4)
    wilds: i64 = 0
    while wilds <= h[at + WILDS]:
        n = _add(found, n, row + wilds, at_least(h, at, size - wilds) & above & book.valid[row + wilds])
        wilds += 1
    return n


def count(found: vec[i64], n: i64) -> i64:
    """Count the plays of segments."""
    total: i64 = 0
    i: i64
    for i in range(n):
        total += popcount(found[i] >> ROW_BITS)
    return total


def pick(found: vec[i64], n: i64, which: i64, book: Book) -> i64:
    """Return the action that is so many plays after the first."""
    i: i64
    for i in range(n):
        place = (found[i] & ROW_MASK) * 64
        mask = found[i] >> ROW_BITS
        while mask:
            byte = mask & 255
            held = POP8[byte]
            if which < held:
                return book.actions[place + BITS8[8 * byte + which]]
            which -= held
            mask >>= 8
            place += 8
    raise IndexError("no such play")


def holds(found: vec[i64], n: i64, action: i64, book: Book) -> bool:
    """Whether an action is among the plays of segments."""
    spot = book.spots[action]
    i: i64
    for i in range(n):
        if found[i] & ROW_MASK == spot >> 6 and found[i] >> ROW_BITS >> (spot & 63) & 1:
            return True
    return False
