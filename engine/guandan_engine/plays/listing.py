"""Listing the legal plays of a hand (docs/rules.md §3 to §5)."""

from __future__ import annotations

from typing import Final

from guandan_engine.cards import Hand, Rank, order_key
from guandan_engine.combos import Combo, Kind, combo, rank_of_wild_pair
from guandan_engine.plays.masks import PLAIN_KEYS, Holding
from guandan_engine.plays.scope import Scope, scope_of
from guandan_engine.plays.tables import FULL_HOUSES, RANK_OF_KEY, SAME_RANK_FULL_HOUSES, spread
from guandan_engine.rules import RuleSet

_EVERYWHERE: Final = (1 << 64) - 1
_NO_BOMBS: Final = tuple(kind for kind in Kind if not kind.is_bomb)
_JOKER_BOMB: Final = combo(Kind.JOKER_BOMB, Rank.BIG_JOKER)


def legal_plays(hand: Hand, to_beat: Combo | None, rules: RuleSet, level: Rank) -> list[Combo]:
    """Return every combo the hand can lay, each once: all when ``to_beat`` is None (leading), else those that beat it.

    Interned combos in a fixed order: by kind, size, wilds used, then strength. Passing is not in the list.
    Empty when nothing beats ``to_beat`` or the hand is empty.
    """
    scope = scope_of(rules)
    held = scope.holding(hand, level)
    plays: list[Combo] = []
    if to_beat is None:
        for kind in _NO_BOMBS:
            _add(plays, held, scope, kind, _EVERYWHERE)
        _add_bombs(plays, held, scope)
    elif to_beat.kind.is_bomb:
        _add_stronger_bombs(plays, held, scope, to_beat)
    else:
        _add(plays, held, scope, to_beat.kind, _above(to_beat, scope, level))
        _add_bombs(plays, held, scope)
    return plays


def _above(to_beat: Combo, scope: Scope, level: Rank) -> int:
    """Return the mask of the places stronger than a combo of the same kind."""
    if not scope.usual_order:
        return scope.above(to_beat, level)
    rank = to_beat.rank
    if not to_beat.kind.is_run:
        return _EVERYWHERE ^ ((2 << order_key(rank, level)) - 1)
    start = 0 if rank is Rank.ACE else rank + 1
    if to_beat.kind is Kind.STRAIGHT_FLUSH:
        start = 4 * start + 3  # suits are equal
    return _EVERYWHERE ^ ((2 << start) - 1)


def _add(plays: list[Combo], held: Holding, scope: Scope, kind: Kind, above: int) -> None:
    """Add the plays of one kind whose place is in ``above``."""
    if kind is Kind.THREE_WITH_TWO:
        _add_full_houses(plays, held, scope, above)
        return
    tables = scope.by_kind[held.level][kind]
    for table, mask in zip(tables[: held.wilds + 1], held.masks(kind), strict=False):
        if mask & above:
            spread(plays, table, mask & above)


def _add_full_houses(plays: list[Combo], held: Holding, scope: Scope, above: int) -> None:
    """Add full houses: of the wilds used the triple takes what it lacks, the pair may lack no more than the rest."""
    _, one, two, three = (keys & PLAIN_KEYS & above for keys in held.at_least[:4])
    natural_pairs = held.pair_ranks()
    singles = held.ranks(held.at_least[1] & PLAIN_KEYS)
    ranks = RANK_OF_KEY[held.level]
    for wilds, triples in enumerate((three, two, one)[: min(held.wilds, scope.full_house_wilds) + 1]):
        tables = FULL_HOUSES[wilds]
        pairs = natural_pairs & scope.pair_ranks[wilds]
        halves = pairs | singles
        open_triples = triples
        while open_triples:
            triple = open_triples & -open_triples
            open_triples ^= triple
            rank = ranks[triple.bit_length() - 1]
            left = wilds if triple & three else wilds - 1 if triple & two else wilds - 2
            seconds = pairs if left == 0 else halves if left == 1 else halves | 1 << rank_of_wild_pair(rank, held.level)
            spread(plays, tables[rank], seconds)
        if scope.same_rank_full_houses and wilds < 2:
            spread(plays, SAME_RANK_FULL_HOUSES[held.level][wilds], held.at_least[5 - wilds] & PLAIN_KEYS & above)


def _add_bombs(plays: list[Combo], held: Holding, scope: Scope) -> None:
    """Add every bomb, straight flushes first."""
    _add(plays, held, scope, Kind.STRAIGHT_FLUSH, _EVERYWHERE)
    _add_sizes(plays, held, scope, 4)
    _add_joker_bomb(plays, held)


def _add_stronger_bombs(plays: list[Combo], held: Holding, scope: Scope, to_beat: Combo) -> None:
    """Add the bombs that beat a bomb (§5.3)."""
    if to_beat.kind is Kind.JOKER_BOMB:
        return
    smallest = scope.rules.sf_beats_upto + 1
    if to_beat.kind is Kind.STRAIGHT_FLUSH:
        _add(plays, held, scope, Kind.STRAIGHT_FLUSH, _above(to_beat, scope, held.level))
    else:
        if to_beat.size <= scope.rules.sf_beats_upto:
            _add(plays, held, scope, Kind.STRAIGHT_FLUSH, _EVERYWHERE)
        _add_size(plays, held, scope, to_beat.size, _above(to_beat, scope, held.level))
        smallest = to_beat.size + 1
    _add_sizes(plays, held, scope, smallest)
    _add_joker_bomb(plays, held)


def _add_sizes(plays: list[Combo], held: Holding, scope: Scope, smallest: int) -> None:
    """Add the bombs of equal cards from a size on."""
    for size in range(smallest, scope.rules.max_bomb + 1):
        if not held.at_least[size - held.wilds] & PLAIN_KEYS:
            return
        _add_size(plays, held, scope, size, PLAIN_KEYS)


def _add_size(plays: list[Combo], held: Holding, scope: Scope, size: int, above: int) -> None:
    """Add the bombs of one size, never of jokers."""
    for wilds, table in enumerate(scope.bombs[held.level][size][: held.wilds + 1]):
        mask = held.at_least[size - wilds] & PLAIN_KEYS & above
        if mask:
            spread(plays, table, mask)


def _add_joker_bomb(plays: list[Combo], held: Holding) -> None:
    if held.at_least[2] >> 14 == 0b11:
        plays.append(_JOKER_BOMB)
