"""How likely a play is to win its trick, from the cards nobody has shown yet, and what a play therefore costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from guandan_engine.cards import Card, Rank, Suit, order_key
from guandan_engine.combos import Combo, Kind

WINNER_REFUND: Final = 1.5
"""A play costs one turn; one that surely wins its trick gives this much back, for it brings the lead."""

_WILLING: Final = 0.75
"""How often an opponent who could beat a play without a bomb would do so."""

_GROUP_CHANCE: Final = (
    (),
    (0.0, 0.67, 0.89, 0.96, 0.99, 1.0, 1.0, 1.0, 1.0),
    (0.0, 0.0, 0.22, 0.5, 0.75, 0.88, 0.95, 0.98, 1.0),
    (0.0, 0.0, 0.0, 0.07, 0.22, 0.4, 0.6, 0.75, 0.85),
)
"""Chance that one of two opponents holds 1, 2 or 3 cards of a rank of which so many are unseen."""

_RUN_CHANCE: Final = {Kind.STRAIGHT: 0.25, Kind.THREE_PAIR: 0.1, Kind.TWO_TRIPS: 0.06}
_RUN_LENGTH: Final = {Kind.STRAIGHT: 5, Kind.THREE_PAIR: 3, Kind.TWO_TRIPS: 2}
_BOMB_WINS: Final = (0.72, 0.84, 0.93, 0.96, 0.97, 0.98, 0.99)
_FLUSH_WINS: Final = 0.9


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of plays as tables, so that a search over splits only looks them up."""

    groups: tuple[tuple[float, ...], ...]
    houses: tuple[float, ...]
    runs: dict[Kind, tuple[float, ...]]
    joker_bomb: float

    def of(self, combo: Combo) -> float:
        """Return the cost of a run."""
        return self.runs[combo.kind][combo.rank]


def cost_of(chance: float) -> float:
    """Turn a chance of winning the trick into a cost."""
    return 1.0 - WINNER_REFUND * chance


class Odds:
    """Chances against the unseen cards. ``unseen``: how many copies of each of the 54 faces nobody has shown."""

    def __init__(self, unseen: list[int], level: Rank, opponents: float) -> None:
        """Take the share of unseen cards that the opponents hold (two thirds when all hold as many)."""
        self.level = level
        self.reach = min(1.0, opponents * 1.5)
        self.ranks = [sum(unseen[rank * 4 : rank * 4 + 4]) for rank in range(13)] + [unseen[52], unseen[53]]
        self.wilds = unseen[level * 4 + Suit.HEARTS]
        by_key = sorted(range(15), key=lambda rank: order_key(Rank(rank), level))
        self._groups = tuple(self._group_chances(by_key, size) for size in (1, 2, 3))
        self._runs = {kind: self._run_chances(kind) for kind in _RUN_LENGTH}

    def _group_chances(self, by_key: list[int], size: int) -> tuple[float, ...]:
        """Return for each rank the chance that a single, pair or trips of it is not beaten in kind."""
        chances = [1.0] * 15
        safe = 1.0
        for rank in reversed(by_key):
            chances[rank] = safe
            safe *= 1.0 - _WILLING * self.reach * _GROUP_CHANCE[size][min(8, self.ranks[rank])]
        return tuple(chances)

    def _run_chances(self, kind: Kind) -> tuple[float, ...]:
        """Return for each lowest rank the chance that such a run is not beaten in kind."""
        length = _RUN_LENGTH[kind]
        chances = [1.0] * 13
        safe = 1.0
        for low in range(13 - length, -2, -1):
            chances[low % 13] = safe
            held = _RUN_CHANCE[kind] * self.reach
            for rank in range(low, low + length):
                held *= min(1.0, self.ranks[rank % 13] / 5)
            safe *= 1.0 - held
        return tuple(chances)

    def wins(self, combo: Combo) -> float:
        """Estimate the chance that nobody beats this play."""
        match combo.kind:
            case Kind.SINGLE | Kind.PAIR | Kind.TRIPS:
                return self._groups[combo.size - 1][combo.rank]
            case Kind.THREE_WITH_TWO:
                return self._groups[2][combo.rank]
            case Kind.BOMB:
                return _bomb_wins(combo.size, order_key(combo.rank, self.level))
            case Kind.STRAIGHT_FLUSH:
                return _FLUSH_WINS
            case Kind.JOKER_BOMB:
                return 1.0
            case _:
                return self._runs[combo.kind][combo.rank]

    def costs(self) -> Costs:
        """Tabulate the costs of all plays."""
        groups = tuple(self._group_costs(rank) for rank in range(15))
        runs = {kind: tuple(map(cost_of, chances)) for kind, chances in self._runs.items()}
        runs[Kind.STRAIGHT_FLUSH] = (cost_of(_FLUSH_WINS),) * 13
        return Costs(groups, tuple(map(cost_of, self._groups[2])), runs, cost_of(1.0))

    def _group_costs(self, rank: int) -> tuple[float, ...]:
        key = order_key(Rank(rank), self.level)
        bombs = [cost_of(_bomb_wins(size, key)) for size in range(4, 11)]
        return (0.0, *(cost_of(self._groups[size][rank]) for size in range(3)), *bombs)


def _bomb_wins(size: int, key: int) -> float:
    return _BOMB_WINS[size - 4] + 0.01 * key / 2


def unseen_cards(own: list[Card], shown: list[Card]) -> list[int]:
    """Count the copies of each face that are neither held nor shown."""
    counts = [2] * 54
    for card in (*own, *shown):
        counts[card.index] -= 1
    return counts
