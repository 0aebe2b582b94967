"""The sandbox port: one seat's bot as a process of its own, cut off from everything but its socket."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from guandan_runner.runtimes import RuntimeRoot

__all__ = [
    "BOT_DIR_INSIDE",
    "PACKAGES",
    "SOCKET_DIR_INSIDE",
    "SOCKET_NAME",
    "Evidence",
    "Sandbox",
    "SeatProcess",
    "SeatSpec",
]

SOCKET_NAME: Final = "table.sock"
SOCKET_DIR_INSIDE: Final = "/run/arena"
BOT_DIR_INSIDE: Final = "/bot"
PACKAGES: Final = ".packages"  # inside the bot's folder: what the operator's wheels were unpacked to


@dataclass(frozen=True, slots=True)
class SeatSpec:
    """What to start for one seat.

    ``name`` is unique on this machine. ``bot`` is the unpacked version, seen read-only as /bot and the working
    directory. ``entry`` is its command. ``socket_dir`` holds this seat's socket only and is seen as /run/arena.
    ``root`` is that of the version's runtime; None means the sandbox's own, which is Python with the SDK.
    ``table_id`` and ``seat`` say where it sits, for those that have to be invited there.
    """

    name: str
    bot: Path
    entry: tuple[str, ...]
    socket_dir: Path
    root: RuntimeRoot | None = None
    table_id: str = ""
    seat: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """How a seat's process ended, as the operating system tells it.

    ``exit_code`` is None when a signal ended it or it was still running; ``signal`` is None unless one did.
    ``killed`` when we ended it. ``log`` is the capped tail of what it wrote. ``started_ms``: from the order to start
    until the process existed. What the whole process tree used is None where nothing could count it:
    ``peak_memory_bytes``, ``cpu_ms`` of processor time, ``throttled_ms`` held back by its share of the processors.
    """

    exit_code: int | None
    signal: int | None
    killed: bool
    memory_exceeded: bool
    output_exceeded: bool
    log: str
    started_ms: int
    peak_memory_bytes: int | None = None
    cpu_ms: int | None = None
    throttled_ms: int | None = None


class SeatProcess(Protocol):
    """A started seat. Every method may be called from any thread; ``end`` any number of times."""

    def wait(self, timeout_s: float) -> bool:
        """Wait until the bot's main process has ended; answer whether it has."""
        ...

    def end(self) -> Evidence:
        """Kill the whole process tree if it still runs, remove what it left, and tell how it ended."""
        ...


class Sandbox(Protocol):
    """A way to run strangers' code. ``kind`` is docker, bubblewrap or process."""

    @property
    def kind(self) -> str:
        """Name of the adapter, as in settings and reports."""
        ...

    @property
    def gap(self) -> str:
        """Why a seat's memory, processes and processor share are not limited as a whole, or "" when they are."""
        ...

    def start(self, spec: SeatSpec) -> SeatProcess:
        """Start a seat's bot; raise InfrastructureFault when the sandbox itself fails."""
        ...

    def close(self) -> None:
        """Let go of daemons' connections; seats still running are ended by their owners."""
        ...
