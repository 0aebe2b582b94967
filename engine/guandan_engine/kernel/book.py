"""All that the kernel must know of a rule set's combinations at one level, worked out once."""

from __future__ import annotations

from typing import Final, TypeAlias

from guandan_engine.cards import Rank, Suit
from guandan_engine.combos import Combo, Kind, rank_of_wild_pair
from guandan_engine.errors import EngineError
from guandan_engine.kernel.actions import ACTIONS
from guandan_engine.kernel.order import strength
from guandan_engine.kernel.places import (
    BOMBS,
    FLUSHES,
    LEVEL_KEY,
    PAIRS,
    SINGLES,
    STRAIGHTS,
    THREE_PAIRS,
    TRIPS,
    TWO_TRIPS,
    Places,
    rank_of_key,
    rows_of,
)
from guandan_engine.kernel.shapes import shape
from guandan_engine.kernel.types import i64, vec
from guandan_engine.kernel.words import bit
from guandan_engine.rules import RuleSet

# The parts of ``Book.moves``: five times a rank in four bits and its number of cards in four, then these.
NEED_AT: Final = 40
"""How many cards are natural: four bits."""
WILDS_AT: Final = 44
"""Two bits."""
SIZE_AT: Final = 46
"""Four bits."""
SUIT_AT: Final = 50
"""Suit + 1 of a straight flush, else 0: three bits."""
KIND_AT: Final = 53
"""Four bits."""

NATURAL: Final = 0
WRAPPED: Final = 1
ELEVATED: Final = 2

Table = list[tuple[Combo, ...] | None]


