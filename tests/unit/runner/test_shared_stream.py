"""One stream of a bot at several tables: a bot that floods it is read no faster than its tables take in."""

from __future__ import annotations

import asyncio

import pytest

from guandan_proto.v1 import table_pb2 as pb
from guandan_runner.checking.shared import AHEAD, SharedStream

STEPS = 2_000  # of the event loop: many more than a flood needs to show itself


class Flood:
    """A bot that never stops sending answers for one table, or ``last`` many of them."""

    def __init__(self, table: str, last: int = 10**9) -> None:
        frame = pb.PlayRequest()
        frame.actions.actions.add(table_id=table)
        self._message = frame.SerializeToString()
        self._last = last
        self.sent = 0

    async def read(self) -> object:
        await asyncio.sleep(0)
        if self.sent == self._last:
            return None
        self.sent += 1
        return self._message

    async def write(self, message: bytes) -> None:
        raise AssertionError(message)


async def steps() -> None:
    for _ in range(STEPS):
        await asyncio.sleep(0)


@pytest.mark.parametrize("table", ["t1", "t2", "unknown"])
async def test_what_a_table_has_not_taken_in_stops_the_reading(table: str) -> None:
    flood = Flood(table)
    shared = SharedStream(flood, ["t1", "t2"])
    reading = asyncio.create_task(shared.read_all())
    await steps()
    assert flood.sent == AHEAD + 1
    assert not reading.done()
    await shared.streams[table == "t2"].read()
    await steps()
    assert flood.sent == AHEAD + 2
    reading.cancel()


async def test_a_table_that_is_over_holds_up_nobody() -> None:
    flood = Flood("t1", last=10 * AHEAD)
    shared = SharedStream(flood, ["t1", "t2"])
    reading = asyncio.create_task(shared.read_all())
    await steps()
    shared.streams[0].leave()
    await reading
    assert flood.sent == 10 * AHEAD
    assert await shared.streams[1].read() is None
