"""Folders that are made again when they are needed, removed by age and size: unpacked versions, roots of runtimes.

A folder's time of change is the last time it was asked for. Whatever was asked for a short while ago is left alone,
because a table may be using it.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["prune"]


@dataclass(frozen=True, slots=True)
class _Kept:
    """A folder with the seconds since it was last asked for."""

    path: Path
    age_s: float


def prune(folder: Path, *, older_than_s: float, most_bytes: int, spare_s: float, now_s: float | None = None) -> int:
    """Remove what is older than an age, then the oldest until the rest fits a size; return how many went.

    Nothing younger than ``spare_s`` is removed. Any number of processes may do this at once.
    """
    now = time.time() if now_s is None else now_s
    kept = sorted(_folders(folder, now), key=lambda item: item.age_s)
    gone = total = 0
    for item in kept:  # youngest first, so that the size is kept by the oldest going
        if item.age_s > spare_s and (item.age_s > older_than_s or (total := total + _bytes(item.path)) > most_bytes):
            _remove(item.path)
            gone += 1
        elif item.age_s <= spare_s:
            total += _bytes(item.path)
    return gone


def _folders(folder: Path, now: float) -> Iterator[_Kept]:
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        try:
            if path.is_dir() and not path.is_symlink():
                yield _Kept(path, now - path.stat().st_mtime)
        except FileNotFoundError:  # another process removed it
            continue


def _bytes(folder: Path) -> int:
    """Return what a folder's files take on disk."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except FileNotFoundError:
                continue
    return total


def _remove(folder: Path) -> None:
    """Take a folder away in one step, so that nobody finds half of it, then delete it."""
    doomed = folder.with_name(f"removing-{os.getpid()}-{folder.name}")
    try:
        folder.rename(doomed)
    except FileNotFoundError:
        return
    shutil.rmtree(doomed, ignore_errors=True)
