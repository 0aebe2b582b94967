from __future__ import annotations

import random
import threading
from collections.abc import Iterator

import pytest

from guandan_arena.errors import Unavailable
from guandan_arena.live.ladder import RedisLadder
from guandan_arena.ports import Ladder
from guandan_arena.services.records import MatchChange
from guandan_arena.settings import Settings
from tests import valkey
from tests.fakes.ladder import FakeLadder

REAL = pytest.param("redis", marks=pytest.mark.needs("broker:valkey"))


@pytest.fixture(scope="module")
def server() -> Iterator[Settings]:
    with valkey.serving() as settings:
        yield settings


@pytest.fixture(params=["fake", REAL])
def ladder(request: pytest.FixtureRequest) -> Iterator[Ladder]:
    if request.param == "fake":
        yield FakeLadder()
        return
    settings: Settings = request.getfixturevalue("server")
    valkey.emptied(settings.broker_url)
    real = RedisLadder(settings.broker_url)
    yield real
    real.close()


def change(match: str, a: str, b: str, delta: int, *, event: str = "e1") -> MatchChange:
    return MatchChange(event_id=event, match_id=match, a=a, b=b, delta_milli=delta)


def test_what_a_gains_b_loses(ladder: Ladder) -> None:
    ladder.enter({"a": 1_500_000, "b": 1_600_000})
    assert ladder.apply(change("m1", "a", "b", 12_801))
    assert ladder.rating("a") == 1_512_801
    assert ladder.rating("b") == 1_587_199


def test_a_match_counts_once_however_often_it_is_applied(ladder: Ladder) -> None:
    ladder.enter({"a": 1_500_000, "b": 1_500_000})
    assert [ladder.apply(change("m1", "a", "b", -7)) for _ in range(3)] == [True, False, False]
    assert ladder.rating("a") == 1_499_993
    assert ladder.applied("e1") == {"m1": -7}
    assert ladder.applied("e2") == {}


def test_entering_again_keeps_the_rating_that_was_earned(ladder: Ladder) -> None:
    ladder.enter({"a": 1_500_000, "b": 1_500_000})
    ladder.apply(change("m1", "a", "b", 20_000))
    ladder.enter({"a": 1_500_000, "c": 1_400_000})
    assert ladder.rating("a") == 1_520_000
    assert ladder.rating("c") == 1_400_000


def test_a_version_that_never_entered_has_no_rating_and_cannot_be_moved(ladder: Ladder) -> None:
    ladder.enter({"a": 1_500_000})
    assert ladder.rating("b") is None
    with pytest.raises(Unavailable) as refusal:
        ladder.apply(change("m1", "a", "b", 5))
    assert refusal.value.code == "ladder_incomplete"
    assert ladder.rating("a") == 1_500_000
    assert ladder.applied("e1") == {}


def test_the_leaderboard_stands_by_rating_and_equals_in_order_of_id(ladder: Ladder) -> None:
    ladder.enter({"d": 1_000, "b": 3_000, "a": 2_000, "c": 2_000, "e": -5})
    assert tuple(ladder.top(limit=10)) == (("b", 3_000), ("a", 2_000), ("c", 2_000), ("d", 1_000), ("e", -5))
    assert tuple(ladder.top(limit=2, offset=1)) == (("a", 2_000), ("c", 2_000))
    assert tuple(ladder.top(limit=0)) == ()


def test_any_order_of_the_same_changes_ends_in_the_same_bytes(ladder: Ladder) -> None:
    versions = {f"v{i}": 1_500_000 for i in range(6)}
    rng = random.Random(4)
    changes = [
        change(f"m{i}", *rng.sample(sorted(versions), 2), rng.randint(-40_000, 40_000), event=f"e{i % 3}")
        for i in range(60)
    ]
    dumps = set()
    for _ in range(3):
        ladder.rebuild(versions, [])
        rng.shuffle(changes)
        for item in changes + changes[:20]:
            ladder.apply(item)
        dumps.add(ladder.dump())
        assert sum(milli for _, milli in ladder.top(limit=99)) == 6 * 1_500_000
    assert len(dumps) == 1


