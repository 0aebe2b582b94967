"""What every way of rulings to a table must keep: order, tables apart, one answer to each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from guandan_arena.live.rulings import RedisRulings
from guandan_arena.ports import Rulings
from guandan_arena.settings import Settings
from tests import valkey
from tests.fakes.rulings import FakeRulings

REAL = pytest.param("redis", marks=pytest.mark.needs("broker:valkey"))


@pytest.fixture(scope="module")
def server() -> Iterator[Settings]:
    with valkey.serving() as settings:
        yield settings


@pytest.fixture(params=["fake", REAL])
def rulings(request: pytest.FixtureRequest) -> Iterator[Rulings]:
    if request.param == "fake":
        yield FakeRulings()
        return
    settings: Settings = request.getfixturevalue("server")
    valkey.emptied(settings.broker_url)
    real = RedisRulings(settings.broker_url)
    yield real
    real.disconnect()


def test_rulings_are_read_in_order_from_where_the_table_left_off(rulings: Rulings) -> None:
    rulings.put("t1", "one")
    rulings.put("t1", "two")
    first = rulings.read("t1")
    rulings.put("t1", "three")
    assert [entry.line for entry in first] == ["one", "two"]
    assert [entry.line for entry in rulings.read("t1", after=first[-1].id)] == ["three"]
    assert [entry.line for entry in rulings.read("t1", after=first[0].id)] == ["two", "three"]


def test_a_table_hears_only_its_own(rulings: Rulings) -> None:
    rulings.put("t1", "one")
    assert rulings.read("t2") == ()


def test_there_is_no_answer_until_one_is_given_and_the_first_stands(rulings: Rulings) -> None:
    rulings.put("t1", "one")
    assert rulings.answer_to("t1", "g1") is None
    rulings.answer("t1", "g1", "applied")
    rulings.answer("t1", "g1", "refused")
    assert rulings.answer_to("t1", "g1") == "applied"
    assert rulings.answer_to("t2", "g1") is None
    assert rulings.answer_to("t1", "g2") is None
