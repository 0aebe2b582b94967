"""The composition root: settings in, ports out. Nothing else builds an adapter."""

from __future__ import annotations

from guandan_arena.ports import Ports
from guandan_arena.settings import Settings


def build(settings: Settings) -> Ports:
    """Connect to SQL, Redis and the blob folder; raise Unavailable naming what did not answer within settings.start_wait_ms."""
    raise NotImplementedError
