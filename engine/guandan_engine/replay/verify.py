"""Playing a replay again and comparing every line."""

from __future__ import annotations

from guandan_engine.replay.record import Replay


def verify(data: bytes, *, secret: bytes | None = None) -> Replay:
    """Check chain, cards, shuffle, rules and results; with the event's ``secret`` the commitment too.

    Raise BrokenReplay with the first line that does not follow from those before it.
    """
    raise NotImplementedError
