"""Listing the legal plays of a hand (docs/rules.md §3 to §5) as interned combos."""

from __future__ import annotations

from typing import Final

from guandan_engine.cards import Hand, Rank
from guandan_engine.combos import Combo
from guandan_engine.errors import EngineError
from guandan_engine.kernel.actions import action_of
from guandan_engine.kernel.book import Book, book_of
from guandan_engine.kernel.hands import SEAT, hold
from guandan_engine.kernel.moves import FOUND, find
from guandan_engine.kernel.types import i64, vec
from guandan_engine.rules import RuleSet

_ALL: Final = (1 << 54) - 1


class Desk:
    """Room to work in: a hand and the segments found for it."""

    def __init__(self) -> None:
        self.hand = vec[i64]([0] * SEAT)
        self.found = vec[i64]([0] * FOUND)


_DESKS: Final[list[Desk]] = []
"""Those not in use: each call has its own, whatever thread it is in."""


def legal_plays(hand: Hand, to_beat: Combo | None, rules: RuleSet, level: Rank) -> list[Combo]:
    """Return every combo the hand can lay, each once: all when ``to_beat`` is None (leading), else those that beat it.

    Interned combos in a fixed order: by kind, size, wilds used, then strength. Passing is not in the list.
    Empty when nothing beats ``to_beat`` or the hand is empty.
    """
    book = book_of(rules, level)
    beaten = action_of(to_beat)
    ones, twos = planes(hand)
    desk = _desk()
    hold(desk.hand, 0, ones, twos, book)
    plays: list[Combo] = []
    spread(plays, desk.found, find(desk.hand, 0, book, beaten, desk.found), book)
    _DESKS.append(desk)
    return plays


def _desk() -> Desk:
    try:
        return _DESKS.pop()
    except IndexError:
        return Desk()


def planes(hand: Hand) -> tuple[i64, i64]:
    """Return both planes of a hand; raise EngineError when they are none."""
    try:
        ones: int = hand.ones
        twos: int = hand.twos
    except AttributeError as error:
        raise TypeError(f"a hand is needed: {error}") from error
    if not 0 <= ones <= _ALL or not 0 <= twos <= _ALL or twos & ~ones:
        raise EngineError("these planes are no hand")
    return ones, twos


def spread(plays: list[Combo], found: vec[i64], n: i64, book: Book) -> None:
    """Add to a list the combos of segments: for each byte of a mask those of all its places at once."""
    tables = book.tables
    i: i64
    for i in range(0, n, 2):
        row = found[i]
        mask = found[i + 1]
        table = tables[row]
        byte = mask & 255
        if byte:
            plays += table[byte] or book.filled(row, 0, byte)
        mask >>= 8
        first: i64 = 256
        while mask:
            byte = mask & 255
            if byte:
                plays += table[first + byte] or book.filled(row, first, byte)
            mask >>= 8
            first += 256
