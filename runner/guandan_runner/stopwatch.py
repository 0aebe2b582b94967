"""The time of a table, which stands still while its event loop does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

__all__ = ["LONGEST_GAP_NS", "Stopwatch"]

LONGEST_GAP_NS: Final = 250_000_000  # a loop that beats every 20 ms and was silent for longer has stood still


class Stopwatch:
    """Counts only time in which the table could have read an answer.

    When the machine is suspended, or gives this process no processor, answers lie unread on the wire: that time is
    ours, and no bot is charged for it. ``now_ms`` must be called often; each call is a sign of life.
    """

    def __init__(self, clock_ns: Callable[[], int]) -> None:
        self._clock_ns = clock_ns
        self._last_ns = clock_ns()
        self._lost_ns = 0

    @property
    def stalled_ms(self) -> int:
        """How many milliseconds did not count so far."""
        return self._lost_ns // 1_000_000

    def now_ms(self) -> int:
        """Return the milliseconds that count."""
        now = self._clock_ns()
        gap, self._last_ns = now - self._last_ns, now
        if gap > LONGEST_GAP_NS:
            self._lost_ns += gap
        return (now - self._lost_ns) // 1_000_000
