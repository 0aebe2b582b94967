"""Repositories of what is played: events, pairings, tables, and what is reckoned from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from guandan_arena.services import records as r
from guandan_arena.services.states import EventState


class Events(Protocol):
    """Events with their entrants and rounds, and the switch that pauses them."""

    def add(self, event: r.Event, secret: bytes, entrants: Sequence[r.Entrant]) -> None: ...
    def get(self, event_id: str) -> r.Event: ...
    def lock(self, event_id: str) -> r.Event:
        """Return an event, holding its row until the transaction ends."""
        ...

    def secret(self, event_id: str) -> bytes:
        """Return the secret, also before it is revealed. It must leave the services only as deal secrets."""
        ...

    def browse(self, *, state: EventState | None = None, limit: int = 50, offset: int = 0) -> tuple[r.Event, ...]:
        """Return events, newest first."""
        ...

    def close(self, event_id: str, at_ms: int) -> None: ...
    def entrants(self, event_id: str) -> tuple[r.Entrant, ...]:
        """Return entrants by seed."""
        ...

    def latest_entries(self) -> Mapping[str, r.Entrant]:
        """Return, for every version that has ever entered a rated event, its entry in the newest one."""
        ...

    def add_round(self, item: r.Round) -> bool:
        """Add a round; False, changing nothing, when it is there already."""
        ...

    def rounds(self, event_id: str) -> tuple[r.Round, ...]: ...
    def close_round(self, event_id: str, number: int, at_ms: int) -> None: ...
    def paused(self) -> bool: ...
    def set_paused(self, paused: bool) -> None: ...


class Pairings(Protocol):
    """Pairings, which people call matches."""

    def add(self, matches: Sequence[r.Match]) -> None: ...
    def get(self, match_id: str) -> r.Match: ...
    def lock(self, match_id: str) -> r.Match:
        """Return a match, holding its row until the transaction ends."""
        ...

    def save(self, match: r.Match) -> None:
        """Write state, attempt, lease and outcome."""
        ...

    def of_event(self, event_id: str, *, round: int | None = None) -> tuple[r.Match, ...]: ...  # noqa: A002
    def open_count(self, event_id: str, round: int) -> int: ...  # noqa: A002
    def browse(
        self,
        *,
        event_id: str | None = None,
        version_id: str | None = None,
        bot_id: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[r.Match, ...]:
        """Return matches, newest first."""
        ...

    def playing(self) -> tuple[r.Match, ...]:
        """Return the matches that are being played in all events."""
        ...

    def stale(self, *, now_ms: int, queued_before_ms: int) -> tuple[str, ...]:
        """Return ids of matches whose lease has expired, or which have been queued since before a time."""
        ...

    def changes(self, *, event_id: str | None = None) -> tuple[r.MatchChange, ...]:
        """Return what every rated match moves, in order of finishing."""
        ...

    def ratings(self, version_ids: Iterable[str] | None = None) -> Mapping[str, r.Rating]:
        """Return the Elo and games of versions that have ever entered a rated event (all, or these)."""
        ...


class Tables(Protocol):
    """Tables that counted."""

    def add(self, tables: Sequence[r.Table]) -> None: ...
    def get(self, table_id: str) -> r.Table: ...
    def of_match(self, match_id: str) -> tuple[r.Table, ...]: ...
    def of_matches(self, match_ids: Iterable[str]) -> tuple[r.Table, ...]:
        """Return the tables of several matches, by match, board and way."""
        ...

    def of_event(self, event_id: str) -> tuple[r.Table, ...]: ...
    def board_scores(self) -> tuple[r.BoardScore, ...]:
        """Return every board of every rated match, both ways, in order of its id."""
        ...


class Fits(Protocol):
    """Refitted ratings: one fit per event."""

    def add(self, event_id: str, fits: Sequence[r.RatingFit]) -> None: ...
    def of_event(self, event_id: str) -> Mapping[str, r.RatingFit]:
        """Return an event's fit by version id; empty while it runs."""
        ...

    def latest(self) -> Mapping[str, r.RatingFit]:
        """Return the newest fit by version id; empty when no event has ended."""
        ...
