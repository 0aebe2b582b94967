"""The line to one seat: what waits to be told, what waits to be written, and who may speak on it."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from guandan_proto.codec import Wishes
from guandan_proto.v1 import events_pb2
from guandan_proto.v1 import table_pb2 as pb

__all__ = ["Line", "Stream"]


class Stream(Protocol):
    """The server's end of a gRPC stream of raw messages."""

    async def read(self) -> object:
        """Return the next message as bytes, or ``grpc.aio.EOF``."""
        ...

    async def write(self, message: bytes) -> None:
        """Put a message on the wire; returns when the transport has taken it."""
        ...


class Line:
    """One seat's line. It outlives its streams: a bot that lost one comes back with the token of its Welcome."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.token = secrets.token_hex(16)
        self.wishes = Wishes()
        self.stream: Stream | None = None
        self.welcomed = False
        self.asked_ns = 0
        self.heard_ns = 0
        self.refusals = 0
        self.last_refusal = ""
        self._untold: list[events_pb2.TableEvent] = []
        self._outbox: deque[tuple[bytes, Callable[[], None] | None]] = deque()
        self._more = asyncio.Event()
        self._replaced = asyncio.Event()

    def open(self, stream: Stream, wishes: Wishes) -> None:
        """Begin a stream: the table will tell everything again, so nothing old is kept."""
        self.stream = stream
        self.wishes = wishes
        self._untold.clear()
        self._outbox.clear()
        self._more.clear()
        self._replaced.set()
        self._replaced = asyncio.Event()

    async def holds(self, stream: Stream, *, until: asyncio.Event) -> bool:
        """Wait for an event; whether this is the seat's stream still, False as soon as another has been opened."""
        waits = [asyncio.create_task(event.wait()) for event in (until, self._replaced)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        return self.stream is stream

    def tell(self, event: events_pb2.TableEvent, *, table_id: str) -> None:
        """Keep an event for the next frame, or send it at once to a bot that wished it so."""
        if self.wishes.stream_events:
            self.send(pb.PlayResponse(events=pb.Events(table_id=table_id, events=(event,))))
        else:
            self._untold.append(event)

    def take_untold(self) -> Sequence[events_pb2.TableEvent]:
        """Return the events that go with the frame being written now."""
        untold, self._untold = self._untold, []
        return untold

    def send(self, frame: pb.PlayResponse, written: Callable[[], None] | None = None) -> None:
        """Queue a frame; ``written`` is called once it is on the wire."""
        if self.stream is not None:
            self._outbox.append((frame.SerializeToString(), written))
            self._more.set()

    async def write_all(self, stream: Stream) -> None:
        """Write what is queued for this stream until it is cancelled. A bot that does not read holds up only itself."""
        while True:
            await self._more.wait()
            self._more.clear()
            while self._outbox and self.stream is stream:
                message, written = self._outbox.popleft()
                await stream.write(message)
                if written:
                    written()
