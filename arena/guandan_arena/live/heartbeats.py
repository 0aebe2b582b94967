"""Signs of life of workers, so that one that hangs can be told from one that is busy."""

from __future__ import annotations

from typing import Final

from guandan_arena.live import connection

ALIVE_S: Final = 30
"""How long a sign is good for; workers give one each few seconds."""


class Heartbeats:
    """A key per worker that expires when no sign comes."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client = connection.connect(url, patient=False)

    def sign(self, worker: str) -> None:
        """Say that a worker lives; raise Unavailable when nobody listens."""
        with connection.answering(self._url):
            self._client.set(f"alive:{worker}", "1", ex=ALIVE_S)

    def lives(self, worker: str) -> bool:
        """Whether a worker has given a sign lately."""
        with connection.answering(self._url):
            return bool(self._client.exists(f"alive:{worker}"))
