"""Where the time of a table went: what the bots took, and what the transport and the table itself took beside it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Pace"]


@dataclass(frozen=True, slots=True)
class Pace:
    """The time from the first request of a table to its end. ``thinking_ns``: of all seats' answers that were taken."""

    decisions: int = 0
    wall_ns: int = 0
    thinking_ns: int = 0

    @property
    def overhead_us(self) -> int:
        """Microseconds per decision that no bot is charged for; 0 when seats thought at the same time throughout."""
        return max(0, self.wall_ns - self.thinking_ns) // 1000 // max(1, self.decisions)
