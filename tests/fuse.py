"""Ports that die at a chosen step, as a process does that is killed: between any two writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from guandan_arena.ports import Ports, Transaction


class Killed(BaseException):
    """The process is gone; nothing may catch this."""


class Fuse:
    """Burns one step at each write; when none is left, the process dies. ``steps`` None never burns out."""

    def __init__(self, steps: int | None = None) -> None:
        self.left = steps
        self.burnt = 0

    def burn(self) -> None:
        self.burnt += 1
        if self.left is not None:
            if self.left == 0:
                raise Killed
            self.left -= 1


def fused(ports: Ports, fuse: Fuse) -> Ports:
    """The same ports, each write with a step before and a step after it."""
    return replace(
        ports,
        store=_FusedStore(ports.store, fuse),
        ladder=_Fused(ports.ladder, fuse, {"apply", "enter", "rebuild"}),
        queue=_Fused(ports.queue, fuse, {"play_match", "check_version"}),
        blobs=_Fused(ports.blobs, fuse, {"put"}),
    )


class _Fused:
    def __init__(self, real: object, fuse: Fuse, writes: set[str]) -> None:
        self._real, self._fuse, self._writes = real, fuse, writes

    def __getattr__(self, name: str) -> object:
        method = getattr(self._real, name)
        if name not in self._writes:
            return method

        def burning(*args: object, **options: object) -> object:
            self._fuse.burn()
            answer = method(*args, **options)
            self._fuse.burn()
            return answer

        return burning


class _FusedStore(_Fused):
    """Dies before a transaction, before and after each write of a repository, before and after the commit."""

    def __init__(self, real: object, fuse: Fuse) -> None:
        super().__init__(real, fuse, set())

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        with self._real.transaction() as tx:
            for name in ("accounts", "bots", "versions", "events", "pairings", "tables", "audit"):
                writes = {"add", "save", "close", "add_round", "close_round", "set_state", "save_check", "add_token"}
                setattr(tx, name, _Fused(getattr(tx, name), self._fuse, writes))
            yield tx
            self._fuse.burn()
        self._fuse.burn()
