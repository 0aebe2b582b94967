"""How far a version has come: its stages in order, each with what was found."""

from __future__ import annotations

from dataclasses import dataclass

from guandan_arena.services.states import StageName, StageState


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a version. ``code``, ``reason`` and ``hint`` say why it went no further, for everyone.

    ``log_digest`` names what was printed meanwhile, which is the owner's.
    """

    version_id: str
    name: StageName
    state: StageState
    code: str = ""
    reason: str = ""
    hint: str = ""
    started_ms: int | None = None
    ended_ms: int | None = None
    log_digest: str | None = None


@dataclass(frozen=True, slots=True)
class StageReport:
    """A stage as one reader may see it: ``log`` is the end of its log for the owner and operators, else empty."""

    stage: Stage
    log: str = ""
