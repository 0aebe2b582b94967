"""How a bot of one's own is started as a process: by its command, or by this interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from guandan_sdk.loading import BotSource

PARTING_SECONDS: Final = 3.0
_SEATED: Final = """
import sys
from guandan_sdk import run
from guandan_sdk.loading import find_bot
run(find_bot(sys.argv[1]).load())
"""


def command_of(source: BotSource) -> tuple[tuple[str, ...], Path]:
    """Return the command that plays one seat with this bot, and the folder to start it in."""
    if source.command:
        return source.command, source.folder
    if source.file is None:
        return (sys.executable, "-m", source.module), Path.cwd()
    named = f"{source.file}:{source.class_name}" if source.class_name else str(source.file)
    return (sys.executable, "-c", _SEATED, named), source.file.parent


class Seats:
    """The processes of a remote bot, one for each seat it is invited to. None outlives the block."""

    def __init__(self, source: BotSource) -> None:
        self._command, self._folder = command_of(source)
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self, address: str, ticket: str) -> int:
        """Start a process for a seat that waits at an address; return its number in the system.

        It writes to stderr only: what goes to stdout is the result of the command.
        """
        environ = os.environ | {"GUANDAN_TABLE": address, "GUANDAN_TICKET": ticket}
        environ.pop("GUANDAN_TOKEN", None)  # what a bot imports need not learn it
        process = subprocess.Popen(  # noqa: S603 - the author's own bot, on the author's machine
            self._command, cwd=self._folder, env=environ, stdin=subprocess.DEVNULL, stdout=sys.stderr.fileno()
        )
        self._processes = [*(old for old in self._processes if old.poll() is None), process]
        return process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the processes a moment to end by themselves, unless something broke; then end them."""
        for process in self._processes:
            if kind is not None:
                process.terminate()
        for process in self._processes:
            try:
                process.wait(PARTING_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
