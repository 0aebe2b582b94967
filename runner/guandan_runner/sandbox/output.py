"""What a bot writes: read so that it never blocks, kept as a short tail, and reported once when it is too much."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable
from typing import Final

from guandan_runner.sandbox.policy import Policy

__all__ = ["OutputTail"]

DRAIN_S: Final = 2.0  # how long after the kill a forgotten grandchild may keep the output open


class OutputTail:
    """Reads a bot's output in a thread of its own until it ends."""

    def __init__(self, chunks: Iterable[bytes], *, policy: Policy, overflow: Callable[[], object]) -> None:
        """``chunks`` may end with OSError; ``overflow`` is called once, from the thread."""
        self.exceeded = False
        self._chunks = chunks
        self._policy = policy
        self._overflow = overflow
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._read, name="seat-output", daemon=True)
        self._thread.start()

    def finish(self) -> str:
        """Return the tail, after all that was written before the end has been read."""
        self._thread.join(DRAIN_S)
        return bytes(self._kept[-self._policy.log_bytes :]).decode("utf-8", "replace")

    def _read(self) -> None:
        total = 0
        with contextlib.suppress(OSError):  # the pipe is closed under a grandchild that outlived its session
            for chunk in self._chunks:
                total += len(chunk)
                self._kept += chunk
                del self._kept[: -self._policy.log_bytes]
                if total > self._policy.output_bytes and not self.exceeded:
                    self.exceeded = True
                    self._overflow()
