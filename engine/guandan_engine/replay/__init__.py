"""GDR v1, the replay of a table: JSON lines with a hash chain, readable without our shuffle (docs/replay.md)."""

from guandan_engine.replay.header import Header, SeatName
from guandan_engine.replay.record import Replay, read, write
from guandan_engine.replay.requests import PastRequest, requests_to
from guandan_engine.replay.verify import action_of_event, verify

__all__ = ["Header", "PastRequest", "Replay", "SeatName", "action_of_event", "read", "requests_to", "verify", "write"]
