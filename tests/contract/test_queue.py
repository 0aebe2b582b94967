from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterator

import pytest
import redis

from guandan_arena.errors import Unavailable
from guandan_arena.live.queue import CHECKS, MATCHES, REMOTE_MATCHES, REMOTES, CeleryJobQueue
from guandan_arena.ports import JobQueue
from guandan_arena.settings import Settings
from tests import valkey
from tests.fakes.queue import FakeJobQueue

REAL = pytest.param("celery", marks=pytest.mark.needs("broker:valkey"))
Waiting = Callable[[], list[tuple[str, str]]]


@pytest.fixture(scope="module")
def server() -> Iterator[Settings]:
    with valkey.serving() as settings:
        yield settings


@pytest.fixture(params=["fake", REAL])
def queue(request: pytest.FixtureRequest) -> Iterator[tuple[JobQueue, Waiting]]:
    if request.param == "fake":
        fake = FakeJobQueue()
        yield fake, lambda: fake.waiting
        return
    settings: Settings = request.getfixturevalue("server")
    valkey.emptied(settings.broker_url)
    real = CeleryJobQueue(settings)
    yield real, lambda: on_the_wire(settings.broker_url)
    real.close()


def on_the_wire(url: str) -> list[tuple[str, str]]:
    """(task, id) of every message a worker would find, oldest first."""
    found = []
    with redis.Redis.from_url(url, decode_responses=True) as client:
        for name in (MATCHES, CHECKS, REMOTE_MATCHES, REMOTES):
            for text in reversed(client.lrange(f"celery:{name}", 0, -1)):
                message = json.loads(text)
                (args, _, _) = json.loads(b64decode(message["body"]))
                found.append((message["headers"]["task"], args[0]))
    return found


def test_work_is_found_by_task_name_and_id(queue: tuple[JobQueue, Waiting]) -> None:
    jobs, waiting = queue
    jobs.play_match("m1")
    jobs.play_match("m2")
    jobs.play_match("m3", remote=True)
    jobs.play_remote("g1")
    jobs.check_version("v1")
    assert sorted(waiting()) == [
        ("guandan.check_version", "v1"),
        ("guandan.play_match", "m1"),
        ("guandan.play_match", "m2"),
        ("guandan.play_match", "m3"),
        ("guandan.play_remote", "g1"),
    ]


@pytest.mark.needs("broker:valkey")
def test_a_match_with_a_remote_side_waits_where_only_workers_with_a_door_look(server: Settings) -> None:
    valkey.emptied(server.broker_url)
    jobs = CeleryJobQueue(server)
    jobs.play_match("m1")
    jobs.play_match("m2", remote=True)
    jobs.close()
    with redis.Redis.from_url(server.broker_url) as client:
        assert [client.llen(f"celery:{name}") for name in (MATCHES, REMOTE_MATCHES, REMOTES)] == [1, 1, 0]


def test_the_queue_answers(queue: tuple[JobQueue, Waiting]) -> None:
    queue[0].ping()


def test_a_broker_that_is_not_there_is_named_without_its_password() -> None:
    jobs = CeleryJobQueue(Settings(redis_url="redis://:secret@127.0.0.1:1/0"))
    for ask in (jobs.ping, lambda: jobs.play_match("m1")):
        with pytest.raises(Unavailable) as refusal:
            ask()
        assert "redis://:***@127.0.0.1:1/0" in refusal.value.reason
        assert "secret" not in refusal.value.reason
    jobs.close()


def test_what_is_told_of_a_task_that_could_not_be_queued_is_true() -> None:
    jobs = CeleryJobQueue(Settings(redis_url="redis://127.0.0.1:1/0"))
    for ask, hint in ((jobs.play_match, "queued again by the reaper"), (jobs.play_remote, "ask again")):
        with pytest.raises(Unavailable) as refusal:
            ask("x1")
        assert hint in refusal.value.hint
    jobs.close()
