"""Every byte written to a seat's socket, over 50 matches: nothing a seat may not know is among them."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from guandan_engine import shuffle
from guandan_engine.cards import DECK, Hand
from guandan_engine.clock import Clocks
from guandan_engine.events import DealEnded, DealStarted
from guandan_engine.exchange import TableSpec
from guandan_engine.rules import load
from guandan_engine.table import Table
from guandan_engine.view import cut
from guandan_proto import codec
from guandan_runner.host import TableHost
from guandan_sdk.bot import Bot
from guandan_sdk.bots.greedy import GreedyBot
from guandan_sdk.bots.planner import PlannerBot
from guandan_sdk.bots.random import RandomBot
from guandan_sdk.client import Connection
from tests.recording import RecordingSocket, frames

MATCHES = 50
DEALS = 2
CLOCKS = Clocks(connect_ms=60_000, move_ms=60_000)
BOTS: tuple[type[Bot], ...] = (GreedyBot, RandomBot, PlannerBot)


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="gas-", dir="/tmp"))
    yield path
    shutil.rmtree(path)


async def play_recorded(number: int, folder: Path) -> tuple[Table, list[bytes]]:
    """Play a match of a few deals, tribute and all, and return the table and what was written to each seat."""
    random = Random(number)
    seeds = tuple(random.getrandbits(63) for _ in range(4))
    spec = TableSpec(f"match-{number}", load("standard"), CLOCKS, seeds, deal_limit=DEALS)
    tables = [folder / f"{number}-{seat}" for seat in range(4)]
    for path in tables:
        path.mkdir()
    host = TableHost(spec, tables, dealer=lambda deal: shuffle.deal(f"{number}/{deal}".encode(), load("standard")))
    sockets = [RecordingSocket(path / "bot.sock", path / "table.sock") for path in tables]
    await host.open()
    for socket in sockets:
        await socket.open()
    bots = [asyncio.to_thread(Connection(f"unix:{socket.here}", random.choice(BOTS)).play) for socket in sockets]
    await asyncio.gather(host.play(), *bots)
    await host.close()
    for socket in sockets:
        await socket.close()
        assert len(socket.written) == 1, "a bot connects once"
    return host.table, [bytes(socket.written[0]) for socket in sockets]


def assert_nothing_hidden(table: Table, seat: int, written: bytes) -> None:
    told = []
    for frame in frames(written):
        kind = frame.WhichOneof("frame")
        assert kind in ("welcome", "requests", "closed"), f"a frame nobody wished for: {kind}"
        if kind == "requests":
            for request in frame.requests.requests:
                told += request.events
                assert not request.HasField("view")
                asked = codec.decode_request(request, table.spec.rules)
                shown = {card for option in asked.options if option is not None for card in [option]}
                assert not shown or shown <= set(own_cards(table, seat, len(told)))
                if asked.to_beat:
                    assert asked.to_beat in [getattr(record.event, "play", None) for record in table.log[: len(told)]]
        elif kind == "closed":
            told += frame.closed.events
    expected = [codec.encode_record(type(r)(r.n, cut(r.event, seat), r.ms, r.left)) for r in table.log]
    assert told == expected


def own_cards(table: Table, seat: int, told: int) -> Hand:
    """What the seat was dealt in the deal that is on after so many events, and all it may have been given since."""
    dealt = [r.event for r in table.log[:told] if isinstance(r.event, DealStarted)][-1]
    given = [getattr(r.event, "card", None) for r in table.log[:told] if getattr(r.event, "to", None) == seat]
    hand = dealt.hands[seat]
    assert hand is not None
    return hand.plus(Hand.of(card for card in given[-1:] if card is not None))


def hidden_texts(table: Table, seat: int) -> Iterator[bytes]:
    """The other seats' dealt hands, in every form the code has for a hand."""
    for record in table.log:
        if isinstance(record.event, DealStarted):
            for other, hand in enumerate(record.event.hands):
                if other != seat and hand is not None:
                    yield codec.encode_cards(hand)
                    yield bytes(reversed(codec.encode_cards(hand)))
                    yield str(hand).encode()
                    yield ",".join(map(str, hand)).encode()
                    yield "".join(map(str, hand)).encode()


async def test_no_byte_written_to_a_seat_tells_what_it_may_not_know(folder: Path) -> None:
    tributes = 0
    for number in range(MATCHES):
        table, written = await play_recorded(number, folder)
        tributes += sum(type(record.event).__name__ == "TributePaid" for record in table.log)
        assert sum(isinstance(record.event, DealEnded) for record in table.log) == DEALS
        for seat in range(4):
            assert_nothing_hidden(table, seat, written[seat])
            assert not [text for text in hidden_texts(table, seat) if text in written[seat]]
    assert tributes, "no match had tribute, which is when cards change hands"


async def test_the_test_would_find_a_hand_that_leaks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that forgets to cut is caught both in the frames and in the bytes."""
    monkeypatch.setattr("guandan_engine.logbook.cuts", lambda event: (event,) * 4)
    table, written = await play_recorded(1000, folder)
    assert any(text in written[0] for text in hidden_texts(table, 0))
    with pytest.raises(AssertionError):
        assert_nothing_hidden(table, 0, written[0])


def test_hands_have_one_order_on_the_wire() -> None:
    """The search for hidden hands in raw bytes relies on it."""
    hand = Hand.of(reversed(DECK[10:37]))
    assert codec.encode_cards(hand) == bytes(sorted(card.index for card in hand))
