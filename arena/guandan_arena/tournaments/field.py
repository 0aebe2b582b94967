"""What the history says about those present before a round is paired: scores, order, meetings, floats, byes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from guandan_arena.tournaments.history import Entrant, How, Result


def lot(seed: int, entrant: str) -> bytes:
    """Draw an entrant's lot: the same for everyone who knows the event's seed."""
    return sha256(f"{seed}/{entrant}".encode()).digest()


@dataclass(frozen=True, slots=True)
class Field:
    """Those present in pairing order, with everything pairing asks about them; positions count from 0."""

    ids: tuple[str, ...]
    owners: tuple[str, ...]
    scores: tuple[int, ...]
    groups: tuple[tuple[int, int], ...]
    """First position and size of the score group at each position."""
    byes: tuple[int, ...]
    floats: tuple[int, ...]
    """1 for who floated down in the round before, -1 for up, else 0."""
    meetings: Counter[frozenset[str]]

    def __len__(self) -> int:
        return len(self.ids)

    def met(self, i: int, j: int) -> int:
        """Return how often two positions have met."""
        return self.meetings[frozenset((self.ids[i], self.ids[j]))]

    def forbidden(self, i: int, j: int) -> bool:
        """Say whether one owner has both, so that they must not meet."""
        return bool(self.owners[i]) and self.owners[i] == self.owners[j]


def field_of(entrants: Sequence[Entrant], history: Sequence[Result], before: int, seed: int) -> Field:
    """Read the history of the rounds ``before`` the one to pair."""
    scores = scores_of(history)
    order = sorted(entrants, key=lambda e: (-scores[e.id], -e.rating, lot(seed, e.id)))
    byes = Counter(entrant for result in history for entrant in _barred_from_bye(result))
    floats = _floats(history, before - 1)
    row = tuple(scores[e.id] for e in order)
    return Field(
        ids=tuple(e.id for e in order),
        owners=tuple(e.owner for e in order),
        scores=row,
        groups=tuple((row.index(score), row.count(score)) for score in row),
        byes=tuple(byes[e.id] for e in order),
        floats=tuple(floats.get(e.id, 0) for e in order),
        meetings=Counter(
            frozenset((r.a, r.b)) for r in history if r.b is not None and r.how in (How.PLAYED, How.FORFEIT)
        ),
    )


def scores_of(history: Iterable[Result]) -> defaultdict[str, int]:
    """Sum the match points of everyone who appears."""
    scores: defaultdict[str, int] = defaultdict(int)
    for result in history:
        scores[result.a] += result.points[0]
        if result.b is not None:
            scores[result.b] += result.points[1]
    return scores


def _barred_from_bye(result: Result) -> tuple[str, ...]:
    """Name who has had a win without playing in this result."""
    if result.how is How.BYE:
        return (result.a,)
    if result.how is How.FORFEIT and result.b is not None:
        return tuple(e for e, points in zip((result.a, result.b), result.points, strict=True) if points)
    return ()


def _floats(history: Sequence[Result], last: int) -> dict[str, int]:
    """Say who met somebody of another score in round ``last``; a bye floats down."""
    before = scores_of(r for r in history if r.round < last)
    floats: dict[str, int] = {}
    for result in history:
        if result.round != last:
            continue
        if result.b is None:
            floats[result.a] = 1 if result.how is How.BYE else 0
            continue
        gap = before[result.a] - before[result.b]
        floats[result.a] = (gap > 0) - (gap < 0)
        floats[result.b] = -floats[result.a]
    return floats
