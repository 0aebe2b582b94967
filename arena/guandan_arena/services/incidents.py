"""What broke on our side: the log has all of it under a number, everyone else the number."""

from __future__ import annotations

import structlog

from guandan_arena.ports import Ports
from guandan_arena.services.identity import fresh_id

_log = structlog.get_logger(__name__)


def sentence(ports: Ports, *, of: str, cause: str | Exception) -> str:
    """Log a cause under a new incident number and return what may be told of it; ``of`` says what it befell."""
    incident = fresh_id(ports.entropy, "i")
    trace = cause if isinstance(cause, Exception) else None
    _log.error("incident", incident=incident, of=of, cause=str(cause), exc_info=trace)
    return f"the arena failed; this is incident {incident}"
