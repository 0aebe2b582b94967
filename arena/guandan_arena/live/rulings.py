"""Referees' rulings on running tables: a Redis stream for each table, and a hash of what became of them.

The journal in SQL is the record of who ruled what, the replay of what came of it. This is only the way there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from guandan_arena.live import connection
from guandan_arena.ports import StreamEntry

_RULING: Final = "ruling"
_EXPIRE_S: Final = 24 * 3600


class RedisRulings:
    """Rulings by table, in the order in which they were made."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client = connection.connect(url, patient=False)

    def put(self, table_id: str, ruling: str) -> None:
        """Put a ruling where the table's worker looks for it."""
        with connection.answering(self._url):
            pipe = self._client.pipeline(transaction=True)
            pipe.xadd(_key(table_id), {_RULING: ruling})
            pipe.expire(_key(table_id), _EXPIRE_S)
            pipe.execute()

    def read(self, table_id: str, *, after: str = "0") -> Sequence[StreamEntry]:
        """Return the rulings after an entry, at once."""
        with connection.answering(self._url):
            found: Any = self._client.xread({_key(table_id): after})
        entries = found[0][1] if isinstance(found, list) and found else found[_key(table_id)][0] if found else ()
        return tuple(StreamEntry(entry, fields[_RULING]) for entry, fields in entries if _RULING in fields)

    def answer(self, table_id: str, ruling_id: str, answer: str) -> None:
        """Say what became of a ruling; what was said first stands."""
        with connection.answering(self._url):
            pipe = self._client.pipeline(transaction=True)
            pipe.hsetnx(_answers(table_id), ruling_id, answer)
            pipe.expire(_answers(table_id), _EXPIRE_S)
            pipe.execute()

    def answer_to(self, table_id: str, ruling_id: str) -> str | None:
        """Return what became of a ruling, None while nobody has said."""
        with connection.answering(self._url):
            answer: Any = self._client.hget(_answers(table_id), ruling_id)
        return None if answer is None else str(answer)

    def disconnect(self) -> None:
        """Give the connections back."""
        self._client.close()


def _key(table_id: str) -> str:
    return f"rulings:{{{table_id}}}"


def _answers(table_id: str) -> str:
    return f"rulings:{{{table_id}}}:answers"
