from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from guandan_arena.live.streams import RedisTableStreams
from guandan_arena.ports import TableStreams
from guandan_arena.settings import Settings
from tests import valkey
from tests.fakes.streams import FakeTableStreams

REAL = pytest.param("redis", marks=pytest.mark.needs("broker:valkey"))


@pytest.fixture(scope="module")
def server() -> Iterator[Settings]:
    with valkey.serving() as settings:
        yield settings


@pytest.fixture(params=["fake", REAL])
def streams(request: pytest.FixtureRequest) -> Iterator[TableStreams]:
    if request.param == "fake":
        yield FakeTableStreams(longest=5)
        return
    settings: Settings = request.getfixturevalue("server")
    valkey.emptied(settings.broker_url)
    real = RedisTableStreams(settings.broker_url, longest=5)
    yield real
    real.disconnect()


def lines(streams: TableStreams, table: str, **how: object) -> list[str]:
    return [entry.line for entry in streams.read(table, **how)]  # type: ignore[arg-type]


def test_lines_are_read_in_order_from_where_the_reader_left_off(streams: TableStreams) -> None:
    streams.append("t1", ["one", "two"])
    first = streams.read("t1")
    streams.append("t1", ["three"])
    assert [e.line for e in first] == ["one", "two"]
    assert lines(streams, "t1", after=first[-1].id) == ["three"]
    assert lines(streams, "t1", after=first[0].id, limit=1) == ["two"]


def test_tables_do_not_mix_and_an_unknown_table_is_empty(streams: TableStreams) -> None:
    streams.append("t1", ["one"])
    assert lines(streams, "t2") == []
    assert not streams.is_closed("t2")


def test_adding_nothing_changes_nothing(streams: TableStreams) -> None:
    streams.append("t1", [])
    assert lines(streams, "t1") == []


def test_a_closed_stream_keeps_its_lines_and_says_so(streams: TableStreams) -> None:
    streams.append("t1", ["one"])
    assert not streams.is_closed("t1")
    streams.close("t1")
    assert streams.is_closed("t1")
    assert lines(streams, "t1") == ["one"]


def test_a_second_attempt_at_a_table_opens_its_stream_again(streams: TableStreams) -> None:
    streams.append("t1", ["one"])
    streams.close("t1")
    streams.append("t1", ["again"])
    assert not streams.is_closed("t1")
    assert lines(streams, "t1") == ["one", "again"]


def test_only_the_newest_lines_are_kept(streams: TableStreams) -> None:
    streams.append("t1", [str(n) for n in range(8)])
    assert lines(streams, "t1") == ["3", "4", "5", "6", "7"]


def test_a_line_may_hold_any_text(streams: TableStreams) -> None:
    line = '{"e":"play","as":"逢人配","note":"\\n\\u0000"}'
    streams.append("t1", [line])
    assert lines(streams, "t1") == [line]


@pytest.mark.needs("broker:valkey")
def test_a_waiting_reader_is_woken_by_a_line_and_by_the_end(server: Settings) -> None:
    valkey.emptied(server.broker_url)
    streams = RedisTableStreams(server.broker_url)
    seen: list[list[str]] = []

    def watch() -> None:
        entries = streams.read("t1", wait_ms=60_000)
        seen.append([e.line for e in entries])
        seen.append([e.line for e in streams.read("t1", after=entries[-1].id, wait_ms=60_000)])

    watcher = threading.Thread(target=watch)
    watcher.start()
    streams.append("t1", ["one"])
    while not seen and watcher.is_alive():
        watcher.join(0.01)
    streams.close("t1")
    watcher.join(30)
    assert seen == [["one"], []]
    streams.disconnect()


@pytest.mark.needs("broker:valkey")
def test_a_stream_never_stays_for_ever(server: Settings) -> None:
    import redis

    valkey.emptied(server.broker_url)
    streams = RedisTableStreams(server.broker_url)
    with redis.Redis.from_url(server.broker_url) as client:
        streams.append("t1", ["one"])
        assert 0 < client.ttl("table:t1") <= 24 * 3600
        streams.close("t1")
        assert 0 < client.ttl("table:t1") <= 600
    streams.disconnect()


def test_a_table_goes_on_when_nobody_keeps_its_live_lines(caplog: pytest.LogCaptureFixture) -> None:
    streams = RedisTableStreams("redis://:secret@127.0.0.1:1/0")
    streams.append("t1", ["one"])
    streams.close("t1")
    assert "live lines of table t1 are lost" in caplog.text
    assert "secret" not in caplog.text
    streams.disconnect()
