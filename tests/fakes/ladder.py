"""The ladder in a dict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from guandan_arena.errors import Unavailable
from guandan_arena.services.records import MatchChange


class FakeLadder:
    """Passes the same contract tests as RedisLadder."""

    def __init__(self) -> None:
        self._elo: dict[str, int] = {}
        self._done: dict[str, dict[str, int]] = {}

    def apply(self, change: MatchChange) -> bool:
        done = self._done.get(change.event_id, {})
        if change.match_id in done:
            return False
        if not {change.a, change.b} <= self._elo.keys():
            raise Unavailable("ladder_incomplete", f"{change.a} or {change.b} has no rating")
        self._done.setdefault(change.event_id, {})[change.match_id] = change.delta_milli
        self._elo[change.a] += change.delta_milli
        self._elo[change.b] -= change.delta_milli
        return True

    def enter(self, versions: Mapping[str, int]) -> None:
        self._elo = {**versions, **self._elo}

    def top(self, *, limit: int, offset: int = 0) -> Sequence[tuple[str, int]]:
        ordered = sorted(self._elo.items(), key=lambda item: (-item[1], item[0]))
        return tuple(ordered[offset : offset + max(limit, 0)])

    def rating(self, version_id: str) -> int | None:
        return self._elo.get(version_id)

    def applied(self, event_id: str) -> Mapping[str, int]:
        return dict(self._done.get(event_id, {}))

    def rebuild(self, ratings: Mapping[str, int], changes: Iterable[MatchChange]) -> None:
        self._elo = dict(ratings)
        self._done = {}
        for change in changes:
            self._done.setdefault(change.event_id, {})[change.match_id] = change.delta_milli

    def dump(self) -> bytes:
        lines = [f"elo {version} {milli}\n" for version, milli in sorted(self._elo.items())]
        for event, done in sorted(self._done.items()):
            lines += [f"done {event} {match} {delta}\n" for match, delta in sorted(done.items())]
        return "".join(lines).encode()

    def ping(self) -> None:
        """Always here."""

    def close(self) -> None:
        pass
