"""Attending for a remote bot through a line that may break: every seat and every event is told once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from guandan_sdk.errors import ServerGone

if TYPE_CHECKING:
    from guandan_proto.v1 import lounge_pb2
    from guandan_sdk.arena import Arena

__all__ = ["attend"]

PATIENCE_SECONDS: Final = 300.0
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 10.0


def attend(
    arena: Arena, bot: str, event_id: str, *, lost: Callable[[ServerGone], None]
) -> Iterator[lounge_pb2.AttendResponse]:
    """Yield what happens to a bot, in its events or in the one named, whose end is the last.

    A stream that breaks is taken up again, with growing pauses, for five minutes; ``lost`` is told of each break.
    """
    told: set[str] = set()
    pause, until = _FIRST_PAUSE, time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            for notice in arena.attend(bot, event_id):
                pause, until = _FIRST_PAUSE, time.monotonic() + PATIENCE_SECONDS
                key = _key(notice)
                if key and key not in told:
                    told.add(key)
                    yield notice
        except ServerGone as gone:
            if time.monotonic() + pause > until:
                raise
            lost(gone)
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        else:
            return


def _key(notice: lounge_pb2.AttendResponse) -> str:
    """Name what is told by a notice: after a break it may be told again. A sign of life has no name."""
    kind = notice.WhichOneof("notice")
    if kind == "invitation":
        return notice.invitation.ticket
    if kind is None:
        return ""
    event_id = notice.event.event_id if kind == "event" else notice.ended.event_id
    return f"{kind} {event_id}"
