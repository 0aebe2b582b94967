"""A table whose own process stands still: that time is ours and costs no bot anything."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from guandan_engine.clock import Clocks
from guandan_engine.conduct import Verdict
from guandan_engine.exchange import TableSpec
from guandan_engine.rules import load
from guandan_engine.shuffle import board
from guandan_engine.table import Table
from guandan_engine.view import SeatView
from guandan_runner.host import TableHost
from guandan_sdk.bot import Choice, Options
from guandan_sdk.bots.greedy import GreedyBot
from guandan_sdk.client import Connection

HOUR_NS = 3_600_000_000_000
CLOCKS = Clocks(connect_ms=60_000, move_ms=60_000)


class Clock:
    """The real clock, which has lost an hour at once for each time that this machine stood still."""

    def __init__(self) -> None:
        self.stood_still = 0

    def now_ns(self) -> int:
        return time.monotonic_ns() + self.stood_still * HOUR_NS


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="gst-", dir="/tmp"))
    yield path
    shutil.rmtree(path)


async def played(folder: Path, clock: Clock) -> Table:
    class Stopped(GreedyBot):
        """Answers at once, but each time the table stands still before it reads the answer."""

        def play(self, view: SeatView, options: Options) -> Choice:
            clock.stood_still += 1
            return super().play(view, options)

    spec = TableSpec("t", load("standard"), CLOCKS, (1, 2, 3, 4), board=board(b"stalled", load("standard")))
    folders = [folder / str(seat) for seat in range(4)]
    for path in folders:
        path.mkdir()
    host = TableHost(spec, folders, clock_ns=clock.now_ns)
    await host.open()
    bots = [asyncio.to_thread(Connection(f"unix:{path / 'table.sock'}", Stopped).play) for path in folders]
    await asyncio.gather(host.play(), *bots)
    await host.close()
    return host.table


def test_a_bot_that_answered_while_the_table_stood_still_is_not_late(folder: Path) -> None:
    clock = Clock()
    table = asyncio.run(played(folder, clock))
    assert clock.stood_still > 20
    assert set(table.verdicts) == {Verdict.OK}
    assert max(decision.ms for timed in table.timed for decision in timed) < CLOCKS.move_ms
