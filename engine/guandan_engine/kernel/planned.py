"""Planned playouts: every seat splits its hand once and lays groups of that plan by a fixed policy, without chance.

The policy is cheap and sensible: it leads what is hardest to get rid of, follows as low as the trick is worth, leaves
tricks to its partner, stops opponents who are nearly out, and counts its losers down. It knows its own groups and how
many cards the others hold. Runs are natural ones, and of the limits for wild cards only that of straight flushes is
kept: where a rule set is unusual this estimates, while ``State`` and ``playouts`` follow it exactly.
"""

from __future__ import annotations

from typing import Final

from guandan_engine.kernel.course import SIZES, Course
from guandan_engine.kernel.prices import (
    BOMB,
    HOUSE,
    KINDS,
    LEFT,
    PAIR,
    PLACES,
    PLATE,
    RANKS,
    SINGLE,
    STRAIGHT,
    SURE,
    TRIPS,
    TUBE,
    WEAK,
    Prices,
)
from guandan_engine.kernel.splitting import CODE, CODE_BITS, planned_plays
from guandan_engine.kernel.types import i64, vec
from guandan_engine.kernel.words import PLACE, bit, nibble_counts, nibble_sum

__all__ = ["Line", "planned_gain"]

_GROUPED: Final = vec[i64]([SINGLE, PAIR, TRIPS, TUBE, PLATE, STRAIGHT])
_LOSS_1: Final = vec[i64]([0, 515, 684, 737, 760, 768, 768, 768, 768])
_LOSS_2: Final = vec[i64]([0, 0, 169, 384, 576, 676, 730, 753, 768])
_LOSS_3: Final = vec[i64]([0, 0, 0, 54, 169, 307, 461, 576, 653])
"""Chance in 1024 that an opponent beats a group by a rank of which others hold 0 to 8 cards, of 1, 2 and 3 cards."""
_STOP: Final = vec[i64]([1100, 2600, 2000, 1600, 1300, 1100, 600, 500, 400, 300, 300])
"""What it is worth to take the trick from an opponent with so many cards left."""
_OUT: Final = 20_000
_LEAST: Final = -100_000
_BOMB_GAIN: Final = 450
_LEAD_GAIN: Final = 1300
_COST: Final = 1500
_PASSING: Final = 0
_GROUP: Final = 1
_SPLIT: Final = 2
_BOMB: Final = 3


