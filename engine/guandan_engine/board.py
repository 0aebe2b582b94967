"""A board (复式牌): one deal with its whole context fixed, played at two tables with the partnerships swapped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from guandan_engine.cards import DECK, Hand, Rank
from guandan_engine.clock import Clocks
from guandan_engine.errors import EngineError
from guandan_engine.events import MatchEnded

__all__ = [
    "MOST_DECISIONS",
    "WAYS",
    "Board",
    "Hands",
    "TableTask",
    "entrant_of",
    "longest_ms",
    "points_of_a",
    "require_whole_deck",
    "side_of",
]

Hands: TypeAlias = tuple[Hand, Hand, Hand, Hand]
WAYS = (0, 1)
MOST_DECISIONS = 4 * len(DECK)  # of one board: each play lays a card, and at most three passes follow it


def longest_ms(clocks: Clocks, boards: int) -> int:
    """Return how long so many boards, both ways, may take when no seat is ever too late."""
    return boards * len(WAYS) * clocks.longest(MOST_DECISIONS)


def require_whole_deck(hands: Hands) -> None:
    """Raise EngineError unless the four hands are 27 cards each and together the 108."""
    if [len(hand) for hand in hands] != [27, 27, 27, 27]:
        raise EngineError(f"hands hold {[len(hand) for hand in hands]} cards; each needs 27")
    cards = sorted(card for hand in hands for card in hand)
    if cards != list(DECK):
        raise EngineError("the four hands are not the two decks of 54")


@dataclass(frozen=True, slots=True)
class Board:
    """Hands stay with the seats; ``leader`` leads the first trick at ``level``.

    There is no tribute, unless the ``order`` in which a deal before has ended is given: then tribute comes first.
    """

    hands: Hands
    level: Rank
    leader: int
    order: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        require_whole_deck(self.hands)
        if not Rank.TWO <= self.level <= Rank.ACE:
            raise EngineError(f"{self.level} is not a level; levels are 2 to A")
        if self.leader not in range(4):
            raise EngineError(f"{self.leader} is not a seat; seats are 0 to 3")
        if self.order and sorted(self.order) != [0, 1, 2, 3]:
            raise EngineError(f"{self.order} is not a finishing order of four seats")


def side_of(seat: int) -> int:
    """Return the side a seat plays for: 0 for seats 0 and 2, 1 for seats 1 and 3."""
    return seat & 1


def entrant_of(seat: int, way: int) -> int:
    """Return which entrant (0 = A, 1 = B) sits here: way 0 seats A at 0 and 2, way 1 seats A at 1 and 3."""
    return side_of(seat) ^ way


def points_of_a(end: MatchEnded, way: int) -> int:
    """Return the points of entrant A at a table: its side's gains less those of the other side."""
    return end.points[way] - end.points[1 - way]


@dataclass(frozen=True, slots=True)
class TableTask:
    """A table to be played: who sits where, and the secret from which its board follows.

    ``way`` 0: entrant A sits 0+2; ``way`` 1: A sits 1+3. ``label`` names the deal under the event secret.
    ``deals``: not empty for a classic match, the secret of each deal it may have (``label`` with ``/deal/n``);
    ``board`` then only numbers it.
    """

    table_id: str
    board: int
    way: int
    label: str
    deal_secret: bytes
    deals: tuple[bytes, ...] = ()
