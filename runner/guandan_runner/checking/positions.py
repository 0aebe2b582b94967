"""The fixed positions of the conformity table: what everybody holds, and what the other three seats lay.

The bot sits in seat 1. The others lead what they have to lead and keep bombs of five to win the lead back, so that a
bot is asked about every kind of combo whatever it plays itself. The level is 2, so ``H2`` is wild.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from guandan_engine.board import Board
from guandan_engine.cards import DECK, Card, Hand, Rank, order_key
from guandan_engine.combos import Kind, Reading
from guandan_engine.rules import RuleSet, load
from guandan_runner.checking.rows import FOLLOWING, Row

__all__ = ["LEVEL", "LONG", "POSITIONS", "RESISTING", "SEAT", "SHORT", "Lead", "Part", "Position", "begun_with"]

SEAT: Final = 1
LEVEL: Final = Rank.TWO


@dataclass(frozen=True, slots=True)
class Lead:
    """A play that a seat leads: concrete cards and how they are read."""

    cards: tuple[Card, ...]
    reading: Reading

    @property
    def rows(self) -> frozenset[Row]:
        """What it puts to the test of whoever must beat it."""
        row = FOLLOWING[self.reading.kind]
        return frozenset({row, Row.WILDS} if any(card.is_wild(LEVEL) for card in self.cards) else {row})


@dataclass(frozen=True, slots=True)
class Part:
    """What a seat of ours does: its leads in order, the ranks of the bombs it wins the lead with, what else it holds.

    Without leads and bombs it leads its longest play and passes.
    """

    leads: tuple[Lead, ...] = ()
    bombs: tuple[Rank, ...] = ()
    held: str = ""


@dataclass(frozen=True, slots=True)
class Position:
    """A deal to be played from its first request. ``order``: how the deal before ended, () when no tribute is due."""

    name: str
    rules: RuleSet
    board: Board
    parts: Mapping[int, Part]


def position(
    name: str, bot: str, parts: Mapping[int, Part], *, rules: RuleSet, leader: int = 0, order: tuple[int, ...] = ()
) -> Position:
    """Deal the whole deck: to each seat what its part needs, and of what is left the lowest cards first, no wilds."""
    hands = {SEAT: Hand.parse(bot)}
    rest = Hand.of(DECK).minus(hands[SEAT])
    for seat, part in parts.items():
        named = [card for lead in part.leads for card in lead.cards] + [*Hand.parse(part.held)]
        rest = rest.minus(Hand.of(named))
        hands[seat] = Hand.of(named)
    for seat, part in parts.items():
        bombs = Hand.of(card for card in rest if card.rank in part.bombs)
        rest = rest.minus(bombs)
        hands[seat] = hands[seat].plus(bombs)
    left = sorted(rest, key=lambda card: (card.is_wild(LEVEL), order_key(card.rank, LEVEL), card.index))
    for seat in sorted(hands):
        missing = 27 - len(hands[seat])
        hands[seat], left = hands[seat].plus(Hand.of(left[:missing])), left[missing:]
    board = Board((hands[0], hands[1], hands[2], hands[3]), LEVEL, leader, order)
    return Position(name, rules, board, parts)


def lead(cards: str, kind: Kind, rank: str) -> Lead:
    """Write a lead."""
    return Lead(tuple(map(Card.parse, cards.split())), Reading(kind, Rank.parse(rank)))


def begun_with(row: Row) -> Position:
    """Return a position without tribute in which the seat that leads first has this row on its list, and leads it."""
    for base in (SHORT, LONG):
        for seat, part in base.parts.items():
            first = [lead for lead in part.leads if row in lead.rows]
            if first:
                rest = tuple(lead for lead in part.leads if lead not in first)
                parts = {**base.parts, seat: replace(part, leads=(*first, *rest))}
                board = replace(base.board, leader=seat, order=())
                return Position(f"{base.name}, {row} first", base.rules, board, parts)
    raise KeyError(row)


STANDARD: Final = load("standard")
CHOICES: Final = replace(
    STANDARD,
    tribute_tie="first_chooses",
    tie_lead="payers_choose",
    return_to="payers_choose_on_tie",
    anti_mode="optional",
)
"""Where everything that a rule set may leave to the players in tribute is asked (docs/rules.md §8.3 to §8.7)."""

# Three of most ranks and no straight flush: it can beat all that is led but bombs, each a few times.
_MIDDLE: Final = "SA HA CA HK CK DK SQ CQ DQ SJ HJ DJ ST HT CT H9 C9 D9"

SHORT: Final = position(
    "the bot pays tribute and leads",
    f"{_MIDDLE} S8 C8 D8 S7 H7 D7 D3 C4 D5",
    {
        0: Part(
            (
                lead("S3 H3", Kind.PAIR, "3"),
                lead("C3 D3 S4 H4 S5 H5", Kind.THREE_PAIR, "3"),
                lead("S6", Kind.SINGLE, "6"),
            ),
            (Rank.ACE, Rank.KING),
        ),
        2: Part(
            (
                lead("D6 S6 H2", Kind.TRIPS, "6"),
                lead("C5 D5 S5 H6 C6", Kind.THREE_WITH_TWO, "5"),
                lead("C4 D4 S4", Kind.TRIPS, "4"),
            ),
            (Rank.QUEEN, Rank.JACK),
        ),
        3: Part((), (Rank.TEN, Rank.NINE, Rank.EIGHT)),
    },
    rules=STANDARD,
    order=(0, 3, 2, 1),
)
LONG: Final = position(
    "the bot receives one of two equal tributes",
    f"{_MIDDLE} S8 C8 D8 S7 H7 H6 H6 C6 C6",
    {
        0: Part(
            (
                lead("S3 H3 C3 S4 H4 C4", Kind.TWO_TRIPS, "3"),
                lead("D3 C4 H5 S6 C7", Kind.STRAIGHT, "3"),
                lead("S3 H3 C3 D3", Kind.BOMB, "3"),
            ),
            (Rank.KING,),
            "SA DA",
        ),
        2: Part(
            (
                lead("S4 H5 H2 S7 S8", Kind.STRAIGHT, "4"),
                lead("D5 D6 D7 D8 D9", Kind.STRAIGHT_FLUSH, "5"),
            ),
            (Rank.QUEEN, Rank.JACK),
            "HA",
        ),
        3: Part((lead("SB SB HR HR", Kind.JOKER_BOMB, "HR"),), (Rank.TEN, Rank.TWO)),
    },
    rules=CHOICES,
    order=(1, 3, 0, 2),
)
RESISTING: Final = position(
    "the bot and its partner hold a big joker each",
    f"{_MIDDLE} S8 C8 D8 S7 H7 D7 D3 C4 HR",
    {
        0: Part((lead("S3 H3", Kind.PAIR, "3"),), (Rank.ACE,)),
        2: Part((lead("S6", Kind.SINGLE, "6"),), (Rank.QUEEN, Rank.JACK)),
        3: Part((), (Rank.TEN,), "HR"),
    },
    rules=CHOICES,
    order=(0, 2, 1, 3),
)
POSITIONS: Final = (SHORT, LONG, RESISTING)
