"""The parts of an arena on one machine: Valkey, server, worker and beat; how each is started and known to be well."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

from guandan_arena.cli.child import Part, leashed, now
from guandan_arena.errors import Unavailable
from guandan_arena.live import connection, valkey
from guandan_arena.live.heartbeats import Heartbeats
from guandan_arena.live.queue import QUEUES, REMOTE_QUEUES
from guandan_arena.settings import Settings

_LONGEST_LOG_BYTES: Final = 20_000_000


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the server of this arena listens."""

    host: str
    grpc_port: int
    web_port: int

    @property
    def grpc(self) -> str:
        """What a bot author logs in to."""
        return f"{self.host}:{self.grpc_port}"

    @property
    def web(self) -> str:
        """The site."""
        return f"http://{self.host}:{self.web_port}"


class Pulse:
    """Remembers when a question was last not answered with no; ``None`` is no answer at all, which proves nothing."""

    def __init__(self, ask: Callable[[], bool | None], *, patience_s: float, clock: Callable[[], float] = now) -> None:
        self._ask = ask
        self._patience_s = patience_s
        self._clock = clock
        self._last = clock()

    def begin(self) -> None:
        """Forget an earlier life."""
        self._last = self._clock()

    def __call__(self) -> bool:
        """Whether there was no ``no`` within the patience."""
        if self._ask() is not False:
            self._last = self._clock()
        return self._clock() - self._last < self._patience_s


def choose_addresses(settings: Settings) -> Addresses:
    """Take the ports that are set, or those of the last time if they are free, or any free ones."""
    last: Mapping[str, int] = {}
    with suppress(OSError, ValueError):
        last = json.loads((settings.data_dir / "run" / "ports.json").read_text())
    grpc_port = settings.grpc_port or _free_port(settings.host, last.get("grpc_port", 0))
    web_port = settings.web_port or _free_port(settings.host, last.get("web_port", 0), but=grpc_port)
    return Addresses(settings.host, grpc_port, web_port)


def environment_of(settings: Settings, addresses: Addresses) -> dict[str, str]:
    """Return the environment of all parts: the operator's, and what was chosen here."""
    return {
        **os.environ,
        "GUANDAN_DATA_DIR": str(settings.data_dir.resolve()),
        "GUANDAN_GRPC_PORT": str(addresses.grpc_port),
        "GUANDAN_WEB_PORT": str(addresses.web_port),
        "GRPC_ENABLE_FORK_SUPPORT": "0",
        "PYTHONUNBUFFERED": "1",
    }


def valkey_part(settings: Settings) -> Part:
    """The embedded Valkey."""

    def answers() -> bool:
        with suppress(Unavailable):
            connection.ping(settings.broker_url)
            return True
        return False

    pulse = Pulse(answers, patience_s=20)

    def start() -> subprocess.Popen[bytes]:
        pulse.begin()
        return valkey.start(settings, prefix=leashed([]))

    return Part("valkey", start, answers, pulse, log=_log(settings, "valkey"))


def server_part(settings: Settings, addresses: Addresses, environment: Mapping[str, str]) -> Part:
    """The gRPC server and the site, in one process."""
    pulse = Pulse(lambda: _site_answers(addresses), patience_s=60)

    def start() -> subprocess.Popen[bytes]:
        pulse.begin()
        return _python(settings, "server", ["-m", "guandan_arena.cli", "serve"], environment)

    def is_ready() -> bool:
        return _accepts(addresses.host, addresses.grpc_port) and _site_answers(addresses)

    return Part("server", start, is_ready, pulse, log=_log(settings, "server"))


def worker_part(settings: Settings, environment: Mapping[str, str], *, remote: bool = False) -> Part:
    """The worker that plays matches, or the games of remote bots.

    Stopping lets the running ones end for a while; what is lost is played again.
    """
    part = "remotes" if remote else "worker"
    heartbeats = Heartbeats(settings.broker_url)
    numbers = count(1)
    name = ""

    def lives() -> bool | None:
        try:
            return heartbeats.lives(name)
        except Unavailable:
            return None

    pulse = Pulse(lives, patience_s=60)

    def start() -> subprocess.Popen[bytes]:
        nonlocal name
        name = f"{part}-{os.getpid()}-{next(numbers)}@{socket.gethostname()}"
        pulse.begin()
        return _python(settings, part, worker_arguments(settings, name=name, remote=remote), environment)

    return Part(
        part,
        start,
        lambda: bool(lives()),
        pulse,
        stop_signals=((signal.SIGTERM, 10.0), (signal.SIGQUIT, 4.0)),
        log=_log(settings, part),
    )


def beat_part(settings: Settings, environment: Mapping[str, str]) -> Part:
    """The clock that asks for sweeps and nights."""

    def start() -> subprocess.Popen[bytes]:
        return _python(settings, "beat", beat_arguments(settings), environment)

    return Part("beat", start, lambda: True, lambda: True, log=_log(settings, "beat"))


def worker_arguments(settings: Settings, *, name: str, remote: bool = False) -> list[str]:
    """Return what Python is started with to be a worker; the arena knows the workers' app by name only.

    ``remote``: it plays the games of remote bots and nothing else; no other worker plays them.
    """
    queues, at_once = (REMOTE_QUEUES, settings.remote_workers) if remote else (QUEUES, settings.workers)
    options = [f"--concurrency={at_once}", f"--queues={','.join(queues)}", f"--hostname={name}"]
    flags = ["--without-gossip", "--without-mingle", "--loglevel=INFO"]
    return ["-m", "celery", "-A", "guandan_workers.app", "worker", *options, *flags]


def beat_arguments(settings: Settings) -> list[str]:
    """Return what Python is started with to be the beat."""
    schedule = settings.data_dir.resolve() / "run" / "beat-schedule"
    options = [f"--schedule={schedule}", "--pidfile=", "--loglevel=INFO"]
    return ["-m", "celery", "-A", "guandan_workers.app", "beat", *options]


def _python(
    settings: Settings, name: str, arguments: list[str], environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start Python as a leashed child whose output goes to its log."""
    log = _log(settings, name)
    log.parent.mkdir(parents=True, exist_ok=True)
    _keep_short(log)
    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603 - our own programs
            leashed([sys.executable, *arguments]),
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


def _log(settings: Settings, name: str) -> Path:
    return settings.data_dir.resolve() / "logs" / f"{name}.log"


def _keep_short(log: Path) -> None:
    """Put a long log aside, once."""
    with suppress(FileNotFoundError):
        if log.stat().st_size > _LONGEST_LOG_BYTES:
            log.replace(log.with_suffix(".log.1"))


def _free_port(host: str, wish: int, *, but: int = 0) -> int:
    for port in (wish, 0):
        with socket.socket() as probe, suppress(OSError, OverflowError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            found: int = probe.getsockname()[1]
            if found != but:
                return found
    raise Unavailable("no_free_port", f"no port is free on {host}", "set grpc_port and web_port")


def _accepts(host: str, port: int) -> bool:
    with suppress(OSError), socket.create_connection((host, port), timeout=1):
        return True
    return False


def _site_answers(addresses: Addresses) -> bool:
    """Whether the site says anything: also that SQL or Redis is gone, which a new server would not mend."""
    asking = http.client.HTTPConnection(addresses.host, addresses.web_port, timeout=2)
    try:
        asking.request("GET", "/healthz")
        asking.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    else:
        return True
    finally:
        asking.close()
