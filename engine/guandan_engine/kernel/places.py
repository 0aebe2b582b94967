"""Which combo stands at each place of each row of masks, at a level under a rule set.

A row is one kind with a number of wilds (of bombs: one size as well; of full houses: one triple as well). Three orders
of places are used:

- **keys**, strength of a rank at this level: 2..A without the level's own cards at 0..12, the level at 13, the jokers
  at 14 and 15, a pair of unlike jokers at 16. Singles, groups, bombs and five equal cards are rows of keys.
- **ranks**, natural: 2..A at 0..12, the jokers at 13 and 14, unlike jokers at 15. The pairs of full houses are.
- **starts**, where a run begins: ace (low) at 0, two at 1, and so on; straight flushes have four places for each start,
  one for each suit.

A row that the rule set bars is empty, and so is a place where no cards make a combo.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, TypeAlias

from guandan_engine.cards import Rank, Suit, order_key
from guandan_engine.combos import RUN_LENGTHS, Combo, Kind, combo, elevated_runs, run_ranks
from guandan_engine.rules import RuleSet

Places: TypeAlias = Sequence[Combo | None]

LEVEL_KEY: Final = 13
SINGLES: Final = 0
PAIRS: Final = 2
TRIPS: Final = 5
THREE_PAIRS: Final = 8
TWO_TRIPS: Final = 11
STRAIGHTS: Final = 14
FLUSHES: Final = 17
BOMBS: Final = 20
"""Rows of four cards with 0, 1 and 2 wilds, of five, .. of ten."""
JOKER_BOMB: Final = 41
HOUSES: Final = 42
"""Rows of full houses without wilds by the key of the triple, with one, with two."""
EQUAL_HOUSES: Final = 84
"""Full houses of five equal cards, without wilds and with one."""
ROWS: Final = 86

_RUN_ROWS: Final = {
    Kind.THREE_PAIR: THREE_PAIRS,
    Kind.TWO_TRIPS: TWO_TRIPS,
    Kind.STRAIGHT: STRAIGHTS,
    Kind.STRAIGHT_FLUSH: FLUSHES,
}
_RANKS: Final = tuple(Rank)
_PLAIN: Final = _RANKS[: Rank.ACE + 1]


def rows_of(rules: RuleSet, level: Rank) -> list[Places]:
    """Return every row, the places from 0 up."""
    rows: list[Places] = [()] * ROWS
    _set_groups(rows, rules, level)
    for kind, first in _RUN_ROWS.items():
        runs = _runs(kind, rules, level)
        suits = tuple(Suit) if kind is Kind.STRAIGHT_FLUSH else (None,)
        for wilds in range(3 if kind in rules.wild_kinds else 1):
            rows[first + wilds] = [combo(kind, r, wilds=wilds, suit=s, top=top) for r, top in runs for s in suits]
    for wilds in range(3 if Kind.BOMB in rules.wild_kinds else 1):
        for size in range(4, min(rules.max_bomb, 8 + wilds) + 1):
            rows[BOMBS + 3 * (size - 4) + wilds] = _by_key(Kind.BOMB, level, wilds=wilds, size=size)
    rows[JOKER_BOMB] = [combo(Kind.JOKER_BOMB, Rank.BIG_JOKER)]
    _set_houses(rows, rules, level)
    return rows


def _set_groups(rows: list[Places], rules: RuleSet, level: Rank) -> None:
    """Set singles, pairs and triples; wilds alone join nothing (§4.2)."""
    rows[SINGLES : SINGLES + 2] = [_by_key(Kind.SINGLE, level, wilds=wilds) for wilds in range(2)]
    rows[PAIRS : PAIRS + 3] = [_by_key(Kind.PAIR, level, wilds=wilds) for wilds in range(3)]
    if rules.mixed_joker_pair:
        rows[PAIRS] = [*rows[PAIRS], combo(Kind.PAIR, Rank.SMALL_JOKER, top=Rank.BIG_JOKER)]
    if Kind.PAIR not in rules.wild_kinds:
        rows[PAIRS + 1] = ()
    for wilds in range(3 if Kind.TRIPS in rules.wild_kinds else 1):
        rows[TRIPS + wilds] = _by_key(Kind.TRIPS, level, wilds=wilds)


def _by_key(kind: Kind, level: Rank, *, wilds: int, size: int | None = None) -> Places:
    """Return a row of equal cards."""
    plain = wilds > 0 or kind not in (Kind.SINGLE, Kind.PAIR)
    empty = {level.value, LEVEL_KEY + 1, LEVEL_KEY + 2} if plain else {level.value}
    ranks = [rank_of_key(key, level) for key in range(16)]
    return [None if key in empty else combo(kind, rank, size=size, wilds=wilds) for key, rank in enumerate(ranks)]


def rank_of_key(key: int, level: Rank) -> Rank:
    """Return the rank that has a strength at a level; the opposite of ``order_key``."""
    if key == LEVEL_KEY:
        return level
    return _RANKS[key if key < LEVEL_KEY else key - 1]


def _runs(kind: Kind, rules: RuleSet, level: Rank) -> Sequence[tuple[Rank, Rank | None]]:
    """Return lowest rank and ``top`` of the runs of a kind, by start (§3.6, §3.7)."""
    if rules.seq_level_card == "elevated":
        return elevated_runs(level, RUN_LENGTHS[kind])
    if rules.seq_wrap:
        return [(rank, None) for rank in (Rank.ACE, *_PLAIN[:-1])]
    return [(rank, None) for rank in run_ranks(RUN_LENGTHS[kind])]


def _set_houses(rows: list[Places], rules: RuleSet, level: Rank) -> None:
    """Set full houses, by triple, then by pair."""
    for wilds in range(3 if Kind.THREE_WITH_TWO in rules.wild_kinds else 1):
        jokers = rules.full_house_joker_pair and (rules.wild_with_jokers or not wilds)
        for rank, houses in zip(_PLAIN, _houses(wilds, jokers, jokers and rules.mixed_joker_pair), strict=True):
            rows[HOUSES + 14 * wilds + order_key(rank, level)] = houses
        if rules.full_house_same_rank and wilds < 2:
            ranks = [rank_of_key(key, level) for key in range(LEVEL_KEY + 1)]
            equal = [None if r is level and key < LEVEL_KEY else _equal(r, wilds) for key, r in enumerate(ranks)]
            rows[EQUAL_HOUSES + wilds] = equal


@cache
def _houses(wilds: int, jokers: bool, mixed: bool) -> Sequence[Places]:
    """Return the full houses of each triple from two up; only where a triple stands goes by the level."""
    pairs = _RANKS if jokers else _PLAIN
    rows: list[Places] = []
    for rank in _PLAIN:
        row = [_house(rank, pair, wilds) for pair in pairs]
        if mixed:
            row.append(_house(rank, Rank.SMALL_JOKER, wilds, top=Rank.BIG_JOKER))
        rows.append(row)
    return rows


def _house(rank: Rank, pair: Rank, wilds: int, *, top: Rank | None = None) -> Combo | None:
    return None if pair is rank else combo(Kind.THREE_WITH_TWO, rank, pair=pair, wilds=wilds, top=top)


def _equal(rank: Rank, wilds: int) -> Combo:
    return combo(Kind.THREE_WITH_TWO, rank, pair=rank, wilds=wilds)
