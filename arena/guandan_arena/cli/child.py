"""A child process of the supervisor: started, watched, started again when it dies, stopped in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from guandan_arena.errors import Unavailable

_LEASH: Final = Path(__file__).with_name("leash.py")
_FIRST_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 10.0
_STEADY_S: Final = 30.0
"""Who has run for so long is forgiven its earlier deaths."""


class State(StrEnum):
    """What a child is doing."""

    STARTING = "starting"
    READY = "ready"
    WAITING = "waiting"
    """Died; will be started again after a pause."""
    STOPPED = "stopped"


def leashed(command: list[str]) -> list[str]:
    """Return a command that dies with this process."""
    return [sys.executable, "-I", "-S", str(_LEASH), str(os.getpid()), *command]


@dataclass(frozen=True, slots=True)
class Part:
    """What the supervisor must know of a part of the arena.

    ``start`` returns the running process, leader of its own group. ``is_ready`` is asked until it says so; then
    ``is_well`` is asked now and then, and a part that says no is killed. ``stop_signals`` are given one after the
    other, each with its seconds of patience, before SIGKILL.
    """

    name: str
    start: Callable[[], subprocess.Popen[bytes]]
    is_ready: Callable[[], bool]
    is_well: Callable[[], bool]
    stop_signals: tuple[tuple[signal.Signals, float], ...] = ((signal.SIGTERM, 6.0),)
    ready_within_s: float = 120.0
    log: Path | None = None


@dataclass(slots=True)
class Child:
    """One part's process. Times are of the monotonic clock."""

    part: Part
    state: State = State.WAITING
    restarts: int = -1
    note: str = ""
    was_ready: bool = False
    process: subprocess.Popen[bytes] | None = None
    _since: float = 0.0
    _again_at: float = 0.0
    _pause: float = field(default=_FIRST_PAUSE_S)

    @property
    def pid(self) -> int | None:
        """The process id while it runs."""
        return self.process.pid if self.process is not None else None

    def look(self, now: float, *, ask: bool) -> bool:
        """Take the next step of this child's life; say whether something changed. ``ask`` whether it is well."""
        if self.process is None:
            return self._start(now) if now >= self._again_at and self.state is State.WAITING else False
        code = self.process.poll()
        if code is not None:
            return self._died(now, _ended(code))
        if self.state is State.STARTING:
            return self._greet(now)
        if now - self._since > _STEADY_S:
            self._pause = _FIRST_PAUSE_S
        if ask and not self.part.is_well():
            return self._died(now, "gave no sign of life")
        return False

    def ask_to_stop(self, number: signal.Signals) -> None:
        """Give the process a signal if it runs; it will not be started again."""
        self.state = State.STOPPED
        if self.process is not None:
            with suppress(ProcessLookupError):
                self.process.send_signal(number)

    def has_ended(self) -> bool:
        """Whether no process of this child runs (its group is swept when its leader has ended)."""
        if self.process is not None and self.process.poll() is not None:
            self._sweep()
        return self.process is None

    def kill(self) -> None:
        """End the process and its whole group now."""
        self.state = State.STOPPED
        if self.process is not None:
            self._sweep()

    def _start(self, now: float) -> bool:
        self.restarts += 1
        try:
            self.process = self.part.start()
        except Unavailable as error:
            return self._wait_again(now, str(error))
        self.state, self._since = State.STARTING, now
        return True

    def _greet(self, now: float) -> bool:
        if self.part.is_ready():
            self.state, self.was_ready = State.READY, True
            return True
        if now - self._since > self.part.ready_within_s:
            return self._died(now, f"was not ready within {self.part.ready_within_s:.0f} s")
        return False

    def _died(self, now: float, note: str) -> bool:
        self._sweep()
        return self._wait_again(now, note)

    def _wait_again(self, now: float, note: str) -> bool:
        self.state, self.note = State.WAITING, note
        self._again_at = now + self._pause
        self._pause = min(self._pause * 2, _LONGEST_PAUSE_S)
        return True

    def _sweep(self) -> None:
        """Kill what is left of the process group, and take the leader's exit code."""
        assert self.process is not None
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process = None


def _ended(code: int) -> str:
    """Say how a process ended."""
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def now() -> float:
    """Return the monotonic clock's seconds."""
    return time.monotonic()
