"""`up`: a whole arena on this machine, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from guandan_arena.cli.child import Child
from guandan_arena.cli.display import Display
from guandan_arena.cli.parts import (
    Addresses,
    beat_part,
    choose_addresses,
    environment_of,
    server_part,
    valkey_part,
    worker_part,
)
from guandan_arena.cli.supervisor import Interrupted, Supervisor
from guandan_arena.errors import Unavailable
from guandan_arena.live import connection
from guandan_arena.live.heartbeats import Heartbeats
from guandan_arena.settings import Settings
from guandan_arena.store.migrate import migrate


def up(settings: Settings, display: Display) -> None:
    """Bring all parts up, keep them up, and stop them all when told to."""
    run = settings.data_dir / "run"
    run.mkdir(parents=True, exist_ok=True)
    with _alone(run), _signals() as (stop, hurry):
        addresses = choose_addresses(settings)

        def changed(children: Sequence[Child]) -> None:
            display.show(children)
            _write(run / "state.json", {"pid": os.getpid(), "parts": [_state_of(child) for child in children]})

        with display, Supervisor(stop=stop, hurry=hurry, changed=changed) as supervisor:
            try:
                _bring_up(settings, addresses, supervisor)
                _tell(run, settings, addresses, display)
                supervisor.watch()
            except Interrupted:
                display.say("interrupted")


def _bring_up(settings: Settings, addresses: Addresses, supervisor: Supervisor) -> None:
    """Bring up what others need first. What is not ours is waited for, so that a missing one is named at once."""
    if settings.redis_url is None:
        supervisor.bring_up(valkey_part(settings))
    supervisor.wait_for(lambda ms: connection.wait(settings.broker_url, wait_ms=ms), limit_ms=settings.start_wait_ms)
    supervisor.wait_for(lambda ms: migrate(settings.store_url, wait_ms=ms), limit_ms=settings.start_wait_ms)
    environment = environment_of(settings, addresses)
    remotes = [worker_part(settings, environment, remote=True)] if settings.door_ports else []
    supervisor.bring_up(
        server_part(settings, addresses, environment),
        worker_part(settings, environment),
        *remotes,
        beat_part(settings, environment),
    )


def _tell(run: Path, settings: Settings, addresses: Addresses, display: Display) -> None:
    found = {
        "grpc": addresses.grpc,
        "web": addresses.web,
        "grpc_port": addresses.grpc_port,
        "web_port": addresses.web_port,
    }
    _write(run / "ports.json", found)
    display.ready(grpc=addresses.grpc, web=addresses.web, sandboxes=_sandboxes(settings))


def _sandboxes(settings: Settings) -> tuple[str, ...]:
    """Return what the workers say of their sandboxes; nothing when Redis has just gone."""
    with suppress(Unavailable), closing(Heartbeats(settings.broker_url)) as heartbeats:
        return heartbeats.sayings()
    return ()


def _state_of(child: Child) -> dict[str, Any]:
    return {
        "name": child.part.name,
        "state": child.state.value,
        "pid": child.pid,
        "restarts": max(child.restarts, 0),
        "note": child.note,
    }


def _write(path: Path, value: object) -> None:
    """Write a file that is never seen half-written."""
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    fresh.replace(path)


@contextmanager
def _alone(run: Path) -> Iterator[None]:
    """Hold the data folder: two arenas must not share one."""
    with (run / "lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            reason = f"an arena is already up in {run.parent}"
            raise Unavailable("already_up", reason, "stop it, or set another data_dir") from error
        yield


@contextmanager
def _signals() -> Iterator[tuple[threading.Event, threading.Event]]:
    """Turn the first SIGINT, SIGTERM or SIGHUP into ``stop`` and a second SIGINT into ``hurry``."""
    stop, hurry = threading.Event(), threading.Event()

    def told(number: int, _frame: object) -> None:
        if stop.is_set() and number == signal.SIGINT:
            hurry.set()
        stop.set()

    before = {n: signal.signal(n, told) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield stop, hurry
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
