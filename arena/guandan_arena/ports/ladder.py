"""The live ratings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from guandan_arena.services import records as r


class Ladder(Protocol):
    """The live Elo of every version: whole milli-Elo in a sorted set. All of it can be rebuilt from SQL."""

    def apply(self, change: r.MatchChange) -> bool:
        """Move both ratings by one match; the second call for the same match changes nothing and returns False."""
        ...

    def enter(self, versions: Mapping[str, int]) -> None:
        """Give these versions their starting milli-Elo, unless they already have a rating."""
        ...

    def top(self, *, limit: int, offset: int = 0) -> Sequence[tuple[str, int]]:
        """Return (version id, milli-Elo), best first; equal ratings in order of id."""
        ...

    def rating(self, version_id: str) -> int | None:
        """Return a version's milli-Elo, or None when it has never entered."""
        ...

    def applied(self, event_id: str) -> Mapping[str, int]:
        """Return the delta applied for every match id of an event."""
        ...

    def rebuild(self, ratings: Mapping[str, int], changes: Iterable[r.MatchChange]) -> None:
        """Replace all ratings and all applied deltas in one step."""
        ...

    def dump(self) -> bytes:
        """Return ratings and applied deltas in one canonical text, so that two states can be compared byte by byte."""
        ...

    def ping(self) -> None:
        """Raise Unavailable, naming the URL without its password, when the server does not answer."""
        ...

    def close(self) -> None:
        """Give the connections back."""
        ...