class Book:
    """The plays of a rule set at a level.

    By row: ``valid``, the mask of the places that hold a combo; ``tables``, for each byte of a mask and each value it
    may have, the combos at its places (None until they are asked for). By row and place: ``actions``. By action:
    ``moves``, what it is made of; ``above``, the mask of the places of its kind that are stronger; ``spots``, its row
    and place (-1 where it cannot be).
    """

    def __init__(self, rules: RuleSet, level: Rank) -> None:
        rows = rows_of(rules, level)
        numbers = [[0 if one is None else one.action for one in row] for row in rows]
        self.rank = level
        self.level: i64 = int(level)
        self.wild: i64 = bit(int(level) * 4 + int(Suit.HEARTS))
        self.line: i64 = _line(rules)
        self.alone = rules.wild_alone == "level_card"
        self.ladder: i64 = rules.sf_beats_upto
        self.wild_pairs: i64 = _wild_pairs(level)
        self.valid = vec[i64]([_mask(row) for row in numbers])
        self.actions = vec[i64](_actions(numbers))
        self.moves = vec[i64](_moves(level, rules))
        spots = _spots(numbers)
        self.above = vec[i64](_above(rows, spots, rules, level))
        self.spots = vec[i64](spots)
        self.tables = [_table_of(tuple(row)) for row in numbers]

    def filled(self, row: i64, first: i64, byte: i64) -> tuple[Combo, ...]:
        """Return the combos at the places of a byte of a row's mask, and remember them; ``first``: 256 times which."""
        place: int
        found = []
        for place in range(8):
            one = ACTIONS[self.actions[row * 64 + first // 32 + place]] if byte >> place & 1 else None
            if one is not None:
                found.append(one)
        made = tuple(found)
        self.tables[row][first + byte] = made
        return made


def _line(rules: RuleSet) -> int:
    if rules.seq_level_card == "elevated":
        return ELEVATED
    return WRAPPED if rules.seq_wrap else NATURAL


def _wild_pairs(level: Rank) -> int:
    """Return what both wilds are as a pair, in four bits for the key of each triple (§4.5)."""
    return sum([int(rank_of_wild_pair(rank_of_key(key, level), level)) << 4 * key for key in range(LEVEL_KEY + 1)])


def _mask(row: list[int]) -> int:
    mask: i64 = 0
    for place, action in enumerate(row):
        if action:
            mask |= bit(place)
    return mask


def _actions(rows: list[list[int]]) -> list[int]:
    """Return the action at each place, 64 for each row; 0 where no combo is."""
    found: list[int] = []
    for row in rows:
        found += row
        found += [0] * (64 - len(row))
    return found


_MOVES: Final[list[int]] = []
"""What each action is made of at level 2, made when first needed."""
_ELEVATED: Final = tuple([number for number, one in enumerate(ACTIONS) if one is not None and one.top is not None])
"""The actions that are made of other cards at other levels."""


def _moves(level: Rank, rules: RuleSet) -> list[int]:
    if not _MOVES:
        _MOVES.extend([_move(one, Rank.TWO) for one in ACTIONS])
    if rules.seq_level_card != "elevated":
        return _MOVES
    found = list(_MOVES)
    for action in _ELEVATED:
        found[action] = _move(ACTIONS[action], level)
    return found


def _move(one: Combo | None, level: Rank) -> int:
    """Pack what a combo is made of into a word."""
    if one is None:
        return 0
    word = int(one.kind) << KIND_AT | one.size << SIZE_AT | one.wilds << WILDS_AT | one.size - one.wilds << NEED_AT
    for place, (rank, count) in enumerate(shape(one, level)):
        word |= (int(rank) | count << 4) << 8 * place
    return word | (0 if one.suit is None else int(one.suit) + 1 << SUIT_AT)


_Likeness: TypeAlias = tuple[Rank, Rank | None, Suit | None]
"""What makes combos of one kind equally strong: rank, top and suit."""

_ALIKE: Final[dict[Kind, dict[_Likeness, list[int]]]] = {}
"""The actions that are equally strong, made when first needed."""


def _alike() -> dict[Kind, dict[_Likeness, list[int]]]:
    if not _ALIKE:
        for number, one in enumerate(ACTIONS):
            if one is not None and one.kind is not Kind.JOKER_BOMB:
                alike = _ALIKE.setdefault(one.kind, {})
                alike.setdefault((one.rank, one.top, one.suit), []).append(number)
    return _ALIKE


def _above(rows: list[Places], spots: list[int], rules: RuleSet, level: Rank) -> list[int]:
    """Return for each action that has a place the places of its kind that are stronger; full houses go by the keys."""
    found = [0] * len(ACTIONS)
    for kind, alike in _alike().items():
        ladder = [(1 << at, strength(one, rules, level), one) for at, one in _ladder(rows, kind)]
        powers = {(one.rank, one.top, one.suit): power for _, power, one in ladder}
        for likeness, numbers in alike.items():
            power = powers.get(likeness)
            if power is None:
                one = ACTIONS[numbers[0]]
                if one is None or max([spots[number] for number in numbers]) < 0:
                    continue
                power = strength(one, rules, level)
            mask = sum([bit for bit, other, _ in ladder if other > power])
            for number in numbers:
                found[number] = mask
    return found


_FIRST_ROWS: Final = {
    Kind.SINGLE: SINGLES,
    Kind.PAIR: PAIRS,
    Kind.TRIPS: TRIPS,
    Kind.THREE_PAIR: THREE_PAIRS,
    Kind.THREE_WITH_TWO: TRIPS,
    Kind.TWO_TRIPS: TWO_TRIPS,
    Kind.STRAIGHT: STRAIGHTS,
    Kind.STRAIGHT_FLUSH: FLUSHES,
    Kind.BOMB: BOMBS,
}


def _ladder(rows: list[Places], kind: Kind) -> list[tuple[int, Combo]]:
    return [(place, one) for place, one in enumerate(rows[_FIRST_ROWS[kind]]) if one is not None]


def _spots(rows: list[list[int]]) -> list[int]:
    spots = [-1] * len(ACTIONS)
    for number, row in enumerate(rows):
        for place, action in enumerate(row):
            if action:
                spots[action] = number << 6 | place
    return spots


_TABLES: Final[dict[tuple[int, ...], Table]] = {}


def _table_of(row: tuple[int, ...]) -> Table:
    """Return the table of a row of actions, the same one for equal rows of any level and rule set."""
    empty: Table = [None] * (256 * ((len(row) + 7) // 8))
    return _TABLES.setdefault(row, empty)


_SHELVES: Final[list[list[Book | None]]] = []
"""By combination set and level: the books that were needed."""


def book_of(rules: RuleSet, level: Rank) -> Book:
    """Return the plays of a rule set at a level; raise EngineError when no deal has such a level."""
    try:
        number: int = rules.combination_set
    except AttributeError as error:
        raise TypeError(f"a rule set is needed: {error}") from error
    place: int = level
    if not 0 <= place <= 12:
        raise EngineError(f"{level} is no level; levels go from 2 to A")
    while len(_SHELVES) <= number:
        _SHELVES.append([None] * 13)
    book = _SHELVES[number][place]
    if book is None:
        book = _SHELVES[number][place] = Book(rules, Rank(place))
    return book
