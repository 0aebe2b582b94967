"""Splitting a hand into groups for planned playouts: run by run, each time the one that saves most."""

from __future__ import annotations

from typing import Final

from guandan_engine.kernel.prices import (
    BOMB,
    JOKER_CODE,
    KINDS,
    LEFT,
    PAIR,
    PLACES,
    PLATE,
    SINGLE,
    STRAIGHT,
    TRIPS,
    TUBE,
    WORDS,
    Prices,
)
from guandan_engine.kernel.types import i64, vec
from guandan_engine.kernel.words import bit, nibble_counts, nibble_sum

__all__ = ["ACE", "CODE", "CODE_BITS", "MOST_BOMBS", "Splitter", "bombs_in", "planned_plays", "with_bomb"]

ACE: Final = 12
MOST_BOMBS: Final = 6
CODE_BITS: Final = 9
CODE: Final = 511
_NOWHERE: Final = -1
_NEVER: Final = 1_000_000


class Splitter:
    """Splits one hand after the other."""

    def __init__(self, prices: Prices) -> None:
        """Split at these prices."""
        self.prices: Prices = prices
        self.counts: vec[i64] = vec[i64]([0] * 13)
        self.suited: vec[i64] = vec[i64]([0] * 52)
        self.wilds: i64 = 0
        self.small: i64 = 0
        self.big: i64 = 0
        self.first_helped: i64 = _NOWHERE
        self.second_helped: i64 = _NOWHERE
        self.best: i64 = 0
        self.best_kind: i64 = 0
        self.best_low: i64 = 0
        self.best_suit: i64 = 0

    def split(self, ones: i64, twos: i64) -> vec[i64]:
        """Return the groups of a hand, given as its two planes."""
        groups = vec[i64]([0] * WORDS)
        self._load(ones, twos)
        self._write_ranks(groups)
        while self._finds_run():
            self._take_best(groups)
        self._cost_of_rest()
        self._group_rest(groups)
        return groups

    def _load(self, ones: i64, twos: i64) -> None:
        wild: i64 = self.prices.level * 4 + 1
        card: i64
        rank: i64
        for rank in range(13):
            self.counts[rank] = 0
        for card in range(52):
            held: i64 = (ones >> card & 1) + (twos >> card & 1)
            if card == wild:
                self.wilds = held
                held = 0
            self.suited[card] = held
            self.counts[card >> 2] += held
        self.small = (ones >> 52 & 1) + (twos >> 52 & 1)
        self.big = (ones >> 53 & 1) + (twos >> 53 & 1)

    def _write_ranks(self, groups: vec[i64]) -> None:
        """Write down how many cards of each place are held; wilds are level cards."""
        key = self.prices.key
        rank: i64
        for rank in range(13):
            groups[KINDS + key[rank]] = self.counts[rank]
        groups[KINDS + key[self.prices.level]] += self.wilds
        groups[KINDS + key[13]] = self.small
        groups[KINDS + key[14]] = self.big

    def _count(self, rank: i64) -> i64:
        """Return how many cards a rank has with the wilds that help it."""
        count: i64 = self.counts[rank]
        if rank == self.first_helped:
            count += 1
        if rank == self.second_helped:
            count += 1
        return count

    def _place_wilds(self) -> None:
        """Give each wild to the rank whose group it improves most; alone it is a level card."""
        self.first_helped = _NOWHERE
        self.second_helped = _NOWHERE
        number: i64
        rank: i64
        for number in range(self.wilds):
            least: i64 = _NEVER
            best: i64 = self.prices.level
            for rank in range(13):
                count: i64 = self._count(rank)
                if (count or rank == self.prices.level) and count < self.prices.max_bomb:
                    step: i64 = self.prices.cost[rank * 16 + count + 1] - self.prices.cost[rank * 16 + count]
                    if step < least:
                        least = step
                        best = rank
            if number:
                self.second_helped = best
            else:
                self.first_helped = best

    def _cost_of_rest(self) -> i64:
        """Return what the cards cost that are in no run; triples carry weak pairs for nothing."""
        self._place_wilds()
        cost = self.prices.cost
        total: i64 = 0
        triples: i64 = 0
        carried: i64 = 0
        rank: i64
        for rank in range(13):
            count: i64 = self._count(rank)
            total += cost[rank * 16 + count]
            if count == 3:
                triples += 1
        for rank in range(13):
            if carried == triples:
                break
            if self._count(rank) == 2 and cost[rank * 16 + 2] > 0:
                total -= cost[rank * 16 + 2]
                carried += 1
        if self.small + self.big == 4:
            return total + cost[14 * 16 + 4]
        return total + cost[13 * 16 + self.small] + cost[14 * 16 + self.big]

    def _finds_run(self) -> bool:
        """Find the run that saves most, if one saves anything."""
        self.best = self._cost_of_rest()
        self.best_kind = _NOWHERE
        low: i64
        suit: i64
        for low in range(-1, 12):
            self._try_run(PLATE, low, 2, 3)
        for low in range(-1, 11):
            self._try_run(TUBE, low, 3, 2)
        for low in range(-1, 9):
            self._try_run(STRAIGHT, low, 5, 1)
        for suit in range(4):
            for low in range(-1, 9):
                self._try_flush(low, suit)
        return self.best_kind >= 0

    def _try_run(self, kind: i64, low: i64, length: i64, each: i64) -> None:
        i: i64
        for i in range(low, low + length):
            if self.counts[i if i >= 0 else ACE] < each:
                return
        self._change(low, length, -each)
        self._compare(kind, low, 0)
        self._change(low, length, each)

    def _try_flush(self, low: i64, suit: i64) -> None:
        lacking: i64 = self._lacking(low, suit)
        if lacking and not (lacking == 1 and self.wilds and self.prices.wild_flush):
            return
        hole: i64 = self._take_flush(low, suit)
        self._compare(BOMB, low, suit)
        self._put_flush_back(low, suit, hole)

    def _compare(self, kind: i64, low: i64, suit: i64) -> None:
        """Remember a run if its cost and that of the rest are the least so far."""
        cost: i64 = self.prices.run_cost[kind * 16 + low + 1] + self._cost_of_rest()
        if cost < self.best:
            self.best = cost
            self.best_kind = kind
            self.best_low = low
            self.best_suit = suit

    def _take_best(self, groups: vec[i64]) -> None:
        kind: i64 = self.best_kind
        place: i64 = self.prices.run_place[kind * 16 + self.best_low + 1]
        if kind == BOMB:
            self._take_flush(self.best_low, self.best_suit)
            groups[BOMB] = with_bomb(groups[BOMB], self.prices.flush_rung * PLACES + place + 1)
            groups[LEFT] += 5
            return
        length: i64 = 5 if kind == STRAIGHT else 3 if kind == TUBE else 2
        each: i64 = 1 if kind == STRAIGHT else 2 if kind == TUBE else 3
        self._change(self.best_low, length, -each)
        first: i64 = bit(2 * place)
        groups[kind] |= first << 1 if groups[kind] & first else first
        groups[LEFT] += length * each

    def _change(self, low: i64, length: i64, by: i64) -> None:
        i: i64
        for i in range(low, low + length):
            self.counts[i if i >= 0 else ACE] += by

    def _lacking(self, low: i64, suit: i64) -> i64:
        """Count the ranks of a straight flush without a card; a straight taken before used other suits if it could."""
        lacking: i64 = 0
        i: i64
        for i in range(low, low + 5):
            rank: i64 = i if i >= 0 else ACE
            if self.suited[rank * 4 + suit] == 0 or self.counts[rank] == 0:
                lacking += 1
        return lacking

    def _take_flush(self, low: i64, suit: i64) -> i64:
        """Take five cards of a suit out, a wild for the one that lacks; return its rank, or -1."""
        hole: i64 = _NOWHERE
        i: i64
        for i in range(low, low + 5):
            rank: i64 = i if i >= 0 else ACE
            if self.suited[rank * 4 + suit] and self.counts[rank]:
                self.suited[rank * 4 + suit] -= 1
                self.counts[rank] -= 1
            else:
                hole = rank
                self.wilds -= 1
        return hole

    def _put_flush_back(self, low: i64, suit: i64, hole: i64) -> None:
        i: i64
        for i in range(low, low + 5):
            rank: i64 = i if i >= 0 else ACE
            if rank == hole:
                self.wilds += 1
            else:
                self.suited[rank * 4 + suit] += 1
                self.counts[rank] += 1

    def _group_rest(self, groups: vec[i64]) -> None:
        """Write down what is in no run: groups of equal cards."""
        key = self.prices.key
        rank: i64
        for rank in range(13):
            count: i64 = self._count(rank)
            groups[LEFT] += count
            if count > 3:
                groups[BOMB] = with_bomb(groups[BOMB], self.prices.rungs[count] * PLACES + key[rank] + 1)
            elif count:
                groups[count] |= bit(2 * key[rank])
        groups[LEFT] += self.small + self.big
        if self.small + self.big == 4:
            groups[BOMB] = with_bomb(groups[BOMB], JOKER_CODE)
            return
        if self.small:
            groups[self.small] |= bit(2 * key[13])
        if self.big:
            groups[self.big] |= bit(2 * key[14])


