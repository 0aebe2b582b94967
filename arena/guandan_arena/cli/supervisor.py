"""Brings the parts of an arena up as child processes, keeps them up, and stops them all, leaving no process behind.

All in one thread: children are told to die with the thread that started them. gRPC is never imported here, because
forking beside it is not safe.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Self

from guandan_arena.cli import orphans
from guandan_arena.cli.child import Child, Part, State, now
from guandan_arena.errors import ArenaError, Unavailable

_TICK_S: Final = 0.1
_ASK_S: Final = 2.0
_WAIT_MS: Final = 500
_TRIES: Final = 3
"""Deaths of a part that was never ready, after which coming up has failed."""


class PartFailed(ArenaError):
    """A part of the arena does not come up."""


class Interrupted(Exception):
    """The operator ended it before all was up."""


class Supervisor:
    """Use as a context: leaving it stops whatever runs.

    ``stop`` set once means to stop in order; ``hurry`` set means to kill at once. ``changed`` is told of every change.
    """

    def __init__(
        self,
        *,
        stop: threading.Event,
        hurry: threading.Event,
        changed: Callable[[Sequence[Child]], None] = lambda _: None,
    ) -> None:
        self._stop = stop
        self._hurry = hurry
        self._changed = changed
        self._groups: list[list[Child]] = []
        self._asked = now()

    @property
    def children(self) -> list[Child]:
        """All children, in the order they came up."""
        return [child for group in self._groups for child in group]

    def __enter__(self) -> Self:
        orphans.adopt()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for group in reversed(self._groups):
            self._shut_down(group)
        while orphans.end(()):
            pass
        self._changed(self.children)

    def bring_up(self, *parts: Part) -> None:
        """Start parts together and wait until all are ready; raise PartFailed when one does not come up."""
        group = [Child(part) for part in parts]
        self._groups.append(group)
        while not all(child.was_ready for child in group):
            for child in group:
                if not child.was_ready and child.restarts >= _TRIES - 1 and child.state is State.WAITING:
                    raise _failure(child)
            if self._stop.is_set():
                raise Interrupted
            self._tick()

    def wait_for(self, step: Callable[[int], object], *, limit_ms: int) -> None:
        """Try a step, which waits so many ms itself, until it does not raise Unavailable or the limit is reached."""
        until = now() + limit_ms / 1000
        while True:
            try:
                step(min(limit_ms, _WAIT_MS))
            except Unavailable:
                if now() >= until:
                    raise
            else:
                return
            if self._stop.is_set():
                raise Interrupted
            self._tick()

    def watch(self) -> None:
        """Keep all parts up until told to stop."""
        while not self._stop.is_set():
            self._tick()

    def _tick(self) -> None:
        ask = now() - self._asked > _ASK_S
        if ask:
            self._asked = now()
        changes = [child.look(now(), ask=ask) for child in self.children]
        if ask or any(changes):
            orphans.end({child.pid for child in self.children if child.pid is not None})
        if any(changes):
            self._changed(self.children)
        self._stop.wait(_TICK_S)

    def _shut_down(self, group: Sequence[Child]) -> None:
        """Give all of a group their first signal, those left their second when its time is over, and so on."""
        stages = max(len(child.part.stop_signals) for child in group)
        for stage in range(stages):
            waiting: list[tuple[Child, float]] = []
            for child in group:
                if stage < len(child.part.stop_signals) and not child.has_ended():
                    number, patience_s = child.part.stop_signals[stage]
                    child.ask_to_stop(number)
                    waiting.append((child, now() + patience_s))
            self._changed(self.children)
            while not self._hurry.is_set() and any(not c.has_ended() and now() < until for c, until in waiting):
                self._hurry.wait(0.02)
        for child in group:
            child.kill()
        self._changed(self.children)


def _failure(child: Child) -> PartFailed:
    """Say how a part ended and what it last wrote."""
    log, reason = child.part.log, f"{child.part.name} {child.note}"
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log is not None and log.exists() else []
    return PartFailed("part_failed", f"{reason}: {lines[-1]}" if lines else reason, f"see {log}" if log else "")
