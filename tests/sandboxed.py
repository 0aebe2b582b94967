"""Bots in any sandbox, and what they report over their sockets."""

from __future__ import annotations

import contextlib
import json
import socket
import textwrap
from pathlib import Path

import pytest

from guandan_runner.sandbox import Sandbox, SeatProcess, SeatSpec

PATIENCE_S = 30
REPORT = """
import json, os, socket, sys
def tell(found):
    with socket.socket(socket.AF_UNIX) as table:
        table.connect(os.environ["GUANDAN_TABLE"].removeprefix("unix:"))
        table.sendall(json.dumps(found).encode())
def tried(act):
    try:
        act()
    except Exception as error:
        return type(error).__name__ + ": " + str(error)
    return "done"
"""


class Seats:
    """Starts bots in one kind of sandbox and hears what they report over their sockets."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self.sandbox = sandbox
        self.folder = folder
        self._started = 0
        self.open = contextlib.ExitStack()

    def start(self, source: str, *, entry: tuple[str, ...] = ("python", "bot.py")) -> tuple[SeatProcess, socket.socket]:
        self._started += 1
        bot, sockets = self.folder / f"bot{self._started}", self.folder / f"s{self._started}"
        for path in (bot, sockets):
            path.mkdir()
            path.chmod(0o755)
        (bot / "bot.py").write_text(REPORT + textwrap.dedent(source))
        table = self.open.enter_context(socket.socket(socket.AF_UNIX))
        table.settimeout(PATIENCE_S)
        table.bind(str(sockets / "table.sock"))
        (sockets / "table.sock").chmod(0o666)
        table.listen()
        return self.sandbox.start(SeatSpec(f"{self.folder.name}-{self._started}", bot, entry, sockets)), table

    def report(self, source: str) -> dict[str, object]:
        """Start a bot, hear its report, end it."""
        seat, table = self.start(source)
        try:
            return hear(table)
        finally:
            seat.end()


def hear(table: socket.socket) -> dict[str, object]:
    connection, _ = table.accept()
    with connection, connection.makefile() as stream:
        return json.loads(stream.read())


def kinds(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "seats", [pytest.param(name, marks=pytest.mark.needs(f"sandbox:{name}")) for name in names], indirect=True
    )


EVERY = kinds("docker", "bubblewrap", "process")
WALLED = kinds("docker", "bubblewrap")
