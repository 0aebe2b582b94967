"""Writing a table's log as GDR v1 lines and reading them back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guandan_engine.replay.header import Header
from guandan_engine.table import Record


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay as read: ``secrets`` are the revealed deal secrets, one per deal, or () when not revealed."""

    header: Header
    records: tuple[Record, ...]
    secrets: tuple[bytes, ...]
    chain: str


def write(header: Header, records: Sequence[Record], *, secrets: Sequence[bytes] = ()) -> bytes:
    """Return the whole file: a header line, a line per record, the last one with secrets and final chain hash."""
    raise NotImplementedError


def read(data: bytes) -> Replay:
    """Parse a replay and check its chain; raise BrokenReplay naming the line."""
    raise NotImplementedError
