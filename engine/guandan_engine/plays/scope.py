"""What the combination parameters of a rule set make of the tables and masks; found once for each such rule set."""

from __future__ import annotations

from typing import Final

from guandan_engine.cards import Hand, Rank
from guandan_engine.combos import RUN_LENGTHS, Combo, Kind, combo, elevated_runs
from guandan_engine.plays.masks import Holding
from guandan_engine.plays.order import strength
from guandan_engine.plays.tables import (
    BOMBS,
    BY_KIND,
    UNLIKE_JOKERS_RANK,
    Table,
    runs_table,
)
from guandan_engine.plays.unusual import UnusualHolding
from guandan_engine.rules import RuleSet

_LEVELS: Final = tuple(Rank)[: Rank.ACE + 1]
_JOKER_PAIRS: Final = 0b111 << Rank.SMALL_JOKER
_ALL_PAIRS: Final = (1 << UNLIKE_JOKERS_RANK + 1) - 1
_NO_TABLE: Final[Table] = ()


class Scope:
    """The plays of a rule set.

    ``by_kind``, ``bombs``: tables by level, cut where wilds may not join. ``full_house_wilds``: the most wilds a full
    house may use; ``pair_ranks``: by wilds used, the ranks its pair may have. ``usual_order``: whether the places of
    the tables are in the order of strength.
    """

    __slots__ = (
        "_above",
        "_unusual",
        "bombs",
        "by_kind",
        "full_house_wilds",
        "pair_ranks",
        "rules",
        "same_rank_full_houses",
        "usual_order",
    )

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        most = {kind: 2 if kind in rules.wild_kinds else 0 for kind in Kind}
        self.by_kind = tuple(_by_kind(level, most, rules) for level in _LEVELS)
        self.bombs = tuple(
            {size: tables[: most[Kind.BOMB] + 1] if size <= rules.max_bomb else () for size, tables in sizes.items()}
            for sizes in BOMBS
        )
        self.full_house_wilds = most[Kind.THREE_WITH_TWO]
        jokers = _ALL_PAIRS if rules.full_house_joker_pair else _ALL_PAIRS & ~_JOKER_PAIRS
        with_wilds = jokers if rules.wild_with_jokers else jokers & ~_JOKER_PAIRS
        self.pair_ranks = (jokers, with_wilds, with_wilds)
        self.same_rank_full_houses = rules.full_house_same_rank
        natural = rules.seq_compare == rules.seq_level_card == "natural" and rules.sf_tie == "equal"
        self.usual_order = natural and rules.single_ace == "high" and not rules.mixed_joker_pair
        usual_lines = not rules.seq_wrap and rules.seq_level_card == "natural"
        self._unusual = not (usual_lines and rules.wild_alone == "level_card" and not rules.mixed_joker_pair)
        self._above: dict[tuple[Combo, Rank], int] = {}

    def holding(self, hand: Hand, level: Rank) -> Holding:
        """Return the masks of a hand."""
        return UnusualHolding(hand, level, self.rules) if self._unusual else Holding(hand, level)

    def above(self, to_beat: Combo, level: Rank) -> int:
        """Return the mask of the places of its kind that are stronger than a combo, in any order of strength."""
        mask = self._above.get((to_beat, level))
        if mask is None:
            mask = self._above[to_beat, level] = self._find_above(to_beat, level)
        return mask

    def _find_above(self, to_beat: Combo, level: Rank) -> int:
        kind = to_beat.kind
        if kind in self.by_kind[level]:
            table = self.by_kind[level][kind][0]
        else:  # the triples of full houses and the bombs of a size have the places of other triples
            table, to_beat = self.by_kind[level][Kind.TRIPS][0], combo(Kind.TRIPS, to_beat.rank)
        least = strength(to_beat, self.rules, level)
        places = enumerate(one for eight in table for one in eight.combos)
        return sum(1 << place for place, one in places if one and strength(one, self.rules, level) > least)


def _by_kind(level: Rank, most: dict[Kind, int], rules: RuleSet) -> dict[Kind, tuple[Table, ...]]:
    """Return the tables of every kind but full houses and bombs at a level."""
    tables = BY_KIND[level] | {kind: _run_tables(kind, level, rules) for kind in RUN_LENGTHS}
    cut = {kind: wilds[: most[kind] + 1] for kind, wilds in tables.items()}
    _, one, both = BY_KIND[level][Kind.PAIR]
    cut[Kind.SINGLE] = BY_KIND[level][Kind.SINGLE]  # wilds alone join nothing, see ``wild_alone``
    cut[Kind.PAIR] = (cut[Kind.PAIR][0], one if most[Kind.PAIR] else _NO_TABLE, both)
    return cut


def _run_tables(kind: Kind, level: Rank, rules: RuleSet) -> tuple[Table, ...]:
    """Return the tables of a run by wilds used, those of ``standard`` where runs are natural."""
    if rules.seq_level_card == "elevated":
        runs = elevated_runs(level, RUN_LENGTHS[kind])
    elif rules.seq_wrap:
        runs = tuple((rank, None) for rank in (Rank.ACE, *_LEVELS[:-1]))
    else:
        return BY_KIND[level][kind]
    return tuple(runs_table(kind, runs, wilds=wilds) for wilds in range(3))


_SCOPES: Final[dict[int, Scope]] = {}


def scope_of(rules: RuleSet) -> Scope:
    """Return the plays of a rule set."""
    scope = _SCOPES.get(rules.combination_set)
    if scope is None:
        scope = _SCOPES[rules.combination_set] = Scope(rules)
    return scope
