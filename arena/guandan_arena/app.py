"""The composition root: settings in, ports out. Nothing else builds an adapter."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager

from guandan_arena.live.connection import wait
from guandan_arena.live.invitations import RedisInvitations
from guandan_arena.live.ladder import RedisLadder
from guandan_arena.live.lounge import RedisLounge
from guandan_arena.live.queue import CeleryJobQueue
from guandan_arena.live.rulings import RedisRulings
from guandan_arena.live.streams import RedisTableStreams
from guandan_arena.ports import Ports
from guandan_arena.settings import Settings
from guandan_arena.store import FolderBlobs, SqlStore, connect
from guandan_arena.store.migrate import require_newest


class SystemClock:
    """The ``Clock`` port on this machine."""

    def now_ms(self) -> int:
        """Return UTC milliseconds since 1970."""
        return time.time_ns() // 1_000_000


class SystemEntropy:
    """The ``Entropy`` port on this machine."""

    def token_bytes(self, count: int) -> bytes:
        """Return unpredictable bytes."""
        return secrets.token_bytes(count)


@contextmanager
def opened(settings: Settings) -> Iterator[Ports]:
    """Build the ports for a while, and give their connections back."""
    ports = build(settings)
    try:
        yield ports
    finally:
        ports.queue.close()
        ports.ladder.close()
        ports.store.close()


def build(settings: Settings) -> Ports:
    """Connect to SQL, Redis and the blob folder; raise Unavailable naming what does not answer in time.

    The database must have the newest schema (``store.migrate``).
    """
    engine = connect(settings.store_url, wait_ms=settings.start_wait_ms)
    try:
        require_newest(engine)
        wait(settings.broker_url, wait_ms=settings.start_wait_ms)
    except BaseException:
        engine.dispose()
        raise
    return Ports(
        store=SqlStore(engine),
        ladder=RedisLadder(settings.broker_url),
        tables=RedisTableStreams(settings.broker_url),
        rulings=RedisRulings(settings.broker_url),
        lounge=RedisLounge(settings.broker_url),
        invitations=RedisInvitations(settings.broker_url),
        blobs=FolderBlobs(settings.blob_folder),
        queue=CeleryJobQueue(settings),
        clock=SystemClock(),
        entropy=SystemEntropy(),
        settings=settings,
    )
