"""How an error is written to our own logs: where it happened, never the values it happened with."""

from __future__ import annotations

import sys

import structlog
from structlog.dev import ConsoleRenderer, plain_traceback

__all__ = ["without_values"]


def without_values() -> None:
    """Keep what local variables held out of the logs: among them are tickets, tokens and the secrets of shuffles."""
    *before, _ = structlog.get_config()["processors"]
    renderer = ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain_traceback)
    structlog.configure(processors=[*before, renderer])
