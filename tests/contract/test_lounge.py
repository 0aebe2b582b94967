"""What every lounge must keep: one game of an account at a time, taken once, its notices in order."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from guandan_arena.live.lounge import RedisLounge
from guandan_arena.ports import Lounge
from guandan_arena.settings import Settings
from tests import valkey
from tests.fakes.lounge import FakeLounge

REAL = pytest.param("redis", marks=pytest.mark.needs("broker:valkey"))
LONG_MS = 60_000


@pytest.fixture(scope="module")
def server() -> Iterator[Settings]:
    with valkey.serving() as settings:
        yield settings


@pytest.fixture(params=["fake", REAL])
def lounge(request: pytest.FixtureRequest) -> Iterator[Lounge]:
    if request.param == "fake":
        yield FakeLounge()
        return
    settings: Settings = request.getfixturevalue("server")
    valkey.emptied(settings.broker_url)
    real = RedisLounge(settings.broker_url)
    yield real
    real.disconnect()


def test_an_account_has_one_game_under_way(lounge: Lounge) -> None:
    assert lounge.open("ada", "g1", "{}", expire_ms=LONG_MS)
    assert not lounge.open("ada", "g2", "{}", expire_ms=LONG_MS)
    assert lounge.open("bob", "g3", "{}", expire_ms=LONG_MS)
    assert lounge.take("g2", expire_ms=LONG_MS) is None
    assert lounge.hold("ada", "g1", expire_ms=LONG_MS)
    assert lounge.is_held("ada", "g1")
    lounge.release("ada", "g2")
    assert lounge.is_held("ada", "g1")
    lounge.release("ada", "g1")
    assert not lounge.is_held("ada", "g1")
    assert lounge.open("ada", "g2", "{}", expire_ms=LONG_MS)


def test_a_game_is_taken_once(lounge: Lounge) -> None:
    lounge.open("ada", "g1", '{"boards":1}', expire_ms=LONG_MS)
    assert lounge.take("g1", expire_ms=LONG_MS) == '{"boards":1}'
    assert lounge.is_held("ada", "g1")
    assert lounge.take("g1", expire_ms=LONG_MS) is None


def test_a_game_that_was_given_up_is_held_and_taken_no_more(lounge: Lounge) -> None:
    lounge.open("ada", "g1", "{}", expire_ms=LONG_MS)
    lounge.release("ada", "g1")
    assert not lounge.hold("ada", "g1", expire_ms=LONG_MS)
    assert not lounge.is_held("ada", "g1")
    assert lounge.open("ada", "g2", "{}", expire_ms=LONG_MS)
    assert lounge.take("g1", expire_ms=LONG_MS) is None
    assert not lounge.hold("ada", "g1", expire_ms=LONG_MS)
    lounge.release("ada", "g1")
    assert lounge.is_held("ada", "g2")
    assert not lounge.open("ada", "g3", "{}", expire_ms=LONG_MS)


@pytest.mark.needs("broker:valkey")
def test_a_hold_lasts_as_long_as_the_worker_last_said(server: Settings) -> None:
    valkey.emptied(server.broker_url)
    lounge = RedisLounge(server.broker_url)
    lounge.open("ada", "g1", "{}", expire_ms=10 * LONG_MS)
    with redis.Redis.from_url(server.broker_url) as client:
        for renew in (lounge.take("g1", expire_ms=LONG_MS), lounge.hold("ada", "g1", expire_ms=LONG_MS)):
            assert renew
            assert 0 < client.pttl("{lounge}:account:ada") <= LONG_MS
    lounge.disconnect()


def test_notices_are_read_in_order_from_where_the_reader_left_off(lounge: Lounge) -> None:
    lounge.tell("g1", "one")
    lounge.tell("g1", "two")
    lounge.tell("g2", "another game's")
    first = lounge.read("g1", wait_ms=10)
    assert [entry.line for entry in first] == ["one", "two"]
    lounge.tell("g1", "three")
    assert [entry.line for entry in lounge.read("g1", after=first[-1].id)] == ["three"]
    assert lounge.read("g3", wait_ms=1) == ()
