"""Finding the plays of a hand (docs/rules.md §3 to §5): every row of places as one mask.

What is found are segments, in the order of ``legal_plays``: two words each, a row and the mask of the places where it
can be made now. Functions that find some take the number of words there are and return the new one.
"""

from __future__ import annotations

from typing import Final

from guandan_engine.kernel.book import KIND_AT, SIZE_AT, WRAPPED, Book
from guandan_engine.kernel.hands import (
    ARMED,
    FLUSH,
    HELD,
    LINE,
    PLAIN_KEYS,
    RUNS,
    SIZE,
    WILDS,
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
from guandan_engine.kernel.words import BITS8, PLACE, POP8, bit, five_in_a_row

FOUND: Final = 192
"""Room for all segments of a hand."""
_EVERYWHERE: Final = 0xFFFFFFFFFFFFFFF
_LEVEL_BIT: Final = 0x2000
STRAIGHT_FLUSH: Final = 8
BOMB: Final = 9
_PLAIN_RANKS: Final = 0x1FFF


def find(h: vec[i64], at: i64, book: Book, to_beat: i64, found: vec[i64]) -> i64:
    """Find every play of a hand, those that beat an action or, on 0, all; return the number of words."""
    n: i64 = 0
    if to_beat == 0:
        n = _singles(h, at, book, _EVERYWHERE, found, n)
        n = _pairs(h, at, book, _EVERYWHERE, found, n)
        n = _trips(h, at, book, _EVERYWHERE, found, n)
        if h[at + SIZE] >= 5:
            n = _three_pairs(h, at, book, _EVERYWHERE, found, n)
            n = _houses(h, at, book, _EVERYWHERE, found, n)
            n = _two_trips(h, at, book, _EVERYWHERE, found, n)
            n = _straights(h, at, book, _EVERYWHERE, found, n)
        return _bombs(h, at, book, found, n) if h[at + ARMED] else n
    word = book.moves[to_beat]
    kind = word >> KIND_AT & 15
    if kind < STRAIGHT_FLUSH:
        if h[at + SIZE] >= word >> SIZE_AT & 15:
            n = _of_kind(h, at, book, kind, book.above[to_beat], found, n)
        return _bombs(h, at, book, found, n) if h[at + ARMED] else n
    return _stronger_bombs(h, at, book, to_beat, found) if h[at + ARMED] else n


def _of_kind(h: vec[i64], at: i64, book: Book, kind: i64, above: i64, found: vec[i64], n: i64) -> i64:
    """Find the plays of a kind that is no bomb whose place is in ``above``."""
    if kind == 1:
        return _singles(h, at, book, above, found, n)
    if kind == 2:
        return _pairs(h, at, book, above, found, n)
    if kind == 3:
        return _trips(h, at, book, above, found, n)
    if kind == 4:
        return _three_pairs(h, at, book, above, found, n)
    if kind == 5:
        return _houses(h, at, book, above, found, n)
    if kind == 6:
        return _two_trips(h, at, book, above, found, n)
    return _straights(h, at, book, above, found, n)


def _add(found: vec[i64], n: i64, row: i64, mask: i64) -> i64:
    """Add a segment unless its mask is empty."""
    if mask:
        found[n] = row
        found[n + 1] = mask
        return n + 2
    return n


def _singles(h: vec[i64], at: i64, book: Book, above: i64, found: vec[i64], n: i64) -> i64:
    """A single; a wild alone is a level card (§4.2)."""
    n = _add(found, n, SINGLES, h[at + HELD + 1] & above & book.valid[SINGLES])
    wilds = h[at + WILDS]
    if wilds and (book.alone or h[at + SIZE] == wilds):
        n = _add(found, n, SINGLES + 1, _LEVEL_BIT & above)
    return n


def _pairs(h: vec[i64], at: i64, book: Book, above: i64, found: vec[i64], n: i64) -> i64:
    """Two of a rank; both wilds alone are a pair of level cards (§4.2)."""
    keys = h[at + HELD + 2]
    if h[at + HELD + 1] >> 14 == 3:
        keys |= 0x10000  # a small and a big joker
    valid = book.valid
    n = _add(found, n, PAIRS, keys & above & valid[PAIRS])
    wilds = h[at + WILDS]
    if wilds:
        n = _add(found, n, PAIRS + 1, h[at + HELD + 1] & above & valid[PAIRS + 1])
        if wilds > 1 and (book.alone or h[at + SIZE] == wilds):
            n = _add(found, n, PAIRS + 2, _LEVEL_BIT & above)
    return n


def _trips(h: vec[i64], at: i64, book: Book, above: i64, found: vec[i64], n: i64) -> i64:
    """Three of a rank, never jokers."""
    one, two, three = h[at + HELD + 1], h[at + HELD + 2], h[at + HELD + 3]
    return _with_wilds(found, n, TRIPS, three, two, one, above, h[at + WILDS], book)


def _with_wilds(
    found: vec[i64], n: i64, row: i64, none: i64, one: i64, two: i64, above: i64, wilds: i64, book: Book
) -> i64:
    """Add what is made with exactly 0, 1 and 2 wilds, of which so many are held."""
    valid = book.valid
    none &= above & valid[row]
    if none:
        found[n] = row
        found[n + 1] = none
        n += 2
    if wilds:
        n = _add(found, n, row + 1, one & above & valid[row + 1])
        if wilds > 1:
            n = _add(found, n, row + 2, two & above & valid[row + 2])
    return n


def _three_pairs(h: vec[i64], at: i64, book: Book, above: i64, found: vec[i64], n: i64) -> i64:
    """Three pairs in a row; of two cards at each rank, one or two may be wild."""
    a1, a2 = h[at + RUNS + 1], h[at + RUNS + 2]
    b2, c2 = a2 >> 1, a2 >> 2
    wilds = h[at + WILDS]
    if not wilds:
        return _add(found, n, THREE_PAIRS, a2 & b2 & c2 & above & book.valid[THREE_PAIRS])
    b1, c1 = a1 >> 1, a1 >> 2
    one = a1 & b2 & c2 | a2 & b1 & c2 | a2 & b2 & c1
    two = a2 & b2 | a2 & c2 | b2 & c2 | a2 & b1 & c1 | a1 & b2 & c1 | a1 & b1 & c2
    return _with_wilds(found, n, THREE_PAIRS, a2 & b2 & c2, one, two, above, wilds, book)


def _two_trips(h: vec[i64], at: i64, book: Book, above: i64, found: vec[i64], n: i64) -> i64:
    """Two triples in a row; of three cards at each rank, one or two may be wild."""
    a3 = h[at + RUNS + 3]
    b3 = a3 >> 1
    wilds = h[at + WILDS]
    if not wilds:
        return _add(found, n, TWO_TRIPS, a3 & b3 & above & book.valid[TWO_TRIPS])
    a1, a2 = h[at + RUNS + 1], h[at + RUNS + 2]
    b1, b2 = a1 >> 1, a2 >> 1
    one = a3 & b2 | a2 & b3
    two = a3 & b1 | a2 & b2 | a1 & b3
    return _with_wilds(found, n, TWO_TRIPS, a3 & b3, one, two, above, wilds, book)


def _straights(h: vec[i64], at: i64, book: Book, above: i64, found: vec[i64], n: i64) -> i64:
    """Five ranks in a row; five natural cards of one suit are no plain straight (§4.4)."""
    a = h[at + RUNS + 1]
    b, c, d, e = a >> 1, a >> 2, a >> 3, a >> 4
    wilds = h[at + WILDS]
    none = a & b & c & d & e
    if h[at + FLUSH]:
        none &= ~_only_flushes(h[at + FLUSH], h[at + LINE], book)
    if not wilds:
        return _add(found, n, STRAIGHTS, none & above & book.valid[STRAIGHTS])
    _, one, two = five_in_a_row(a, b, c, d, e)
    return _with_wilds(found, n, STRAIGHTS, none, one, two, above, wilds, book)


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
    above &= PLAIN_KEYS
    one, two, three = h[at + HELD + 1], h[at + HELD + 2] & above, h[at + HELD + 3] & above
    wilds = h[at + WILDS]
    if not (three or (two and wilds) or wilds > 1):
        return n
    pairs = _ranks(h[at + HELD + 2], book.level)
    if one >> 14 == 3:
        pairs |= 0x8000  # a small and a big joker
    valid = book.valid
    triples = three
    while triples:
        triple = triples & -triples
        triples ^= triple
        row = HOUSES + PLACE[triple % 37]
        seconds = pairs & valid[row]
        if seconds:
            found[n] = row
            found[n + 1] = seconds
            n += 2
    n = _equal_houses(h, at, book, above, 0, found, n)
    if wilds:
        n = _wild_houses(h, at, book, above, pairs, 1, found, n)
        n = _equal_houses(h, at, book, above, 1, found, n)
        if wilds > 1:
            n = _wild_houses(h, at, book, above, pairs, 2, found, n)
    return n


def _wild_houses(h: vec[i64], at: i64, book: Book, above: i64, pairs: i64, used: i64, found: vec[i64], n: i64) -> i64:
    """Find full houses with one or two wilds."""
    one, two, three = h[at + HELD + 1], h[at + HELD + 2] & above, h[at + HELD + 3] & above
    singles = _ranks(one & PLAIN_KEYS, book.level)
    triples = two if used == 1 else one & above
    while triples:
        triple = triples & -triples
        triples ^= triple
        key = PLACE[triple % 37]
        left = used if triple & three else used - 1 if triple & two else used - 2
        seconds = pairs | singles if left else pairs
        if left > 1:
            seconds |= bit(book.wild_pairs >> 4 * key & 15)
        row = HOUSES + 14 * used + key
        n = _add(found, n, row, seconds & book.valid[row])
    return n


def _equal_houses(h: vec[i64], at: i64, book: Book, above: i64, used: i64, found: vec[i64], n: i64) -> i64:
    """Find full houses of five equal cards, where there are any."""
    valid = book.valid[EQUAL_HOUSES + used]
    return _add(found, n, EQUAL_HOUSES + used, h[at + HELD + 5 - used] & above & valid) if valid else n


def _ranks(keys: i64, level: i64) -> i64:
    """Turn a mask of keys into one of ranks."""
    return keys & _PLAIN_RANKS | (keys >> LEVEL_KEY & 1) << level | (keys >> 14 & 3) << 13


def _bombs(h: vec[i64], at: i64, book: Book, found: vec[i64], n: i64) -> i64:
    """Find every bomb, straight flushes first."""
    return _sizes(h, at, book, 4, found, _flushes(h, at, _EVERYWHERE, found, n))


def _stronger_bombs(h: vec[i64], at: i64, book: Book, to_beat: i64, found: vec[i64]) -> i64:
    """Find the bombs that beat a bomb (§5.3)."""
    word = book.moves[to_beat]
    kind = word >> KIND_AT & 15
    if kind > BOMB:
        return 0
    if kind == STRAIGHT_FLUSH:
        return _sizes(h, at, book, book.ladder + 1, found, _flushes(h, at, book.above[to_beat], found, 0))
    size = word >> SIZE_AT & 15
    n: i64 = 0
    if size <= book.ladder:
        n = _flushes(h, at, _EVERYWHERE, found, n)
    n = _of_size(h, at, book, size, book.above[to_beat], found, n)
    return _sizes(h, at, book, size + 1, found, n)


def _flushes(h: vec[i64], at: i64, above: i64, found: vec[i64], n: i64) -> i64:
    if h[at + ARMED] < 2:
        return n
    n = _add(found, n, FLUSHES, h[at + FLUSH] & above)
    n = _add(found, n, FLUSHES + 1, h[at + FLUSH + 1] & above)
    return _add(found, n, FLUSHES + 2, h[at + FLUSH + 2] & above)


def _sizes(h: vec[i64], at: i64, book: Book, smallest: i64, found: vec[i64], n: i64) -> i64:
    """Find the bombs of equal cards from a size on, and the four jokers."""
    size = smallest
    natural = at + HELD - h[at + WILDS]
    while size <= 10 and h[natural + size] & PLAIN_KEYS:
        n = _of_size(h, at, book, size, _EVERYWHERE, found, n)
        size += 1
    if h[at + HELD + 2] >> 14 == 3:
        n = _add(found, n, JOKER_BOMB, 1)
    return n


def _of_size(h: vec[i64], at: i64, book: Book, size: i64, above: i64, found: vec[i64], n: i64) -> i64:
    """Find the bombs of one size, never of jokers."""
    row = BOMBS + 3 * (size - 4)
    natural = at + HELD + size
    n = _add(found, n, row, h[natural] & above & book.valid[row])
    wilds = h[at + WILDS]
    if wilds:
        n = _add(found, n, row + 1, h[natural - 1] & above & book.valid[row + 1])
        if wilds > 1:
            n = _add(found, n, row + 2, h[natural - 2] & above & book.valid[row + 2])
    return n


def count(found: vec[i64], n: i64) -> i64:
    """Count the plays of segments."""
    total: i64 = 0
    i: i64
    for i in range(1, n, 2):
        mask = found[i]
        total += POP8[mask & 255]
        mask >>= 8
        while mask:
            total += POP8[mask & 255]
            mask >>= 8
    return total


def pick(found: vec[i64], n: i64, which: i64, book: Book) -> i64:
    """Return the action that is so many plays after the first."""
    i: i64
    for i in range(0, n, 2):
        place = found[i] * 64
        mask = found[i + 1]
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
    for i in range(0, n, 2):
        if found[i] == spot >> 6 and found[i + 1] >> (spot & 63) & 1:
            return True
    return False
