"""Steps that follow a committed change: they may fail without harm, because the reaper does them again."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from guandan_arena.errors import Unavailable

_log = structlog.get_logger(__name__)


def attempt(step: Callable[[], object], *, what: str) -> None:
    """Do a step; when something does not answer, say so in the log and leave it to the reaper."""
    try:
        step()
    except Unavailable as error:
        _log.warning("left to the reaper", step=what, code=error.code, reason=error.reason)
