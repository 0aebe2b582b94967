"""The live feed of a table: what has happened, hidden cards cut, in lines of replay JSON for those who watch."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

from guandan_engine.exchange import Record
from guandan_engine.replay.chain import canonical
from guandan_engine.replay.lines import Context, to_line
from guandan_engine.rules import RuleSet
from guandan_engine.view import cut

__all__ = ["Feed", "SpectatorLines"]

EVERY_S: Final = 0.2

Append = Callable[[str, Sequence[str]], None]


class SpectatorLines:
    """Turns the log of one table into lines, each record once."""

    def __init__(self, rules: RuleSet) -> None:
        self._context = Context(rules)
        self._shown = 0

    def new(self, log: Sequence[Record]) -> list[str]:
        """Return the lines of what was added to the log since the last call."""
        fresh, self._shown = log[self._shown :], len(log)
        return [self._line(record) for record in fresh]

    def _line(self, record: Record) -> str:
        line = to_line(Record(record.n, cut(record.event, None), record.ms, record.left), self._context)
        if line["e"] == "deal":
            line["hands"] = None
        return canonical(line).decode()


class Feed:
    """Appends the lines of tables in the background, in a thread: a slow server must not hold up a table."""

    def __init__(self, append: Append | None = None, close: Callable[[str], None] | None = None) -> None:
        """``append`` and ``close`` of the table streams, or None when nobody can watch."""
        self._append = append
        self._close = close

    @contextlib.asynccontextmanager
    async def following(
        self, table_id: str, log: Callable[[], Sequence[Record]], rules: RuleSet
    ) -> AsyncIterator[None]:
        """Feed a table's log while the block runs, and close the feed after the last of it."""
        if self._append is None or self._close is None:
            yield
            return
        lines = SpectatorLines(rules)
        follower = asyncio.create_task(self._follow(table_id, log, lines, self._append))
        try:
            yield
        finally:
            follower.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await follower
            await asyncio.to_thread(self._append, table_id, lines.new(log()))
            await asyncio.to_thread(self._close, table_id)

    async def _follow(
        self, table_id: str, log: Callable[[], Sequence[Record]], lines: SpectatorLines, append: Append
    ) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            fresh = lines.new(log())
            if fresh:
                await asyncio.to_thread(append, table_id, fresh)
