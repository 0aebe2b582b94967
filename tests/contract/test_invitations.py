"""What the way of an invitation must keep: each bot its own, in order, for one attendant at a time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from guandan_arena.live.invitations import RedisInvitations
from guandan_arena.ports import Invitations
from guandan_arena.settings import Settings
from tests import valkey
from tests.fakes.invitations import FakeInvitations

REAL = pytest.param("redis", marks=pytest.mark.needs("broker:valkey"))
LONG_MS = 60_000


@pytest.fixture(scope="module")
def server() -> Iterator[Settings]:
    with valkey.serving() as settings:
        yield settings


@pytest.fixture(params=["fake", REAL])
def invitations(request: pytest.FixtureRequest) -> Iterator[Invitations]:
    if request.param == "fake":
        yield FakeInvitations()
        return
    settings: Settings = request.getfixturevalue("server")
    valkey.emptied(settings.broker_url)
    real = RedisInvitations(settings.broker_url)
    yield real
    real.disconnect()


def test_the_newest_attendant_of_a_bot_is_its_only_one(invitations: Invitations) -> None:
    invitations.attend("owl", "first", expire_ms=LONG_MS)
    assert invitations.attends("owl", "first", expire_ms=LONG_MS)
    invitations.attend("owl", "second", expire_ms=LONG_MS)
    invitations.attend("fox", "third", expire_ms=LONG_MS)
    assert not invitations.attends("owl", "first", expire_ms=LONG_MS)
    assert invitations.attends("owl", "second", expire_ms=LONG_MS)


def test_an_attendant_stays_one_though_all_was_lost(invitations: Invitations) -> None:
    assert invitations.attends("owl", "first", expire_ms=LONG_MS)
    assert not invitations.attends("owl", "second", expire_ms=LONG_MS)


def test_invitations_are_read_in_order_by_their_bot_only(invitations: Invitations) -> None:
    for bot, text in (("owl", "one"), ("owl", "two"), ("fox", "another's")):
        invitations.put(bot, text, expire_ms=LONG_MS)
    first = invitations.read("owl")
    assert [entry.line for entry in first] == ["one", "two"]
    invitations.put("owl", "three", expire_ms=LONG_MS)
    assert [entry.line for entry in invitations.read("owl", after=first[-1].id)] == ["three"]
    assert invitations.read("owl-2") == ()


@pytest.mark.needs("broker:valkey")
def test_no_ticket_outlives_the_time_it_is_good(server: Settings) -> None:
    real = RedisInvitations(server.broker_url)
    real.put("hen", "a ticket", expire_ms=1)
    while real.read("hen"):  # ends when the server has forgotten it, at most a moment later
        pass
    real.disconnect()
