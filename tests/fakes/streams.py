"""Live streams in lists."""

from __future__ import annotations

from collections.abc import Sequence

from guandan_arena.ports import StreamEntry

END = None


class FakeTableStreams:
    """Passes the same contract tests as RedisTableStreams, except that nobody can wait: all happens in one thread."""

    def __init__(self, *, longest: int = 20_000) -> None:
        self._longest = longest
        self._written = 0
        self._entries: dict[str, list[tuple[int, str | None]]] = {}

    def append(self, table_id: str, lines: Sequence[str]) -> None:
        for line in lines:
            self._add(table_id, line)

    def close(self, table_id: str) -> None:
        self._add(table_id, END)

    def read(self, table_id: str, *, after: str = "0", limit: int = 500, wait_ms: int = 0) -> Sequence[StreamEntry]:
        since = int(after.partition("-")[0])
        later = [(n, line) for n, line in self._entries.get(table_id, []) if n > since][:limit]
        return tuple(StreamEntry(f"{n}-0", line) for n, line in later if line is not END)

    def is_closed(self, table_id: str) -> bool:
        entries = self._entries.get(table_id, [])
        return bool(entries) and entries[-1][1] is END

    def _add(self, table_id: str, line: str | None) -> None:
        self._written += 1
        kept = self._entries.setdefault(table_id, [])
        kept.append((self._written, line))
        del kept[: -self._longest]
