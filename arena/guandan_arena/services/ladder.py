"""The ladder: live Elo from Redis with what SQL knows of each version; SQL is the truth and rebuilds it."""

from __future__ import annotations

from guandan_arena.ports import Ports
from guandan_arena.services.records import LadderLine


def leaderboard(ports: Ports, *, limit: int = 100, offset: int = 0, active_only: bool = True) -> tuple[LadderLine, ...]:
    """Return the best versions."""
    raise NotImplementedError


def reconcile(ports: Ports) -> int:
    """Apply finished matches that Redis does not know yet; return how many."""
    raise NotImplementedError


def rebuild(ports: Ports) -> bytes:
    """Rebuild all of Redis' ratings from SQL and return the canonical dump after it."""
    raise NotImplementedError
