"""Standings: entrants ordered by a list of tie-breaks that is data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from guandan_arena.tournaments.history import Entrant, Result
from guandan_arena.tournaments.tiebreaks import Tiebreak

DEFAULT_ORDER: Final = (Tiebreak.MP, Tiebreak.LVL, Tiebreak.BH, Tiebreak.DE, Tiebreak.WIN, Tiebreak.SB)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one entrant stands. ``place`` is shared by those whom no tie-break parts; ``values`` follow the order asked for.

    Values are exact integers: match points count 2 for a win, so BH is twice and SB four times the chess figure.
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
    """Order all entrants (also those who withdrew) after the rounds in ``history``; lots by ``seed`` order full ties."""
    raise NotImplementedError
