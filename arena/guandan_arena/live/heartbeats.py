"""Signs of life of workers, so that one that hangs can be told from one that is busy."""

from __future__ import annotations

import logging
from typing import Any, Final

from celery.signals import heartbeat_sent

from guandan_arena.errors import Unavailable
from guandan_arena.live import connection

ALIVE_S: Final = 30
"""How long a sign is good for; a worker's main process gives one each two seconds, whatever its children do."""
_LOG: Final = logging.getLogger(__name__)


class Heartbeats:
    """A key per worker that expires when no sign comes."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client = connection.connect(url, patient=False)

    def sign(self, worker: str, saying: str = "") -> None:
        """Say that a worker lives, and whatever else it has to say; raise Unavailable when nobody listens."""
        with connection.answering(self._url):
            self._client.set(f"alive:{worker}", saying, ex=ALIVE_S)

    def lives(self, worker: str) -> bool:
        """Whether a worker has given a sign lately."""
        with connection.answering(self._url):
            return bool(self._client.exists(f"alive:{worker}"))

    def sayings(self) -> tuple[str, ...]:
        """Return what living workers say, each saying once."""
        with connection.answering(self._url):
            said = [self._client.get(key) for key in self._client.scan_iter("alive:*")]
        return tuple(sorted({str(saying) for saying in said if saying}))

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()


def announce(url: str, saying: str) -> None:
    """Sign with each of Celery's own heartbeats in this process; call it once, where a worker's app is built."""
    heartbeats = Heartbeats(url)

    def sign(sender: Any, **_: Any) -> None:
        try:
            heartbeats.sign(sender.eventer.hostname, saying)
        except Unavailable as error:
            _LOG.warning("no sign of life given: %s", error)

    heartbeat_sent.connect(sign, weak=False, dispatch_uid="guandan-heartbeat")
