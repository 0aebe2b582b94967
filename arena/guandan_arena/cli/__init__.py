"""The `guandan-arena` command for operators."""

from __future__ import annotations

import os
import sys

import structlog

from guandan_arena.cli.commands import app
from guandan_arena.cli.screen import err
from guandan_arena.errors import ArenaError, InvalidArgument, PermissionDenied, Unauthenticated, Unavailable
from guandan_arena.tracebacks import without_values

__all__ = ["main"]

_EXITS = {InvalidArgument: 2, Unavailable: 3, Unauthenticated: 3, PermissionDenied: 3}


def main() -> None:
    """Run the command; exit codes: 0 ok, 1 failed or refused, 2 wrong usage or settings, 3 no answer or no right."""
    without_values()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    try:
        app()
    except ArenaError as error:
        console = err()
        console.print(f"{error.code}: {error.reason}", style="red", highlight=False, markup=False, soft_wrap=True)
        if error.hint:
            console.print(error.hint, highlight=False, markup=False, soft_wrap=True)
        sys.exit(next((code for kind, code in _EXITS.items() if isinstance(error, kind)), 1))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our answer has gone, which is its right; keep Python from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
