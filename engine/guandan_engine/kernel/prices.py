"""What planned playouts know of the rules and of the odds: places in strength, and what each group costs and wins.

A group is a play of a plan: a single, pair, triple, run or bomb. Its place says how strong it is within its kind; a
mask of groups has two bits for each place, for a hand may hold a run twice. Costs and chances count thousandths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from guandan_engine.cards import Rank, Suit
from guandan_engine.combos import RUN_LENGTHS, Combo, Kind, combo
from guandan_engine.kernel.order import rank_strength, strength
from guandan_engine.kernel.types import i64, vec
from guandan_engine.kernel.words import bit
from guandan_engine.rules import RuleSet

__all__ = [
    "BOMB",
    "CODES",
    "HOUSE",
    "JOKER_CODE",
    "KINDS",
    "LEFT",
    "PAIR",
    "PLACES",
    "PLATE",
    "RANKS",
    "REFUND",
    "SINGLE",
    "STRAIGHT",
    "SURE",
    "TRIPS",
    "TUBE",
    "WEAK",
    "WORDS",
    "Prices",
    "laid_as",
]

LEFT: Final = 0
SINGLE: Final = 1
PAIR: Final = 2
TRIPS: Final = 3
TUBE: Final = 4
HOUSE: Final = 5
PLATE: Final = 6
STRAIGHT: Final = 7
BOMB: Final = 8
KINDS: Final = 9
RANKS: Final = 17
WORDS: Final = KINDS + RANKS
"""What the words of a split hand say: cards left, a mask of groups of each kind (houses are made when laid), and how
many cards of each place it holds."""

PLACES: Final = 32
CODES: Final = 512
JOKER_CODE: Final = 8 * PLACES + 1
SURE: Final = 850
"""From this chance on a play counts as a winner."""
WEAK: Final = 667
"""Below this chance a pair is better carried by a triple."""
REFUND: Final = 1500
"""A group costs a turn, less this much for the lead it surely brings."""
_FLUSH_WINS: Final = 900
_BOMB_WINS: Final = (720, 840, 930, 960, 970, 980, 990)
_RUNS: Final = ((Kind.THREE_PAIR, TUBE), (Kind.TWO_TRIPS, PLATE), (Kind.STRAIGHT, STRAIGHT))


class Prices:
    """Tables of a level, a rule set and the odds of a moment."""

    def __init__(
        self,
        level: Rank,
        rules: RuleSet,
        groups: Sequence[Sequence[float]],
        runs: Sequence[Sequence[float]],
    ) -> None:
        """Take the cost of 0 to 10 cards of each of the 15 ranks, and of runs from each lowest rank, ace first.

        ``runs``: of three pairs, two triples, straights and straight flushes. A cost is about the share of a turn: 1
        for a group that never brings the lead.
        """
        self.level: i64 = int(level)
        self.max_bomb: i64 = rules.max_bomb
        self.wild_flush: bool = Kind.STRAIGHT_FLUSH in rules.wild_kinds
        self.jiefeng: bool = rules.jiefeng == "partner"
        self.jiefeng_any: bool = rules.jiefeng_scope == "any"
        self.gains: vec[i64] = vec[i64](list(rules.gains))
        self.key: vec[i64] = vec[i64]([rank_strength(Rank(rank), rules, level) + 1 for rank in range(15)])
        self.cost: vec[i64] = vec[i64]([0] * (15 * 16))
        self.run_cost: vec[i64] = vec[i64]([0] * (KINDS * 16))
        self.run_place: vec[i64] = vec[i64]([0] * (KINDS * 16))
        self.lowest: vec[i64] = vec[i64]([0] * (KINDS * PLACES))
        self.wins: vec[i64] = vec[i64]([1000] * (KINDS * PLACES))
        self.losing: vec[i64] = vec[i64]([0] * KINDS)
        self.rungs: vec[i64] = vec[i64]([_rung(size, rules) for size in range(12)])
        self.flush_rung: i64 = rules.sf_beats_upto - 3
        self.bomb_wins: vec[i64] = vec[i64](_wins_of_bombs(rules))
        self._set_groups(groups)
        for (kind, word), costs in zip(_RUNS, runs, strict=False):
            self._set_runs(kind, word, costs, rules, level)
        self._set_runs(Kind.STRAIGHT_FLUSH, BOMB, runs[3], rules, level)
        self._set_masks()

    def _set_groups(self, groups: Sequence[Sequence[float]]) -> None:
        for rank in range(15):
            for size, cost in enumerate(groups[rank]):
                self.cost[rank * 16 + size] = _thousandths(cost)

    def _set_runs(self, kind: Kind, word: int, costs: Sequence[float], rules: RuleSet, level: Rank) -> None:
        suit = Suit.SPADES if kind is Kind.STRAIGHT_FLUSH else None
        for number in range(15 - RUN_LENGTHS[kind]):
            place = strength(combo(kind, Rank((number - 1) % 13), suit=suit), rules, level) + 2
            self.run_place[word * 16 + number] = place
            self.lowest[word * PLACES + place] = number - 1
            self.run_cost[word * 16 + number] = _thousandths(costs[number])
            if word != BOMB:
                self.wins[word * PLACES + place] = _chance(costs[number])

    def _set_masks(self) -> None:
        for place in range(18):
            both = bit(2 * place) | bit(2 * place + 1)
            for kind in range(SINGLE, BOMB):
                if self.wins[kind * PLACES + place] < SURE:
                    self.losing[kind] |= both

    def bomb_size(self, code: i64) -> i64:
        """Return how many cards a bomb has."""
        rung: i64 = (code - 1) // PLACES
        if rung == 8:
            return 4
        if rung == self.flush_rung:
            return 5
        return rung + 4 if rung < self.flush_rung else rung + 3


def laid_as(play: Combo, rules: RuleSet, level: Rank) -> tuple[int, int]:
    """Return the kind and the place of a play, or BOMB and its code: bombs compare by code."""
    power = strength(play, rules, level)
    if play.kind is Kind.JOKER_BOMB:
        return BOMB, JOKER_CODE
    if play.kind is Kind.STRAIGHT_FLUSH:
        return BOMB, (rules.sf_beats_upto - 3) * PLACES + power + 3
    if play.kind is Kind.BOMB:
        return BOMB, _rung(play.size, rules) * PLACES + power + 2
    return int(play.kind), power + (2 if play.kind.is_run else 1)


def _rung(size: int, rules: RuleSet) -> int:
    """Return the place of a bomb of equal cards on the ladder, straight flushes having one of their own (§5.3)."""
    return max(0, size - 4 if size <= rules.sf_beats_upto else size - 3)


def _wins_of_bombs(rules: RuleSet) -> list[int]:
    wins = [0] * CODES
    for size in range(4, 11):
        for place in range(PLACES):
            code = _rung(size, rules) * PLACES + place + 1
            wins[code] = _BOMB_WINS[size - 4] + 5 * max(0, place - 1)
    for place in range(PLACES):
        wins[(rules.sf_beats_upto - 3) * PLACES + place + 1] = _FLUSH_WINS
        wins[8 * PLACES + place + 1] = 1000
    return wins


def _thousandths(cost: float) -> int:
    return round(1000 * cost)


def _chance(cost: float) -> int:
    """Return the chance to win of a group of this cost."""
    return round(1_000_000 * (1.0 - cost) / REFUND)
