"""What a machine gives: the time, and chance."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """The wall clock."""

    def now_ms(self) -> int:
        """Return UTC milliseconds since 1970."""
        ...


class Entropy(Protocol):
    """The source of secrets and ids."""

    def token_bytes(self, count: int) -> bytes:
        """Return ``count`` unpredictable bytes."""
        ...
