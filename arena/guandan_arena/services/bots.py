"""Bots: names under which accounts submit versions."""

from __future__ import annotations

from guandan_arena.ports import Ports
from guandan_arena.services.records import Account, Bot


def create(ports: Ports, *, caller: Account, name: str) -> Bot:
    """Create a bot; raise InvalidArgument (name), AlreadyExists, or Exhausted (too many bots)."""
    raise NotImplementedError


def get(ports: Ports, *, name: str) -> Bot:
    """Return a bot by its name, which is unique in the arena."""
    raise NotImplementedError


def browse(ports: Ports, *, owner: str | None = None, limit: int = 50, offset: int = 0) -> tuple[Bot, ...]:
    """Return all bots, or one owner's, by name."""
    raise NotImplementedError
