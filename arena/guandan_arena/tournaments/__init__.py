"""Who meets whom and who stands where: pure functions of the history, the same answer for the same input."""

from guandan_arena.tournaments.history import DRAW, LOSS, WIN, Entrant, How, Pair, Result, Round
from guandan_arena.tournaments.standings import DEFAULT_ORDER, Standing, standings
from guandan_arena.tournaments.swiss import next_round
from guandan_arena.tournaments.tiebreaks import Tiebreak

__all__ = [
    "DEFAULT_ORDER",
    "DRAW",
    "LOSS",
    "WIN",
    "Entrant",
    "How",
    "Pair",
    "Result",
    "Round",
    "Standing",
    "Tiebreak",
    "next_round",
    "standings",
]
