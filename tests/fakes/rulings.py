"""Rulings on their way, in lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from guandan_arena.ports import StreamEntry


class FakeRulings:
    """Passes the same contract tests as RedisRulings."""

    def __init__(self) -> None:
        self._made: defaultdict[str, list[str]] = defaultdict(list)
        self._answers: dict[tuple[str, str], str] = {}

    def put(self, table_id: str, ruling: str) -> None:
        self._made[table_id].append(ruling)

    def read(self, table_id: str, *, after: str = "0") -> Sequence[StreamEntry]:
        since = int(after.partition("-")[0])
        return tuple(StreamEntry(f"{n}-0", text) for n, text in enumerate(self._made[table_id], 1) if n > since)

    def answer(self, table_id: str, ruling_id: str, answer: str) -> None:
        self._answers.setdefault((table_id, ruling_id), answer)

    def answer_to(self, table_id: str, ruling_id: str) -> str | None:
        return self._answers.get((table_id, ruling_id))
