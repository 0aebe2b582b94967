"""Streams that come and go before a table has begun: the bots of other seats may still be starting."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from guandan_engine.clock import Clocks
from guandan_engine.conduct import Verdict
from guandan_engine.exchange import TableSpec
from guandan_engine.rules import load
from guandan_engine.shuffle import board
from guandan_proto import codec
from guandan_proto.codec import Hello
from guandan_proto.v1 import table_pb2 as pb
from guandan_runner.host import TableHost
from guandan_runner.service import PLAY
from guandan_sdk.bots.greedy import GreedyBot
from guandan_sdk.client import Connection

CLOCKS = Clocks(connect_ms=60_000, move_ms=60_000)


@pytest.fixture
def folders() -> Iterator[list[Path]]:
    home = Path(tempfile.mkdtemp(prefix="gsb-", dir="/tmp"))
    seats = [home / str(seat) for seat in range(4)]
    for path in seats:
        path.mkdir()
    yield seats
    shutil.rmtree(home)


@asynccontextmanager
async def opened(folders: list[Path]) -> AsyncIterator[TableHost]:
    spec = TableSpec("t", load("standard"), CLOCKS, (1, 2, 3, 4), board=board(b"early", load("standard")))
    host = TableHost(spec, folders)
    await host.open()
    try:
        yield host
    finally:
        await host.close()


async def welcomed(channel: Any, *, session: str = "") -> tuple[Any, str]:
    """Open a stream at a seat and return it with the token of its Welcome."""
    call = channel.stream_stream(PLAY)()
    await call.write(codec.encode_hello(Hello("test", session_token=session)).SerializeToString())
    return call, pb.PlayResponse.FromString(await call.read()).welcome.session_token


async def test_a_stream_that_is_resumed_before_play_begins_is_the_seats_and_the_table_is_played(
    folders: list[Path],
) -> None:
    async with (
        opened(folders) as host,
        grpc.aio.insecure_channel(f"unix:{folders[0] / 'table.sock'}") as channel,
    ):
        first, token = await welcomed(channel)
        second, again = await welcomed(channel, session=token)
        assert again == token
        assert await first.code() is grpc.StatusCode.FAILED_PRECONDITION
        second.cancel()
        bots = [asyncio.to_thread(Connection(f"unix:{path / 'table.sock'}", GreedyBot).play) for path in folders]
        await asyncio.gather(host.play(), *bots)
        assert set(host.table.verdicts) == {Verdict.OK}
