"""The stages of a check, in order, and how each of them ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from guandan_engine.conduct import Verdict

__all__ = ["Outcome", "Progress", "Silent", "Stage", "StageEnd"]


class Stage(StrEnum):
    """What is looked at, one after the other; the first that fails ends the check."""

    UNPACKED = "unpacked"
    STATIC = "static"
    STARTED = "started"
    CONFORMITY = "conformity"
    BOARDS = "boards"
    LIMITS = "limits"


class Outcome(StrEnum):
    """How a stage ended. A warning is told, and does not keep a version from playing."""

    PASSED = "passed"
    WARNED = "warned"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class StageEnd:
    """How one stage ended.

    ``verdict`` is OK unless it failed. ``reason`` and ``hint`` are for everyone and quote nothing that the bot wrote;
    ``log``, what it wrote, is its owner's.
    """

    stage: Stage
    outcome: Outcome
    reason: str = ""
    hint: str = ""
    log: str = ""
    duration_ms: int = 0
    verdict: Verdict = Verdict.OK


class Progress(Protocol):
    """Is told how a check goes, from the thread that runs it."""

    def began(self, stage: Stage) -> None:
        """A stage has begun."""
        ...

    def advanced(self, stage: Stage, done: int, of: int) -> None:
        """So many tables of a stage have been played, of so many that are expected."""
        ...

    def ended(self, end: StageEnd) -> None:
        """A stage has ended."""
        ...


class Silent:
    """Nobody is told."""

    def began(self, stage: Stage) -> None:
        """Say nothing."""

    def advanced(self, stage: Stage, done: int, of: int) -> None:
        """Say nothing."""

    def ended(self, end: StageEnd) -> None:
        """Say nothing."""
