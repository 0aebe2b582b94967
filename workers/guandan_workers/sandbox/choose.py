"""Choosing the strongest sandbox that really runs here, and saying which and why."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from guandan_workers.sandbox.policy import Policy
from guandan_workers.sandbox.seat import Sandbox


@dataclass(frozen=True, slots=True)
class Choice:
    """The sandbox chosen and, for each stronger one, why it was not."""

    sandbox: Sandbox
    statement: str
    passed_over: tuple[tuple[str, str], ...]


def choose(*, wanted: str, production: bool, cache: Path, policy: Policy) -> Choice:
    """Start a trivial bot in docker, then bubblewrap, then process, and take the first that works.

    ``wanted`` is ``auto`` or one kind by name; raise SandboxUnavailable when none (or the named one) works, or
    when only ``process`` would and ``production`` is set. ``cache`` keeps the runtime root between starts.
    """
    raise NotImplementedError
