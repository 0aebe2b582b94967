"""A real Valkey for tests."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from guandan_arena.live import valkey
from guandan_arena.settings import Settings


@contextmanager
def serving() -> Iterator[Settings]:
    """Run an embedded server in a short folder; yields settings that name it as REDIS_URL would."""
    with tempfile.TemporaryDirectory(prefix="gdv") as folder:
        settings = Settings(data_dir=Path(folder))
        with valkey.serving(settings) as url:
            yield Settings(data_dir=Path(folder), redis_url=url)


def emptied(url: str) -> None:
    """Drop everything the server holds."""
    with redis.Redis.from_url(url) as client:
        client.flushall()
