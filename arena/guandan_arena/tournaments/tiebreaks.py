"""Tie-breaks, after FIDE's rules of 1 March 2026 (C.07), on match points that count 2 for a win.

| code  | name             | value here (integers)                                        | chess figure |
|-------|------------------|--------------------------------------------------------------|--------------|
| MP    | match points     | sum of points, byes and forfeits included                    | half         |
| LVL   | level points     | sum of level points won minus lost over all boards           | -            |
| BH    | Buchholz         | sum of the opponents' adjusted scores                        | half         |
| BH-C1 | Buchholz cut 1   | the same without its lowest part; a voluntary absence first  | half         |
| DE    | direct encounter | rivals in the tie who stand below in meetings among the tied | -            |
| SB    | Sonneborn-Berger | sum of adjusted score times points taken from it             | quarter      |
| PS    | progressive      | sum of the running totals                                    | half         |
| WIN   | wins             | rounds won, by forfeit and bye too                           | same         |
| WON   | wins played      | rounds won at the table                                      | same         |

Adjusted score: rounds absent by choice after the last other round count as draws. An own round without play counts as
met against a dummy: of the lower of the own score and, after a forfeit, the opponent's adjusted score, or else that of
draws in every round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Final

from guandan_arena.tournaments.history import DRAW, WIN, How, Result


class Tiebreak(StrEnum):
    """What may order a standing, by its customary code; an event names an ordered list of them."""

    MP = "MP"
    LVL = "LVL"
    BH = "BH"
    BH_C1 = "BH-C1"
    DE = "DE"
    SB = "SB"
    PS = "PS"
    WIN = "WIN"
    WON = "WON"


@dataclass(frozen=True, slots=True)
class Turn:
    """One round as one entrant saw it."""

    opponent: str | None
    points: int
    gain: int
    how: How

    @property
    def by_choice(self) -> bool:
        """Whether the entrant chose not to play."""
        return self.how in (How.ABSENT, How.HALF_BYE)


_ABSENT: Final = Turn(None, 0, 0, How.ABSENT)


@dataclass(frozen=True, slots=True)
class Card:
    """All rounds of one entrant, in order; a round that is not in the history was missed."""

    turns: tuple[Turn, ...]

    @property
    def points(self) -> int:
        """Match points."""
        return sum(turn.points for turn in self.turns)

    @property
    def adjusted(self) -> int:
        """What the opponents of this entrant count for having met it."""
        last = max((n for n, turn in enumerate(self.turns, start=1) if not turn.by_choice), default=0)
        return sum(turn.points for turn in self.turns[:last]) + DRAW * (len(self.turns) - last)


Cards = Mapping[str, Card]


def cards_of(entrants: Iterable[str], history: Sequence[Result]) -> dict[str, Card]:
    """Turn the history into one card per entrant; raise ValueError for an unknown entrant or two results in a round."""
    rounds = max((result.round for result in history), default=0)
    turns: dict[str, dict[int, Turn]] = {entrant: {} for entrant in entrants}
    for r in history:
        sides = [(r.a, Turn(r.b, r.points[0], r.gain, r.how))]
        if r.b is not None:
            sides.append((r.b, Turn(r.a, r.points[1], -r.gain, r.how)))
        for entrant, turn in sides:
            if entrant not in turns:
                raise ValueError(f"round {r.round} names {entrant!r}, who is no entrant")
            if r.round in turns[entrant]:
                raise ValueError(f"round {r.round} holds two results of {entrant!r}")
            turns[entrant][r.round] = turn
    return {e: Card(tuple(by.get(n, _ABSENT) for n in range(1, rounds + 1))) for e, by in turns.items()}


def _met(cards: Cards, entrant: str) -> list[tuple[int, Turn]]:
    """Return each round with the score met in it: the opponent's adjusted score, or the dummy's."""
    own = cards[entrant]
    met = []
    for turn in own.turns:
        if turn.how is How.PLAYED and turn.opponent is not None:
            met.append((cards[turn.opponent].adjusted, turn))
        elif turn.how is How.FORFEIT and turn.opponent is not None:
            met.append((min(own.points, cards[turn.opponent].adjusted), turn))
        else:
            met.append((min(own.points, DRAW * len(own.turns)), turn))
    return met


def _buchholz_cut(cards: Cards, entrant: str) -> int:
    met = _met(cards, entrant)
    dropped = min(met, key=lambda part: (not part[1].by_choice, part[0]), default=(0, _ABSENT))
    return sum(score for score, _ in met) - dropped[0]


_VALUES: Final[dict[Tiebreak, Callable[[Cards, str], int]]] = {
    Tiebreak.MP: lambda cards, e: cards[e].points,
    Tiebreak.LVL: lambda cards, e: sum(turn.gain for turn in cards[e].turns),
    Tiebreak.BH: lambda cards, e: sum(score for score, _ in _met(cards, e)),
    Tiebreak.BH_C1: _buchholz_cut,
    Tiebreak.SB: lambda cards, e: sum(score * turn.points for score, turn in _met(cards, e)),
    Tiebreak.PS: lambda cards, e: sum(accumulate(turn.points for turn in cards[e].turns)),
    Tiebreak.WIN: lambda cards, e: sum(turn.points == WIN for turn in cards[e].turns),
    Tiebreak.WON: lambda cards, e: sum(turn.points == WIN and turn.how is How.PLAYED for turn in cards[e].turns),
}


def values(tiebreak: Tiebreak, cards: Cards, tied: Sequence[str]) -> dict[str, int]:
    """Return a tie-break's value for each of those still ``tied``; more is better."""
    if tiebreak is Tiebreak.DE:
        return _direct_encounter(cards, tied)
    return {entrant: _VALUES[tiebreak](cards, entrant) for entrant in tied}


def _direct_encounter(cards: Cards, tied: Sequence[str]) -> dict[str, int]:
    """Count the tied rivals each stands above in the meetings among the tied; nothing unless all of them met."""
    rivals = set(tied)
    meetings = {e: [t for t in cards[e].turns if t.opponent in rivals and t.how is not How.VOID] for e in tied}
    if any({t.opponent for t in turns} | {e} != rivals for e, turns in meetings.items()):
        return dict.fromkeys(tied, 0)
    points = {e: sum(t.points for t in turns) for e, turns in meetings.items()}
    above: dict[str, int] = {}
    for score in set(points.values()):
        equals = [e for e in tied if points[e] == score]
        below = sum(p < score for p in points.values())
        inner = _direct_encounter(cards, equals) if 1 < len(equals) < len(tied) else dict.fromkeys(equals, 0)
        above |= {e: below + inner[e] for e in equals}
    return above
