"""How many matches a second the ladder takes, one after the other through one connection to a real Valkey.

The baseline is the same number of bare increments of one key in the same run.
"""

from __future__ import annotations

import random
from time import perf_counter

import redis

from guandan_arena.live.ladder import RedisLadder
from guandan_arena.services.records import MatchChange
from tests import valkey

VERSIONS = 100
MATCHES = 3000


def records(*, matches: int = MATCHES) -> list[dict[str, object]]:
    with valkey.serving() as settings:
        bare = _increments(settings.broker_url, matches)
        ladder = RedisLadder(settings.broker_url)
        ladder.enter({f"v{i}": 1_500_000 for i in range(VERSIONS)})
        changes = _changes(matches)
        began = perf_counter()
        for change in changes:
            ladder.apply(change)
        rate = matches / (perf_counter() - began)
        ladder.close()
    return [{"name": "elo_updates", "value": rate, "unit": "per second", "baseline": bare, "ratio": rate / bare}]


def _changes(matches: int) -> list[MatchChange]:
    rng = random.Random(1)
    pairs = [rng.sample(range(VERSIONS), 2) for _ in range(matches)]
    return [MatchChange("e", f"m{i}", f"v{a}", f"v{b}", rng.randint(-20_000, 20_000)) for i, (a, b) in enumerate(pairs)]


def _increments(url: str, matches: int) -> float:
    with redis.Redis.from_url(url) as client:
        began = perf_counter()
        for _ in range(matches):
            client.incr("bare")
        return matches / (perf_counter() - began)


if __name__ == "__main__":
    print(records())
