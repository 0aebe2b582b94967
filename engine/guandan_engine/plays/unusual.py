"""The masks of a hand where rules are unlike ``standard``: wilds alone, unlike jokers, and the line of runs."""

from __future__ import annotations

from typing import Final

from guandan_engine.cards import Hand, Rank
from guandan_engine.combos import Kind
from guandan_engine.plays.masks import LEVEL_KEY, Holding, Masks
from guandan_engine.plays.tables import UNLIKE_JOKERS_KEY, UNLIKE_JOKERS_RANK
from guandan_engine.rules import RuleSet

_RANKS: Final = 13


class UnusualHolding(Holding):
    """As ``Holding``, with parameters read for every hand: slower, and for every rule set."""

    __slots__ = ("_elevated", "_may_be_alone", "_unlike_jokers", "_wrap")

    def __init__(self, hand: Hand, level: Rank, rules: RuleSet) -> None:
        super().__init__(hand, level)
        self._may_be_alone = rules.wild_alone == "level_card" or self.wilds == len(hand)
        self._unlike_jokers = rules.mixed_joker_pair and self.at_least[1] >> 14 == 0b11
        self._elevated = rules.seq_level_card == "elevated"
        self._wrap = rules.seq_wrap
        suits = self._suits >> 4  # two .. ace, before the ace was set below the two as well
        self._suits = self._line(suits, width=4)

    def masks(self, kind: Kind) -> Masks:
        """Return where a kind can be made, by wilds used; all kinds but full houses and bombs."""
        if kind is Kind.SINGLE:
            natural, wild, _ = self.singles()
            return natural, wild if self._may_be_alone else 0, 0
        if kind is Kind.PAIR:
            natural, one, both = self.pairs()
            natural |= self._unlike_jokers << UNLIKE_JOKERS_KEY
            return natural, one, both if self._may_be_alone else 0
        return super().masks(kind)

    def pair_ranks(self) -> int:
        """Return the mask of the ranks that make a natural pair, that of unlike jokers included."""
        return super().pair_ranks() | self._unlike_jokers << UNLIKE_JOKERS_RANK

    def _natural(self, count: int) -> int:
        keys = self.at_least[count]
        return self._line(keys & (1 << _RANKS) - 1 | (keys >> LEVEL_KEY & 1) << self.level, width=1)

    def _line(self, ranks: int, *, width: int) -> int:
        """Return ranks two .. ace, ``width`` bits each, in the order of runs, with the ace below as well."""
        ace = ranks >> width * Rank.ACE & (1 << width) - 1
        if self._elevated:
            ranks = self._with_level_on_top(ranks, width)
        line = ranks << width | ace
        return line | ranks << width * (_RANKS + 1) if self._wrap else line

    def _with_level_on_top(self, ranks: int, width: int) -> int:
        """Take the level out of its place and put it above the ace."""
        below = (1 << width * self.level) - 1
        own = ranks >> width * self.level & (1 << width) - 1
        others = ranks & below | ranks >> width & ~below
        return others & (1 << width * (_RANKS - 1)) - 1 | own << width * (_RANKS - 1)
