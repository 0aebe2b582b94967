"""A socket between a bot and its table that passes everything on and keeps every byte the table wrote."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

from guandan_proto.v1 import table_pb2 as pb

DATA, PADDED = 0, 8


class RecordingSocket:
    """Listens at ``here`` and forwards to ``there``; ``written`` are the table's bytes, one buffer per connection."""

    def __init__(self, here: Path, there: Path) -> None:
        self.here = here
        self.there = there
        self.written: list[bytearray] = []
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        self._server = await asyncio.start_unix_server(self._connected, self.here)

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        kept = bytearray()
        self.written.append(kept)
        ends = [writer]
        try:
            table_reader, table_writer = await asyncio.open_unix_connection(self.there)
            ends.append(table_writer)
            await asyncio.gather(_pass_on(reader, table_writer), _pass_on(table_reader, writer, kept))
        finally:
            for end in ends:  # all of them first: waiting may be cancelled
                end.close()
            for end in ends:
                with contextlib.suppress(OSError):
                    await end.wait_closed()
            self._connections.discard(task)


async def _pass_on(source: asyncio.StreamReader, sink: asyncio.StreamWriter, kept: bytearray | None = None) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await source.read(65_536):
            if kept is not None:
                kept += data
            sink.write(data)
            await sink.drain()
    with contextlib.suppress(OSError):
        sink.write_eof()


def frames(written: bytes) -> Iterator[pb.PlayResponse]:
    """The gRPC messages within HTTP/2 bytes of one connection that carries one call."""
    payload = b"".join(_data_frames(written))
    while payload:
        assert payload[0] == 0, "a compressed message"
        size = int.from_bytes(payload[1:5], "big")
        yield pb.PlayResponse.FromString(payload[5 : 5 + size])
        payload = payload[5 + size :]


def _data_frames(written: bytes) -> Iterator[bytes]:
    while written:
        size, kind, flags = int.from_bytes(written[:3], "big"), written[3], written[4]
        assert not (kind == DATA and flags & PADDED)
        if kind == DATA:
            yield written[9 : 9 + size]
        written = written[9 + size :]
