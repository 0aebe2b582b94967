"""One stream of a bot that plays at several tables at once: its frames are dealt out, their requests collected.

Each table has its own host and knows nothing of the others. What is shared is the wire only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import grpc
from google.protobuf.message import DecodeError

from guandan_proto import codec
from guandan_proto.v1 import table_pb2 as pb
from guandan_runner.checking.positions import SEAT
from guandan_runner.checking.trial_host import TrialHost
from guandan_runner.line import Stream
from guandan_runner.service import listen

__all__ = ["AHEAD", "SharedStream", "open_shared"]

AHEAD: Final = 4  # messages that wait for a table; a bot has one answer under way
GATHER_S: Final = 0.02  # how long a request waits for others to travel with; no clock runs meanwhile


async def open_shared(hosts: Sequence[TrialHost], folder: Path) -> grpc.aio.Server:
    """Listen on the one socket over which a bot plays at all these tables."""
    return await listen(folder, partial(_play, hosts))


async def _play(hosts: Sequence[TrialHost], stream: Stream) -> None:
    shared = SharedStream(stream, [host.spec.table_id for host in hosts])
    tables = [asyncio.create_task(_seated(h, s)) for h, s in zip(hosts, shared.streams, strict=True)]
    wire = [asyncio.create_task(shared.read_all()), asyncio.create_task(shared.write_requests())]
    try:
        await asyncio.gather(*tables)
    finally:
        for task in (*tables, *wire):
            task.cancel()
        await asyncio.gather(*tables, *wire, return_exceptions=True)


async def _seated(host: TrialHost, stream: _TableStream) -> None:
    """Hold the bot's stream to one table until the table lets go of it."""
    try:
        await host.sit(SEAT, stream)
    finally:
        stream.leave()


class SharedStream:
    """The bot's stream, and one stream made of it for each table."""

    def __init__(self, stream: Stream, tables: Sequence[str]) -> None:
        self.streams = [_TableStream(self) for _ in tables]
        self._by_table = dict(zip(tables, self.streams, strict=True))
        self._stream = stream
        self._writing = asyncio.Lock()
        self._most = 1
        self._waiting: asyncio.Queue[tuple[pb.PlayResponse, asyncio.Future[None]]] = asyncio.Queue()

    async def read_all(self) -> None:
        """Deal out what the bot sends until its stream ends: Hello to every table, each answer to its own.

        No more is read while a table has not taken in what came for it before.
        """
        while isinstance(data := await self._stream.read(), bytes):
            for stream, message in self._dealt(data):
                await stream.deliver(message)
        for stream in self.streams:
            await stream.deliver(None)

    def _dealt(self, data: bytes) -> list[tuple[_TableStream, bytes]]:
        try:
            frame = pb.PlayRequest.FromString(data)
        except DecodeError:
            return [(self.streams[0], data)]  # whose host knows what to say of it
        if frame.WhichOneof("frame") != "actions":
            self._most = max(self._most, min(frame.hello.wishes.batch_size, len(self.streams)))
            return [(stream, data) for stream in self.streams]
        own: dict[_TableStream, pb.PlayRequest] = {}
        for action in frame.actions.actions:
            stream = self._by_table.get(action.table_id, self.streams[0])
            own.setdefault(stream, pb.PlayRequest()).actions.actions.append(action)
        return [(stream, part.SerializeToString()) for stream, part in own.items()]

    async def write(self, message: bytes) -> None:
        """Write a frame of one table; a request waits a moment for those of the others."""
        frame = pb.PlayResponse.FromString(message)
        if frame.WhichOneof("frame") != "requests":
            async with self._writing:
                await self._stream.write(message)
            return
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait((frame, written))
        await written

    async def write_requests(self) -> None:
        """Write requests in frames of as many as the bot wished, until this is cancelled."""
        while True:
            frames = [await self._waiting.get()]
            try:
                async with asyncio.timeout(GATHER_S):
                    while len(frames) < self._most:
                        frames.append(await self._waiting.get())
            except TimeoutError:
                pass
            together = codec.encode_requests([request for frame, _ in frames for request in frame.requests.requests])
            async with self._writing:
                await self._stream.write(together.SerializeToString())
            for _, written in frames:
                if not written.done():
                    written.set_result(None)


class _TableStream:
    """The stream as one table sees it."""

    def __init__(self, shared: SharedStream) -> None:
        self._inbox: asyncio.Queue[bytes | None] = asyncio.Queue(AHEAD)
        self._left = False
        self._shared = shared

    async def deliver(self, message: bytes | None) -> None:
        """Put a message where the table finds it, waiting for room; who has left gets none."""
        if not self._left:
            await self._inbox.put(message)

    def leave(self) -> None:
        """Read no more: whatever comes is dropped, and nobody waits for room here."""
        self._left = True
        while not self._inbox.empty():
            self._inbox.get_nowait()

    async def read(self) -> object:
        """Return the bot's next message for this table; None at the end of the stream."""
        return await self._inbox.get()

    async def write(self, message: bytes) -> None:
        """Put a message on the wire."""
        await self._shared.write(message)
