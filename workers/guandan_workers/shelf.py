"""The versions that are unpacked on this machine, each in a folder that appears whole or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from guandan_arena.ports import Blobs
from guandan_arena.settings import Settings
from guandan_runner.archives import RESERVED, Limits, place
from guandan_runner.building import Wheel, install
from guandan_runner.pruning import prune
from guandan_runner.sandbox.docker import image_pruner
from guandan_runner.sandbox.rootfs import digests_in

_DAY_S: Final = 86_400
_HOUR_S: Final = 3_600


class Shelf:
    """Unpacked versions by the digest of their archive and of the wheels they were built with."""

    def __init__(self, folder: Path, blobs: Blobs, limits: Limits) -> None:
        self.folder = folder
        self._blobs = blobs
        self._limits = limits

    def built(self, digest: str, wheels: Sequence[Wheel] = ()) -> Path:
        """Return the folder of a version with its dependencies, unpacking what is not there; raise BadArchive.

        Its time of change is the last time it was asked for.
        """
        folder = self.folder / _name(digest, wheels)
        if not folder.is_dir():
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._files(wheels) as files:
                place(
                    self._blobs.get(digest),
                    folder,
                    self._limits,
                    finish=lambda half: _install(files, half / RESERVED),
                )
        os.utime(folder)
        return folder

    @contextmanager
    def _files(self, wheels: Sequence[Wheel]) -> Iterator[tuple[Path, ...]]:
        """Give the wheels as files with their own names, which say what they are to the installer."""
        with tempfile.TemporaryDirectory(prefix=f"ga-{os.getpid()}-wheels") as folder:
            files = tuple(Path(folder, wheel.filename) for wheel in wheels)
            for file, wheel in zip(files, wheels, strict=True):
                file.write_bytes(self._blobs.get(wheel.digest))
            yield files


def tidy(read: Settings) -> int:
    """Remove unpacked versions and runtime roots that nobody has asked for lately or that are too much; tell how many.

    What a match that may still run was started with is left alone. A Docker daemon's images of roots go after them.
    """
    data = read.data_dir.resolve()
    gone = sum(
        prune(
            data / name,
            older_than_s=read.unpacked_keep_days * _DAY_S,
            most_bytes=read.unpacked_keep_bytes,
            spare_s=read.match_limit_ms / 1000 + _HOUR_S,
        )
        for name in ("versions", "runtime")
    )
    images = image_pruner() if read.sandbox in ("auto", "docker") else None
    if images is not None:
        gone += images(digests_in(data / "runtime"), read.unpacked_keep_days * _DAY_S)
    return gone


def _install(files: Sequence[Path], target: Path) -> None:
    install(files, target)


def _name(digest: str, wheels: Sequence[Wheel]) -> str:
    if not wheels:
        return digest
    return f"{digest}-{hashlib.sha256(repr(sorted(wheel.digest for wheel in wheels)).encode()).hexdigest()[:16]}"
