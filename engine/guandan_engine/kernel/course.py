"""The course of a deal for planned playouts: split hands, whose turn it is, what lies on the table, who is out."""

from __future__ import annotations

from typing import Final

from guandan_engine.kernel.prices import (
    BOMB,
    HOUSE,
    KINDS,
    LEFT,
    PAIR,
    PLACES,
    PLATE,
    RANKS,
    TRIPS,
    TUBE,
    WORDS,
    Prices,
)
from guandan_engine.kernel.splitting import CODE, CODE_BITS
from guandan_engine.kernel.types import i64, vec
from guandan_engine.kernel.words import PLACE, bit

TURN: Final = 0
OWNER: Final = 1
KIND: Final = 2
AT: Final = 3
PASSES: Final = 4
OUT: Final = 5
ORDER: Final = 6
FINISHED: Final = 7
START: Final = 8
"""What a start says: who is on turn; who owns the trick (-1 on the lead), with which kind and place; passes since;
the seats that are out as bits, their order two bits each from the first, and how many they are."""

SIZES: Final = vec[i64]([0, 1, 2, 3, 6, 5, 6, 5, 0])
"""How many cards a group of each kind has; bombs have their own sizes."""


class Course:
    """A deal from a start on, by groups laid and passes. ``total``: cards of each place in all four hands."""

    def __init__(self, prices: Prices) -> None:
        """Count by the tables of these prices."""
        self.prices: Prices = prices
        self.hands: list[vec[i64]] = [vec[i64]([0] * WORDS) for _ in range(4)]
        self.total: vec[i64] = vec[i64]([0] * RANKS)
        self.turn: i64 = 0
        self.owner: i64 = -1
        self.kind: i64 = 0
        self.at: i64 = 0
        self.passes: i64 = 0
        self.out: i64 = 0
        self.order: i64 = 0
        self.finished: i64 = 0

    def begin(self, start: vec[i64], hands: list[vec[i64]]) -> None:
        """Set up a position; the hands are copied."""
        self.turn = start[TURN]
        self.owner = start[OWNER]
        self.kind = start[KIND]
        self.at = start[AT]
        self.passes = start[PASSES]
        self.out = start[OUT]
        self.order = start[ORDER]
        self.finished = start[FINISHED]
        seat: i64
        word: i64
        for seat in range(4):
            target = self.hands[seat]
            source = hands[seat]
            for word in range(WORDS):
                target[word] = source[word]
        for word in range(RANKS):
            self.total[word] = (
                hands[0][KINDS + word] + hands[1][KINDS + word] + hands[2][KINDS + word] + hands[3][KINDS + word]
            )

    def stand(self, start: list[int], counts: list[int]) -> None:
        """Set up a position of which only the numbers of cards matter so far."""
        self.begin(vec[i64](start), [vec[i64]([count] + [0] * (WORDS - 1)) for count in counts])

    def start(self) -> vec[i64]:
        """Return where the line is, to begin from there again."""
        return vec[i64]([self.turn, self.owner, self.kind, self.at, self.passes, self.out, self.order, self.finished])

    @property
    def over(self) -> bool:
        """Whether both seats of a side are out."""
        return (self.out & 5) == 5 or (self.out & 10) == 10

    def gain(self, side: i64) -> i64:
        """Return what a side has gained, negative when the other has (§9.2)."""
        first: i64 = self.order & 3
        partner: i64 = first ^ 2
        behind: i64 = 2
        if self.finished > 1 and (self.order >> 2 & 3) == partner:
            behind = 0
        elif self.finished > 2 and (self.order >> 4 & 3) == partner:
            behind = 1
        return self.prices.gains[behind] if first & 1 == side else -self.prices.gains[behind]

    def laid(self, kind: i64, at: i64, size: i64) -> None:
        """The seat on turn has laid so many cards."""
        seat: i64 = self.turn
        hand = self.hands[seat]
        hand[LEFT] -= size
        self.owner = seat
        self.kind = kind
        self.at = at
        self.passes = 0
        if hand[LEFT] <= 0:
            self.out |= bit(seat)
            self.order |= seat << 2 * self.finished
            self.finished += 1
        self.turn = self._next_active(seat)

    def step_aside(self) -> None:
        """The seat on turn passes."""
        self.passes += 1
        owner_out: bool = (self.out >> self.owner & 1) == 1
        needed: i64 = 4 - self.finished if owner_out else 3 - self.finished
        if self.passes < needed:
            self.turn = self._next_active(self.turn)
            return
        leader: i64 = self.owner
        if owner_out:
            in_scope: bool = self.prices.jiefeng_any or leader == (self.order & 3)
            leader = leader ^ 2 if self.prices.jiefeng and in_scope else self._next_active(leader)
        self.turn = leader
        self.owner = -1
        self.kind = 0
        self.passes = 0

    def _next_active(self, seat: i64) -> i64:
        step: i64
        for step in range(1, 4):
            other: i64 = (seat + step) & 3
            if (self.out >> other & 1) == 0:
                return other
        return seat

    def lay_group(self, hand: vec[i64], kind: i64, at: i64) -> None:
        """Lay a planned group of the seat on turn; the lowest pair goes with the triple of a house."""
        source: i64 = TRIPS if kind == HOUSE else kind
        both: i64 = hand[source] & (bit(2 * at) | bit(2 * at + 1))
        hand[source] &= ~(both & -both)
        if kind == HOUSE:
            self._take(hand, PLACE[(hand[PAIR] & -hand[PAIR]) % 37] >> 1, 2)
            hand[PAIR] &= hand[PAIR] - 1
        if source <= TRIPS:
            self._take(hand, at, source)
        else:
            self._take_run(hand, kind, at)
        self.laid(kind, at, SIZES[kind])

    def lay_part(self, hand: vec[i64], source: i64, at: i64) -> None:
        """Lay a part of a group, of the kind that lies on the table; the rest becomes a group."""
        hand[source] &= ~bit(2 * at)
        hand[source - self.kind] |= bit(2 * at)
        self._take(hand, at, self.kind)
        self.laid(self.kind, at, SIZES[self.kind])

    def _take(self, hand: vec[i64], place: i64, number: i64) -> None:
        """Take cards of a rank from a hand, level cards where it has too few of it: wilds have helped out."""
        held: i64 = hand[KINDS + place]
        given: i64 = number if number < held else held
        hand[KINDS + place] = held - given
        self.total[place] -= given
        if given < number and place != self.prices.key[self.prices.level]:
            self._take(hand, self.prices.key[self.prices.level], number - given)

    def _take_run(self, hand: vec[i64], kind: i64, place: i64) -> None:
        low: i64 = self.prices.lowest[kind * PLACES + place]
        length: i64 = 3 if kind == TUBE else 2 if kind == PLATE else 5
        each: i64 = 2 if kind == TUBE else 3 if kind == PLATE else 1
        i: i64
        for i in range(low, low + length):
            self._take(hand, self.prices.key[i if i >= 0 else 12], each)

    def _take_bomb(self, hand: vec[i64], code: i64) -> None:
        rung: i64 = (code - 1) // PLACES
        if rung == 8:
            self._take(hand, self.prices.key[13], 2)
            self._take(hand, self.prices.key[14], 2)
        elif rung == self.prices.flush_rung:
            self._take_run(hand, BOMB, (code - 1) % PLACES)
        else:
            self._take(hand, (code - 1) % PLACES, self.prices.bomb_size(code))

    def lay_bomb(self, hand: vec[i64], above: i64) -> bool:
        """Lay the weakest bomb whose code is above this; return whether there is one."""
        packed: i64 = hand[BOMB]
        below: i64 = 0
        shift: i64 = 0
        while packed:
            code: i64 = packed & CODE
            packed >>= CODE_BITS
            if code > above:
                hand[BOMB] = below | packed << shift
                self._take_bomb(hand, code)
                self.laid(BOMB, code, self.prices.bomb_size(code))
                return True
            below |= code << shift
            shift += CODE_BITS
        return False
