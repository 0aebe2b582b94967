"""GDR v1, the replay of a table: JSON lines with a hash chain, readable without our shuffle (docs/replay.md)."""

from guandan_engine.replay.header import Header, SeatName
from guandan_engine.replay.record import Replay, read, write
from guandan_engine.replay.verify import verify

__all__ = ["Header", "Replay", "SeatName", "read", "verify", "write"]
