"""Live feeds of tables as Redis streams: lines of replay JSON whose hidden cards were cut before they came here.

The replay is the record; a feed is for watching only. So a server that does not answer costs a watcher some lines and
never holds up a table: writing gives up at once and says so in the log.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from guandan_arena.errors import Unavailable
from guandan_arena.live import connection
from guandan_arena.ports import StreamEntry

_LONGEST: Final = 20_000
"""Lines kept of one table; the longest matches have fewer."""
_IDLE_S: Final = 24 * 3600
_CLOSED_S: Final = 600
_LINE: Final = "line"
_END: Final = "end"
_LOG: Final = logging.getLogger(__name__)


class RedisTableStreams:
    """One capped stream per table; a last entry without a line says that it is closed."""

    def __init__(self, url: str, *, longest: int = _LONGEST) -> None:
        self._url = url
        self._longest = longest
        self._client = connection.connect(url, patient=False)

    def append(self, table_id: str, lines: Sequence[str]) -> None:
        """Add lines at the end."""
        if lines:
            self._write(table_id, [(_LINE, line) for line in lines], _IDLE_S)

    def close(self, table_id: str) -> None:
        """Say that no more will come and let the stream expire."""
        self._write(table_id, [(_END, "1")], _CLOSED_S)

    def read(self, table_id: str, *, after: str = "0", limit: int = 500, wait_ms: int = 0) -> Sequence[StreamEntry]:
        """Return entries after an id, waiting at most ``wait_ms`` for the first (or for the end)."""
        key = _key(table_id)
        with connection.answering(self._url):
            # Waits in steps below the socket's timeout.
            found: Any = self._client.xread({key: after}, count=limit)
            while not found and wait_ms > 0:
                step = min(wait_ms, 5_000)
                found = self._client.xread({key: after}, count=limit, block=step)
                wait_ms -= step
        entries = found[0][1] if isinstance(found, list) and found else found[key][0] if found else ()
        return tuple(StreamEntry(entry, fields[_LINE]) for entry, fields in entries if _LINE in fields)

    def disconnect(self) -> None:
        """Give the connections back."""
        self._client.close()

    def is_closed(self, table_id: str) -> bool:
        """Whether the stream has been closed."""
        with connection.answering(self._url):
            last: Any = self._client.xrevrange(_key(table_id), count=1)
        return bool(last) and _END in last[0][1]

    def _write(self, table_id: str, entries: Sequence[tuple[str, str]], expire_s: int) -> None:
        with _never_raising(table_id), connection.answering(self._url):
            pipe = self._client.pipeline(transaction=False)
            for name, value in entries:
                pipe.xadd(_key(table_id), {name: value}, maxlen=self._longest, approximate=False)
            pipe.expire(_key(table_id), expire_s)
            pipe.execute()


def _key(table_id: str) -> str:
    return f"table:{table_id}"


@contextmanager
def _never_raising(table_id: str) -> Iterator[None]:
    try:
        yield
    except Unavailable as error:
        _LOG.warning("live lines of table %s are lost: %s", table_id, error)
