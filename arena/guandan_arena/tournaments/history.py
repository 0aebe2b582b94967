"""The records of a tournament: entrants, what happened in each round, who meets whom next.

Match points are integers: 2 for a win, 1 for a draw, 0 for a loss, as in the association's rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

WIN: Final = 2
DRAW: Final = 1
LOSS: Final = 0


@dataclass(frozen=True, slots=True)
class Entrant:
    """A version in an event. Two entrants of one ``owner`` never meet; an empty owner meets everyone.

    ``rating`` (milli-Elo, frozen when the event opens) gives the seed order among equal scores.
    """

    id: str
    owner: str = ""
    rating: int = 1_500_000


class How(StrEnum):
    """How a round went for the entrants of one result."""

    PLAYED = "played"
    FORFEIT = "forfeit"
    """Paired, but a side did not play: counts for standings, not for Elo; a winner by it gets no bye later."""
    BYE = "bye"
    """Nobody was left to meet: a win's points."""
    HALF_BYE = "half_bye"
    """Asked not to play this round: a draw's points."""
    ABSENT = "absent"
    """Did not play and gets nothing."""
    VOID = "void"
    """Our fault kept the match from being played: a draw's points to both, and they may still meet."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one pairing (or one entrant without opponent, ``b`` None) came to in a round.

    ``points``: match points of a and b. ``gain``: level points of a minus those of b over all boards.
    """

    round: int
    a: str
    b: str | None
    points: tuple[int, int]
    gain: int = 0
    how: How = How.PLAYED

    @classmethod
    def played(cls, round: int, a: str, b: str, gain: int) -> Result:  # noqa: A002 - the game's word
        """Score a played match by the sign of its level points."""
        points = (WIN, LOSS) if gain > 0 else (LOSS, WIN) if gain < 0 else (DRAW, DRAW)
        return cls(round, a, b, points, gain)

    @classmethod
    def bye(cls, round: int, entrant: str) -> Result:  # noqa: A002
        """Give an entrant without opponent a win's points."""
        return cls(round, entrant, None, (WIN, LOSS), how=How.BYE)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entrants who meet; ``a`` stands higher."""

    a: str
    b: str


@dataclass(frozen=True, slots=True)
class Round:
    """Who meets whom in round ``number`` (from 1), and who gets a bye.

    At most one bye, in an odd field, unless one owner has so many entrants that some can meet nobody.
    """

    number: int
    pairs: tuple[Pair, ...]
    byes: tuple[str, ...] = ()