def test_a_rebuild_from_the_same_results_gives_identical_bytes(ladder: Ladder) -> None:
    ladder.enter({"a": 1_500_000, "b": 1_500_000, "c": 1_500_000})
    changes = [change("m1", "a", "b", 20_000), change("m2", "c", "a", -9_001, event="e2")]
    for item in changes:
        ladder.apply(item)
    before = ladder.dump()
    ladder.rebuild({"a": 1_529_001, "b": 1_480_000, "c": 1_490_999}, reversed(changes))
    assert ladder.dump() == before
    assert before == (b"elo a 1529001\nelo b 1480000\nelo c 1490999\ndone e1 m1 20000\ndone e2 m2 -9001\n")


def test_a_rebuild_drops_what_is_not_in_it_and_matches_it_holds_do_not_count_again(ladder: Ladder) -> None:
    ladder.enter({"a": 1, "gone": 2})
    ladder.rebuild({"a": 1_500_000, "b": 1_500_000}, [change("m1", "a", "b", 0)])
    assert ladder.rating("gone") is None
    assert not ladder.apply(change("m1", "a", "b", 20_000))
    assert ladder.apply(change("m2", "a", "b", 20_000))
    assert ladder.applied("e1") == {"m1": 0, "m2": 20_000}


def test_an_empty_ladder_is_empty_bytes(ladder: Ladder) -> None:
    assert ladder.dump() == b""
    ladder.rebuild({}, [])
    assert ladder.dump() == b""
    ladder.ping()


@pytest.mark.needs("broker:valkey")
def test_workers_that_all_apply_every_match_at_once_count_each_once(server: Settings) -> None:
    valkey.emptied(server.broker_url)
    ladders = [RedisLadder(server.broker_url) for _ in range(3)]
    ladders[0].enter({f"v{i}": 1_500_000 for i in range(4)})
    changes = [change(f"m{i}", f"v{i % 4}", f"v{(i + 1) % 4}", i) for i in range(100)]
    counted: list[int] = []

    def work(ladder: RedisLadder, seed: int) -> None:
        counted.append(sum(ladder.apply(item) for item in random.Random(seed).sample(changes, k=100)))

    threads = [threading.Thread(target=work, args=(ladder, i)) for i, ladder in enumerate(ladders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counted) == 100
    assert sum(milli for _, milli in ladders[1].top(limit=9)) == 6_000_000
    for ladder in ladders:
        ladder.close()


@pytest.mark.needs("broker:valkey")
def test_a_worker_that_missed_a_rebuild_writes_to_the_new_ladder_only(server: Settings) -> None:
    valkey.emptied(server.broker_url)
    stale, other = RedisLadder(server.broker_url), RedisLadder(server.broker_url)
    stale.enter({"a": 1, "b": 2})
    other.rebuild({"a": 1_500_000, "b": 1_500_000}, [])
    assert stale.apply(change("m1", "a", "b", 5))
    assert other.rating("a") == stale.rating("a") == 1_500_005
    stale.close()
    other.close()


@pytest.mark.needs("broker:valkey")
def test_a_rebuild_leaves_no_key_of_the_old_ladder_and_none_that_expires(server: Settings) -> None:
    import redis

    valkey.emptied(server.broker_url)
    ladder = RedisLadder(server.broker_url)
    ladder.enter({"a": 1, "b": 2})
    ladder.apply(change("m1", "a", "b", 5))
    ladder.rebuild({"a": 6, "b": -3}, [change("m1", "a", "b", 5)])
    with redis.Redis.from_url(server.broker_url, decode_responses=True) as client:
        keys = sorted(client.keys("*"))
        assert keys == [
            "{ladder}:1:done:e1",
            "{ladder}:1:elo",
            "{ladder}:1:events",
            "{ladder}:epoch",
            "{ladder}:epochs",
        ]
        assert {client.ttl(key) for key in keys} == {-1}
    ladder.close()


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    ladder = RedisLadder("redis://user:secret@127.0.0.1:1/0")
    with pytest.raises(Unavailable) as refusal:
        ladder.ping()
    assert refusal.value.code == "redis_unavailable"
    assert "redis://user:***@127.0.0.1:1/0" in refusal.value.reason
    assert "secret" not in refusal.value.reason
    ladder.close()
