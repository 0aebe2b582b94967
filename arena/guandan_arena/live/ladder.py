"""The ladder in Redis: whole milli-Elo, each match applied at most once, all of it replaceable in one step.

Keys, all under one hash tag, so that a cluster keeps them on one node:

    {ladder}:epoch                  the epoch in force
    {ladder}:<epoch>:elo            sorted set: version id by NEGATED milli-Elo, so that equals stand in order of id
    {ladder}:<epoch>:events         set: events with applied matches
    {ladder}:<epoch>:done:<event>   hash: match id to applied delta

A rebuild writes a new epoch beside the old one and then moves the epoch key, so readers see the old ladder or the new
one, never a part of each; a client that still believes in the old epoch is told so, and its script writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from redis.client import Pipeline
from redis.commands.core import Script

from guandan_arena.errors import Unavailable
from guandan_arena.live import connection
from guandan_arena.services.records import MatchChange

_TAG: Final = "{ladder}"
_EPOCH: Final = f"{_TAG}:epoch"
_EPOCHS: Final = f"{_TAG}:epochs"
_CHUNK: Final = 1000
_Keys: TypeAlias = Callable[[str], str]
_UNFINISHED_S: Final = 3600
"""How long the keys of a rebuild that never came to its end stay."""

# KEYS: epoch, elo, done, events. ARGV: epoch, event, match, a, b, delta, -delta. Checks all before the first write,
# because a script is not rolled back. Answers are texts, because numbers returned from Lua lose their fraction.
_APPLY: Final = """
local epoch = redis.call('GET', KEYS[1]) or '0'
if epoch ~= ARGV[1] then return 'epoch ' .. epoch end
if redis.call('HEXISTS', KEYS[3], ARGV[3]) == 1 then return 'known' end
if not (redis.call('ZSCORE', KEYS[2], ARGV[4]) and redis.call('ZSCORE', KEYS[2], ARGV[5])) then return 'unrated' end
redis.call('HSET', KEYS[3], ARGV[3], ARGV[6])
redis.call('SADD', KEYS[4], ARGV[2])
redis.call('ZINCRBY', KEYS[2], ARGV[7], ARGV[4])
redis.call('ZINCRBY', KEYS[2], ARGV[6], ARGV[5])
return 'applied'
"""

# KEYS: epoch, elo. ARGV: epoch, then pairs of negated milli-Elo and version.
_ENTER: Final = """
local epoch = redis.call('GET', KEYS[1]) or '0'
if epoch ~= ARGV[1] then return 'epoch ' .. epoch end
for i = 2, #ARGV, 2 do redis.call('ZADD', KEYS[2], 'NX', ARGV[i], ARGV[i + 1]) end
return 'entered'
"""


class RedisLadder:
    """The ladder on a Redis-protocol server, version 6 or later."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client = connection.connect(url)
        self._apply = self._client.register_script(_APPLY)
        self._enter = self._client.register_script(_ENTER)
        self._epoch = "0"

    def apply(self, change: MatchChange) -> bool:
        """Move both ratings by one match; False when it was applied before.

        Raises Unavailable (code ``ladder_incomplete``) when a version has no rating: the server has lost its data.
        """
        delta = int(change.delta_milli)
        rest: list[str | int] = [change.event_id, change.match_id, change.a, change.b, delta, -delta]
        answer = self._run(self._apply, (f"done:{change.event_id}", "events"), rest)
        if answer == "unrated":
            raise Unavailable(
                "ladder_incomplete",
                f"{change.a} or {change.b} has no rating in Redis",
                "run `guandan-arena ratings rebuild`",
            )
        return answer == "applied"

    def enter(self, versions: Mapping[str, int]) -> None:
        """Give these versions their starting milli-Elo, unless they already have a rating."""
        items = sorted(versions.items())
        for start in range(0, len(items), _CHUNK):
            self._run(self._enter, (), [x for v, elo in items[start : start + _CHUNK] for x in (-int(elo), v)])

    def top(self, *, limit: int, offset: int = 0) -> Sequence[tuple[str, int]]:
        """Return (version id, milli-Elo), best first; equal ratings in order of id."""
        if limit <= 0:
            return ()
        (rows,) = self._read(lambda pipe, key: pipe.zrange(key("elo"), offset, offset + limit - 1, withscores=True))
        return tuple((version, -int(score)) for version, score in rows)

    def rating(self, version_id: str) -> int | None:
        """Return a version's milli-Elo, or None when it has never entered."""
        (score,) = self._read(lambda pipe, key: pipe.zscore(key("elo"), version_id))
        return None if score is None else -int(score)

    def applied(self, event_id: str) -> Mapping[str, int]:
        """Return the delta applied for every match id of an event."""
        (done,) = self._read(lambda pipe, key: pipe.hgetall(key(f"done:{event_id}")))
        return {match: int(delta) for match, delta in done.items()}

    def rebuild(self, ratings: Mapping[str, int], changes: Iterable[MatchChange]) -> None:
        """Replace all ratings (those after all changes) and all applied deltas in one step."""
        done: dict[str, dict[str, int]] = {}
        for change in changes:
            done.setdefault(change.event_id, {})[change.match_id] = int(change.delta_milli)
        with connection.answering(self._url):
            epoch = str(self._client.incr(_EPOCHS))
            self._write_beside(epoch, ratings, done)
            self._move_to(epoch, done)
        self._epoch = epoch

    def dump(self) -> bytes:
        """Return ratings and applied deltas in one canonical text, so that two states can be compared byte by byte."""
        while True:
            events = sorted(self._read(lambda pipe, key: pipe.smembers(key("events")))[0])
            rows, again, *hashes = self._read(partial(_ask_all, events=events))
            if sorted(again) == events:
                break
        elo = sorted((version, -int(score)) for version, score in rows)
        lines = [f"elo {version} {milli}\n" for version, milli in elo]
        for event, done in zip(events, hashes, strict=True):
            lines += [f"done {event} {match} {int(delta)}\n" for match, delta in sorted(done.items())]
        return "".join(lines).encode()

    def ping(self) -> None:
        """Raise Unavailable, naming the URL without its password, when the server does not answer."""
        connection.ping(self._url)

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def _keys(self) -> _Keys:
        """Return how keys are named in the epoch last seen."""
        epoch = self._epoch
        return lambda name: f"{_TAG}:{epoch}:{name}"

    def _run(self, script: Script, names: Sequence[str], values: Sequence[str | int]) -> str:
        """Run a writing script in the epoch in force."""
        with connection.answering(self._url):
            while True:
                key = self._keys()
                answer = str(script(keys=[_EPOCH, key("elo"), *map(key, names)], args=[self._epoch, *values]))
                if not answer.startswith("epoch "):
                    return answer
                self._epoch = answer.removeprefix("epoch ")

    def _read(self, ask: Callable[[Pipeline, _Keys], object]) -> list[Any]:
        """Read in one transaction from the epoch in force."""
        with connection.answering(self._url):
            while True:
                pipe = self._client.pipeline(transaction=True)
                pipe.get(_EPOCH)
                ask(pipe, self._keys())
                epoch, *answers = pipe.execute()
                if (epoch or "0") == self._epoch:
                    return answers
                self._epoch = epoch or "0"

    def _write_beside(self, epoch: str, ratings: Mapping[str, int], done: Mapping[str, Mapping[str, int]]) -> None:
        """Write a new epoch's keys, which nobody reads yet and which expire if the rebuild dies here."""
        prefix = f"{_TAG}:{epoch}"
        pipe = self._client.pipeline(transaction=False)
        items = sorted(ratings.items())
        for start in range(0, len(items), _CHUNK):
            pipe.zadd(f"{prefix}:elo", {version: -int(elo) for version, elo in items[start : start + _CHUNK]})
        for event, deltas in done.items():
            pipe.hset(f"{prefix}:done:{event}", mapping={match: delta for match, delta in deltas.items()})  # noqa: C416 - widens the key's type
        if done:
            pipe.sadd(f"{prefix}:events", *done)
        for name in _names(done):
            pipe.expire(f"{prefix}:{name}", _UNFINISHED_S)
        pipe.execute()

    def _move_to(self, epoch: str, done: Iterable[str]) -> None:
        """Put a written epoch in force and drop the one before, all in one transaction."""
        with self._client.pipeline(transaction=True) as pipe:
            old = str(self._client.get(_EPOCH) or "0")
            events = self._client.smembers(f"{_TAG}:{old}:events")
            for name in _names(done):
                pipe.persist(f"{_TAG}:{epoch}:{name}")
            pipe.set(_EPOCH, epoch)
            pipe.unlink(*(f"{_TAG}:{old}:{name}" for name in _names(map(str, events))))
            pipe.execute()


def _names(events: Iterable[str]) -> list[str]:
    """Return the names of all keys of an epoch."""
    return ["elo", "events", *(f"done:{event}" for event in events)]


def _ask_all(pipe: Pipeline, key: _Keys, *, events: Iterable[str]) -> None:
    """Ask for the whole ladder."""
    pipe.zrange(key("elo"), 0, -1, withscores=True)
    pipe.smembers(key("events"))
    for event in events:
        pipe.hgetall(key(f"done:{event}"))
