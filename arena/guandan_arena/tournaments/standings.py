"""Standings: entrants ordered by a list of tie-breaks that is data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from guandan_arena.tournaments.field import lot
from guandan_arena.tournaments.history import Entrant, How, Result
from guandan_arena.tournaments.tiebreaks import Cards, Tiebreak, cards_of, values

DEFAULT_ORDER: Final = (Tiebreak.MP, Tiebreak.LVL, Tiebreak.BH, Tiebreak.DE, Tiebreak.WIN, Tiebreak.SB)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one entrant stands. ``place`` (from 1) is shared by those whom no tie-break parts.

    ``values`` follow the order asked for and are exact integers: match points count 2 for a win, so BH is twice and
    SB four times the chess figure.
    """

    place: int
    entrant: str
    points: int
    gain: int
    played: int
    values: tuple[int, ...]


def standings(
    entrants: Sequence[Entrant], history: Sequence[Result], *, order: Sequence[Tiebreak] = DEFAULT_ORDER, seed: int = 0
) -> tuple[Standing, ...]:
    """Order all entrants, withdrawn ones too, after the rounds in ``history``; lots by ``seed`` order full ties."""
    cards = cards_of((e.id for e in entrants), history)
    by_lot = sorted(cards, key=lambda e: lot(seed, e))
    rows: list[Standing] = []
    for tied, row in _parted(cards, by_lot, tuple(order), ()):
        place = len(rows) + 1
        rows.extend(_standing(cards, entrant, place, row) for entrant in tied)
    return tuple(rows)


def _parted(
    cards: Cards, tied: Sequence[str], order: tuple[Tiebreak, ...], row: tuple[int, ...]
) -> Iterator[tuple[Sequence[str], tuple[int, ...]]]:
    """Part the tied by the first tie-break, each part by the next; yield what stays tied, best first."""
    if not order or not tied:
        if tied:
            yield tied, row
        return
    found = values(order[0], cards, tied)
    for value in sorted(set(found.values()), reverse=True):
        yield from _parted(cards, [e for e in tied if found[e] == value], order[1:], (*row, value))


def _standing(cards: Cards, entrant: str, place: int, row: tuple[int, ...]) -> Standing:
    turns = cards[entrant].turns
    return Standing(
        place=place,
        entrant=entrant,
        points=cards[entrant].points,
        gain=sum(turn.gain for turn in turns),
        played=sum(turn.how is How.PLAYED for turn in turns),
        values=row,
    )
