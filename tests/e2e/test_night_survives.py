"""During a running night each part of the arena is killed at a random moment: the night ends as if nothing had been."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from guandan_arena.live.ladder import RedisLadder
from guandan_arena.services.states import EventState
from guandan_arena.settings import Settings
from guandan_proto.v1 import nights_pb2
from tests import machine
from tests.house import House, eventually, house, processes_of, submit_reference_bots

pytestmark = pytest.mark.needs("broker:valkey", "database:sqlite")

BOTS = {"coin-one": "random", "coin-two": "random", "pull-one": "greedy", "pull-two": "greedy"}
ROUNDS, BOARDS = 3, 2
NIGHT_S = 120
SHORT = {
    "GUANDAN_LEASE_MS": "3000",
    "GUANDAN_LEASE_RENEW_MS": "1000",
    "GUANDAN_REAP_MS": "1000",
    "GUANDAN_REQUEUE_MS": "3000",
    "GUANDAN_MATCH_ATTEMPTS": "20",
    "GUANDAN_CLOCK_CONNECT_MS": "60000",
    "GUANDAN_CLOCK_MOVE_MS": "10000",
    "GUANDAN_NIGHT_BOARDS": str(BOARDS),
    "GUANDAN_WORKERS": "2",
}


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("night")
    sandbox = "process" if machine.missing("sandbox:bubblewrap") else "bubblewrap"
    with house(folder / "arena", GUANDAN_SANDBOX=sandbox, **SHORT) as arena:
        submit_reference_bots(arena, folder / "bots", BOTS)
        yield arena


@pytest.mark.parametrize("victims", [("server", "valkey", "worker"), ("valkey", "pool", "server")], ids=" ".join)
def test_a_night_survives_the_sudden_death_of_each_part(arena: House, victims: Sequence[str]) -> None:
    seed = int(os.environ.get("GUANDAN_TEST_SEED", random.SystemRandom().randrange(10**6)))
    print(f"GUANDAN_TEST_SEED={seed}")
    rng = random.Random(seed)
    before = ratings(arena)
    night = open_night(arena)
    for victim in victims:
        at_a_random_moment(rng)
        assert runs(arena, night)
        kill(arena, victim, rng)
    ended = eventually(lambda: over(arena, night), "the end of the night", patience_s=NIGHT_S)
    assert every_match_counts_once(ended, before, ratings(arena))
    assert "clean" in arena.run("audit")
    dump = ladder_dump(arena)
    assert "identical" in arena.run("ratings", "rebuild")
    assert ladder_dump(arena) == dump


def test_sigterm_in_the_middle_of_a_night_leaves_no_process(arena: House) -> None:
    night = open_night(arena)
    eventually(lambda: counts(arena, night)[nights_pb2.MATCH_STATE_PLAYING], "a match that is being played")
    assert arena.stop() == 0, arena.story()
    assert processes_of(str(arena.data)) == []


def open_night(arena: House) -> str:
    return arena.run("night", "--rounds", str(ROUNDS), "--boards", str(BOARDS)).strip()


def at_a_random_moment(rng: random.Random) -> None:
    moment = time.monotonic() + rng.uniform(0, 2)
    eventually(lambda: time.monotonic() > moment, "the moment")


def kill(arena: House, victim: str, rng: random.Random) -> None:
    """Kill a part, or a child in which the worker plays, and wait until another one has been started."""
    part = "worker" if victim == "pool" else victim
    pid = parent = arena.pid(part)
    if victim == "pool":
        pid = rng.choice(eventually(lambda: children_of(parent), "a pool"))
    os.kill(pid, signal.SIGKILL)
    print(f"killed {victim} {pid}")
    if victim == "pool":
        eventually(lambda: pid not in children_of(parent), "a new child of the worker")
    else:
        eventually(lambda: arena.parts[part]["pid"] not in (pid, None), f"a new {part}")


def runs(arena: House, night: str) -> bool:
    """Whether the night is not over yet."""
    with arena.store() as store, store.snapshot() as tx:
        return tx.events.get(night).state is EventState.RUNNING


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def matches_of(arena: House, night: str) -> list[nights_pb2.Match]:
    return [match for item in arena.event(night).rounds for match in item.matches]


def counts(arena: House, night: str) -> Counter[int]:
    return Counter(match.state for match in matches_of(arena, night))


def over(arena: House, night: str) -> list[nights_pb2.Match] | None:
    """The matches of the night if it is over."""
    event = arena.event(night)
    if event.event.state != nights_pb2.EVENT_STATE_OVER:
        return None
    with arena.client() as client:
        return [client.match(match.id) for item in event.rounds for match in item.matches]


def ratings(arena: House) -> dict[str, int]:
    with arena.client() as client:
        return {row.version_id: row.elo_milli for row in client.ladder(100)}


def ladder_dump(arena: House) -> bytes:
    """All of Redis' ratings in canonical bytes."""
    with closing(RedisLadder(Settings(data_dir=arena.data).broker_url)) as ladder:
        return ladder.dump()


def every_match_counts_once(matches: list[nights_pb2.Match], before: dict[str, int], after: dict[str, int]) -> bool:
    """All was played, each pairing of a round once, and the ratings moved by each match once."""
    moved: Counter[str] = Counter()
    seats = Counter()
    for match in matches:
        assert (match.state, match.ending) == (nights_pb2.MATCH_STATE_DONE, nights_pb2.MATCH_ENDING_PLAYED), match
        assert [(t.board, t.way) for t in match.tables] == [(b + 1, w) for b in range(BOARDS) for w in (0, 1)], match
        seats.update((match.round, side.version_id) for side in (match.a, match.b))
        moved[match.a.version_id] += match.delta_milli
        moved[match.b.version_id] -= match.delta_milli
    assert len(seats) == ROUNDS * len(BOTS)
    assert set(seats.values()) == {1}
    fresh = 1_500_000
    assert after == {version_id: before.get(version_id, fresh) + moved[version_id] for version_id in moved}
    return True