class Line(Course):
    """One line of play after another, from a start and four split hands to the end."""

    def __init__(self, prices: Prices) -> None:
        """Play at these prices."""
        super().__init__(prices)
        self.wins: vec[i64] = vec[i64](list(prices.wins))
        self.losing: vec[i64] = vec[i64](list(prices.losing))
        self.weak: i64 = 0
        self.best: i64 = 0
        self.how: i64 = 0
        self.best_kind: i64 = 0
        self.best_at: i64 = 0
        self.partners: bool = False
        self.strong: i64 = 0
        self.holder: i64 = 0
        self.losers: i64 = 0

    def play_out(self) -> None:
        """Play on to the end."""
        self._look(self.hands[self.turn])
        while not self.over:
            if self.owner < 0:
                self._lead()
            elif not self._follow():
                self.step_aside()

    def _look(self, hand: vec[i64]) -> None:
        """Find the chances of cards and groups as the seat on turn sees them, against all that it does not hold.

        Found anew for each lead: until the next, those who follow weigh by the same chances.
        """
        left: i64 = self.hands[self.turn ^ 1][LEFT] + self.hands[self.turn ^ 3][LEFT]
        reach: i64 = 1536 * left // (left + self.hands[self.turn ^ 2][LEFT] + 1)
        reach = min(reach, 1000)
        self.weak = 0
        self.losing[SINGLE] = 0
        self.losing[PAIR] = 0
        self.losing[TRIPS] = 0
        one: i64 = 1000
        two: i64 = 1000
        three: i64 = 1000
        wins = self.wins
        place: i64
        for place in range(RANKS - 1, -1, -1):
            wins[SINGLE * PLACES + place] = one
            wins[PAIR * PLACES + place] = two
            wins[TRIPS * PLACES + place] = three
            wins[HOUSE * PLACES + place] = three
            others: i64 = self.total[place] - hand[KINDS + place]
            if others <= 0:
                continue
            others = others if others < 8 else 8
            one = one * (1_048_576 - reach * _LOSS_1[others]) >> 20
            two = two * (1_048_576 - reach * _LOSS_2[others]) >> 20
            three = three * (1_048_576 - reach * _LOSS_3[others]) >> 20
            below: i64 = bit(2 * place) - 1
            if one < SURE and self.losing[SINGLE] == 0:
                self.losing[SINGLE] = below
            if two < SURE and self.losing[PAIR] == 0:
                self.losing[PAIR] = below
            if two < WEAK and self.weak == 0:
                self.weak = below
            if three < SURE and self.losing[TRIPS] == 0:
                self.losing[TRIPS] = below

    def _count_losers(self, hand: vec[i64]) -> i64:
        """Count the planned plays that are no sure winners."""
        losing = self.losing
        triples: i64 = _count(hand[TRIPS])
        weak: i64 = _count(hand[PAIR] & self.weak)
        losers: i64 = _count(hand[PAIR] & losing[PAIR]) - (weak if weak < triples else triples)
        losers += _count(hand[SINGLE] & losing[SINGLE]) + _count(hand[TRIPS] & losing[TRIPS])
        if hand[TUBE] | hand[PLATE] | hand[STRAIGHT]:
            losers += _count(hand[TUBE] & losing[TUBE]) + _count(hand[PLATE] & losing[PLATE])
            losers += _count(hand[STRAIGHT] & losing[STRAIGHT])
        packed: i64 = hand[BOMB]
        while packed:
            if self.prices.bomb_wins[packed & CODE] < SURE:
                losers += 1
            packed >>= CODE_BITS
        return losers

    def _lead(self) -> None:
        """Lead the planned group that is hardest to win with, or winners first when only one loser is left."""
        hand = self.hands[self.turn]
        self._look(hand)
        closing: bool = self._count_losers(hand) <= 1 and planned_plays(hand, self.weak) > 1
        self.best = _LEAST
        self.best_kind = 0
        triples: i64 = _count(hand[TRIPS])
        weak: i64 = _count(hand[PAIR] & self.weak)
        index: i64
        for index in range(6):
            kind: i64 = _GROUPED[index]
            groups: i64 = hand[kind]
            if kind == PAIR and self.hands[self.turn ^ 2][LEFT] != 2:
                groups = _above_lowest(groups, triples if triples < weak else weak)
            while groups:
                at: i64 = PLACE[(groups & -groups) % 37] >> 1
                groups &= groups - 1
                laid: i64 = kind
                if kind == TRIPS and weak > 0:
                    weak -= 1
                    laid = HOUSE
                self._weigh_lead(laid, at, closing)
        if closing and self.best < 0 and self._has_sure_bomb(hand):
            self.best_kind = 0
        if self.best_kind:
            self.lay_group(hand, self.best_kind, self.best_at)
        elif not self.lay_bomb(hand, 0):
            self.laid(SINGLE, 0, hand[LEFT])  # cards for which the plan had no room

    def _weigh_lead(self, kind: i64, at: i64, closing: bool) -> None:
        wins: i64 = self.wins[kind * PLACES + at]
        score: i64
        if closing:
            score = 2000 - wins if wins >= SURE else -2000 - wins
        else:
            size: i64 = SIZES[kind]
            score = 60 * size - wins
            score += self._danger(self.hands[(self.turn + 1) & 3][LEFT], size, wins)
            score += self._danger(self.hands[(self.turn + 3) & 3][LEFT], size, wins)
            if size <= 2 and self.hands[self.turn ^ 2][LEFT] == size:
                score += 2 * (1000 - wins)
        if score > self.best:
            self.best = score
            self.best_kind = kind
            self.best_at = at

    def _danger(self, left: i64, size: i64, wins: i64) -> i64:
        """Weigh a lead by what an opponent has left: one that could go out on it, or that cannot follow it."""
        if left == size:
            return (wins - 1000) * (25 if size <= 2 else 6) // 10
        return 800 if 0 < left < size else 0

    def _has_sure_bomb(self, hand: vec[i64]) -> bool:
        packed: i64 = hand[BOMB]
        while packed:
            if self.prices.bomb_wins[packed & CODE] >= SURE:
                return True
            packed >>= CODE_BITS
        return False

    def _follow(self) -> bool:
        """Take the way of following that gains most over passing; return False to pass."""
        hand = self.hands[self.turn]
        if not self._can_follow(hand):
            return False
        self.partners = self.owner == self.turn ^ 2
        self.holder = self.hands[self.owner][LEFT]
        self.losers = self._count_losers(hand)
        bombed: bool = self.kind == BOMB
        self.strong = self.prices.bomb_wins[self.at] if bombed else self.wins[self.kind * PLACES + self.at]
        self.best = 0
        self.how = _PASSING
        if not bombed:
            self._weigh_groups(hand)
            self._weigh_splits(hand)
        self._weigh_bombs(hand, self.at if bombed else 0)
        if self.how == _PASSING:
            return False
        if self.how == _GROUP:
            self.lay_group(hand, self.kind, self.best_at)
        elif self.how == _SPLIT:
            self.lay_part(hand, self.best_kind, self.best_at)
        else:
            self.lay_bomb(hand, self.best_at - 1)
        return True

    def _can_follow(self, hand: vec[i64]) -> bool:
        """Whether there is anything to weigh."""
        if hand[BOMB]:
            return True
        kind: i64 = self.kind
        if kind == BOMB or (kind == HOUSE and hand[PAIR] == 0):
            return False
        groups: i64 = hand[TRIPS if kind == HOUSE else kind]
        if kind == SINGLE:
            groups |= hand[PAIR] | hand[TRIPS]
        elif kind == PAIR:
            groups |= hand[TRIPS]
        return (groups & ~(bit(2 * self.at + 2) - 1)) != 0

    def _weigh_groups(self, hand: vec[i64]) -> None:
        """Weigh planned groups of the kind led."""
        kind: i64 = self.kind
        groups: i64 = hand[TRIPS if kind == HOUSE else kind]
        if kind == HOUSE and hand[PAIR] == 0:
            return
        groups &= ~(bit(2 * self.at + 2) - 1)
        while groups:
            at: i64 = PLACE[(groups & -groups) % 37] >> 1
            groups &= groups - 1
            wins: i64 = self.wins[kind * PLACES + at]
            score: i64 = _OUT
            if hand[LEFT] != SIZES[kind]:
                losers: i64 = self.losers - 1 if wins < SURE else self.losers
                score = 1000 - wins // 5 + self._position(wins, losers)
            self._keep(score, _GROUP, kind, at)

    def _weigh_splits(self, hand: vec[i64]) -> None:
        """Weigh taking a single from a pair or a triple, or a pair from a triple."""
        source: i64
        for source in range(self.kind + 1, TRIPS + 1):
            groups: i64 = hand[source] & ~(bit(2 * self.at + 2) - 1)
            while groups:
                at: i64 = PLACE[(groups & -groups) % 37] >> 1
                groups &= groups - 1
                wins: i64 = self.wins[self.kind * PLACES + at]
                kept: i64 = self.wins[(source - self.kind) * PLACES + at]
                score: i64 = (_COST * (kept - self.wins[source * PLACES + at]) + _LEAD_GAIN * wins) // 1000
                self._keep(score + self._position(wins, self.losers), _SPLIT, source, at)

    def _weigh_bombs(self, hand: vec[i64], above: i64) -> None:
        packed: i64 = hand[BOMB]
        while packed:
            code: i64 = packed & CODE
            packed >>= CODE_BITS
            if code <= above:
                continue
            wins: i64 = self.prices.bomb_wins[code]
            losers: i64 = self.losers - 1 if wins < SURE else self.losers
            score: i64 = _OUT
            if hand[LEFT] != self.prices.bomb_size(code):
                score = _BOMB_GAIN - wins // 5 + self._position(wins, losers)
                if self.partners and losers > 0:
                    score -= 3000
            self._keep(score, _BOMB, BOMB, code)

    def _keep(self, score: i64, how: i64, kind: i64, at: i64) -> None:
        if score > self.best:
            self.best = score
            self.how = how
            self.best_kind = kind
            self.best_at = at

    def _position(self, wins: i64, losers: i64) -> i64:
        """Weigh whose trick it is: leave it to the partner, take it from an opponent who is nearly out."""
        score: i64 = 2 * wins if losers <= 1 else 0
        if not self.partners:
            return score + _STOP[self.holder if self.holder < 10 else 10] * wins // 1000
        if losers <= 0:
            return score
        score -= 9 * (400 + self.strong) // 10 + wins // 2
        return score - 800 if self.holder <= 4 else score


def _count(groups: i64) -> i64:
    """Count the groups of a mask."""
    return nibble_sum(nibble_counts(groups))


def _above_lowest(groups: i64, number: i64) -> i64:
    """Return a mask without so many of its lowest groups."""
    while number > 0:
        groups &= groups - 1
        number -= 1
    return groups


def planned_gain(line: Line, start: vec[i64], hands: list[vec[i64]], side: i64) -> i64:
    """Play one line from a start to its end and return what a side gains by it; the hands are left alone."""
    line.begin(start, hands)
    line.play_out()
    return line.gain(side)