def with_bomb(packed: i64, code: i64) -> i64:
    """Add a bomb to a word of bombs, the weakest lowest; a seventh finds no room, and its cards stay till the end."""
    below: i64 = 0
    shift: i64 = 0
    while packed and (packed & CODE) < code:
        below |= (packed & CODE) << shift
        shift += CODE_BITS
        packed >>= CODE_BITS
    if shift >= MOST_BOMBS * CODE_BITS:
        return below
    return (below | code << shift | packed << (shift + CODE_BITS)) & (bit(MOST_BOMBS * CODE_BITS) - 1)


def bombs_in(packed: i64) -> i64:
    """Count the bombs of a word."""
    count: i64 = 0
    while packed:
        count += 1
        packed >>= CODE_BITS
    return count


def planned_plays(groups: vec[i64], weak_pairs: i64) -> i64:
    """Count the plays a split hand needs, each weak pair (a mask) carried by a triple where there is one."""
    triples: i64 = _ones(groups[TRIPS])
    weak: i64 = _ones(groups[PAIR] & weak_pairs)
    count: i64 = _ones(groups[SINGLE]) + _ones(groups[PAIR]) + triples - (weak if weak < triples else triples)
    count += _ones(groups[TUBE]) + _ones(groups[PLATE]) + _ones(groups[STRAIGHT])
    return count + bombs_in(groups[BOMB])


def _ones(word: i64) -> i64:
    return nibble_sum(nibble_counts(word))
