"""Connections to a Redis-protocol server, and what a failure of one is called."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

import redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

from guandan_arena.errors import Unavailable
from guandan_arena.urls import masked

_PATIENT: Final = 12
"""Tries of a call that must not be lost: about 9 seconds, long enough for a killed server to be started again."""


def connect(url: str, *, patient: bool = True) -> redis.Redis:
    """Return a client of a redis-py URL; nothing is sent yet. ``patient`` calls outlast a restart of the server."""
    return redis.Redis.from_url(
        url,
        decode_responses=True,
        socket_connect_timeout=5,
        socket_timeout=15,
        health_check_interval=30,
        retry=Retry(ExponentialBackoff(cap=1, base=0.05), _PATIENT if patient else 0),
    )


@contextmanager
def answering(url: str) -> Iterator[None]:
    """Turn a lost or refused connection into Unavailable, naming the URL without its password."""
    try:
        yield
    except (redis.ConnectionError, redis.TimeoutError) as error:
        raise Unavailable(
            "redis_unavailable",
            f"Redis at {masked(url)} does not answer: {error}",
            "start it, or correct REDIS_URL; without REDIS_URL `guandan-arena up` starts an embedded server",
        ) from error


def ping(url: str) -> None:
    """Ask the server for a sign of life, once; raise Unavailable when there is none."""
    with answering(url), connect(url, patient=False) as client:
        client.ping()


def celery_url(url: str) -> str:
    """Write a redis-py URL as Celery wants it: a unix socket is ``redis+socket://`` with a virtual host."""
    parts = urlsplit(url)
    if parts.scheme != "unix":
        return url
    database = parse_qs(parts.query).get("db", ["0"])[0]
    return f"redis+socket://{unquote(parts.path)}?virtual_host={database}"


def wait(url: str, *, wait_ms: int) -> None:
    """Wait until the server answers; raise Unavailable, naming the URL, when it does not within ``wait_ms``."""
    deadline = time.monotonic() + wait_ms / 1000
    while True:
        try:
            return ping(url)
        except Unavailable:
            if time.monotonic() >= deadline:
                raise
        time.sleep(0.1)
