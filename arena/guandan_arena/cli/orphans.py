"""Processes that outlive their dead parent come to us, so that none is left behind (Linux only)."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

_PR_SET_CHILD_SUBREAPER: Final = 36


def adopt() -> None:
    """Make this process the parent of every descendant whose own parent dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end(known: Collection[int]) -> int:
    """Kill and reap every child that is not ``known``; say how many there were. Their own children come next time."""
    strangers = _children() - set(known)
    for pid in strangers:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
    return len(strangers)


def _children() -> set[int]:
    found: set[int] = set()
    for tasks in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found.update(map(int, tasks.read_text().split()))
    return found
