"""Replays: the record of every table, kept compressed by digest."""

from __future__ import annotations

from guandan_arena.ports import Ports
from guandan_arena.services.records import Replay


def put(ports: Ports, *, lines: bytes) -> str:
    """Keep a replay (GDR JSON Lines) and return the digest to report in a TableResult."""
    raise NotImplementedError


def get(ports: Ports, *, table_id: str) -> Replay:
    """Return the replay of a table that counted."""
    raise NotImplementedError
