"""A referee's ruling reaches a table that real streams play, between two moves, once."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from guandan_arena.services import rulings
from guandan_engine.conduct import Offence, Sanction
from guandan_engine.conduct.rulings import APPLIED, RefereeRuling
from guandan_engine.events import DealEnded, Sanctioned
from guandan_engine.exchange import TableSpec
from guandan_engine.replay import verify
from guandan_engine.rules import load
from guandan_engine.shuffle import board
from guandan_runner.host import TableHost
from guandan_sdk.bots.greedy import GreedyBot
from guandan_sdk.client import Connection
from guandan_workers.referee import ArenaReferee
from tests.fakes.rulings import FakeRulings
from tests.seating import PATIENT
from tests.umpiring import replay_of

TABLE = "m1-1-1a"


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="gar-", dir="/tmp"))
    yield path
    shutil.rmtree(path)


class SignallingRulings(FakeRulings):
    """Rulings that say when one has been answered."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = threading.Event()

    def answer(self, table_id: str, ruling_id: str, answer: str) -> None:
        super().answer(table_id, ruling_id, answer)
        self.answered.set()


async def play(folder: Path, ways: SignallingRulings) -> TableHost:
    """Play a board with four bots, each of which waits with its first play until a ruling has been answered."""

    class Waiting(GreedyBot):
        def play(self, view, options):
            assert ways.answered.wait(20)
            return super().play(view, options)

    rules = load("standard")
    spec = TableSpec(TABLE, rules, PATIENT, board=board(b"referee", rules))
    folders = [folder / str(seat) for seat in range(4)]
    for path in folders:
        path.mkdir()
    host = TableHost(spec, folders)
    await host.open()
    bots = [asyncio.to_thread(Connection(f"unix:{path}/table.sock", Waiting).play) for path in folders]
    async with ArenaReferee(ways).hearing(TABLE, host.rule):
        await asyncio.gather(host.play(), *bots)
    await host.close()
    return host


def made(ruling_id: str, sanction: Sanction, **fields: object) -> str:
    given = {"seat": 1, "offence": Offence.SIGNAL, "reason": "a sign to the partner"} | fields
    return rulings.text_of(RefereeRuling(id=ruling_id, sanction=sanction, **given))


async def test_a_ruling_is_carried_out_while_the_bots_think_and_shown_in_the_replay(folder: Path) -> None:
    ways = SignallingRulings()
    ways.put(TABLE, made("g1", Sanction.WARN))
    host = await play(folder, ways)
    told = [record.event for record in host.table.log if isinstance(record.event, Sanctioned)]
    assert [(event.seat, event.sanction, event.referee, event.reason) for event in told] == [
        (1, "warn", True, "a sign to the partner")
    ]
    assert ways.answer_to(TABLE, "g1") == APPLIED
    assert verify(replay_of(host.table)).records[-1].event == host.table.result


async def test_a_ruling_that_ends_the_board_ends_the_table_for_all_bots(folder: Path) -> None:
    ways = SignallingRulings()
    ways.put(TABLE, made("g1", Sanction.LOSE_DEAL))
    host = await play(folder, ways)
    assert host.table.result.side == 0
    assert [type(record.event) for record in host.table.log[1:3]] == [Sanctioned, DealEnded]


async def test_what_is_no_ruling_is_passed_over_and_what_cannot_be_is_answered_with_the_reason(folder: Path) -> None:
    ways = SignallingRulings()
    ways.put(TABLE, "nonsense")
    ways.put(TABLE, made("g1", Sanction.FOUL, leader=3))
    host = await play(folder, ways)
    assert "same side" in ways.answer_to(TABLE, "g1")
    assert not any(isinstance(record.event, Sanctioned) for record in host.table.log)
