"""Make .venv, install what is locked in requirements/, and install the members so that edits are seen at once.

    python3 scripts/setup.py run|dev

Needs nothing but Python 3.11 or newer. A stamp in .venv keeps the digest of all that it was made from: when nothing
changed, this ends at once.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
MEMBERS = ("engine", "proto", "runner", "sdk", "arena", "workers")
OLDEST = (3, 11)


def main() -> int:
    """Set up for one of the two lock files and say what was done."""
    if len(sys.argv) != 2 or sys.argv[1] not in ("run", "dev"):
        return _stop("usage: setup.py run|dev")
    if sys.version_info < OLDEST:
        return _stop(f"Python 3.11 or newer is needed; {sys.executable} is {sys.version.split()[0]}")
    wanted = sys.argv[1]
    with Path(__file__).open() as itself:
        fcntl.flock(itself, fcntl.LOCK_EX)  # two makes at once: the second waits and then finds all done
        if _is_ready(wanted):
            return 0
        return _set_up(wanted)


def _set_up(wanted: str) -> int:
    started = time.monotonic()
    _forget_stamps()
    if not _venv_works() and (reason := _make_venv()) is not None:
        return _stop(reason)
    lock = ROOT / "requirements" / f"{wanted}.txt"
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "-qq", "--no-deps"]
    steps = (
        (f"installing {lock.relative_to(ROOT)} by its hashes", [*pip, "--require-hashes", "-r", str(lock)]),
        ("installing the members", [*pip, "--no-build-isolation", *_editable()]),
    )
    for words, command in steps:
        _say(words)
        if subprocess.run(command, check=False, cwd=ROOT).returncode != 0:
            return _stop(f"failed: {words}. The lines above say why; is the package registry reachable from here?")
    _stamp(wanted).write_text(_digest(wanted), encoding="utf-8")
    _say(f"ready after {time.monotonic() - started:.0f} s")
    return 0


def _editable() -> list[str]:
    return [part for member in MEMBERS for part in ("-e", f"./{member}")]


def _make_venv() -> str | None:
    """Create .venv; returns what the reader must do when Python cannot."""
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        return f"{sys.executable} lacks ensurepip. On Debian and Ubuntu: sudo apt-get install python{version}-venv"
    _say("making .venv")
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=False)
    return None if made.returncode == 0 else f"{sys.executable} -m venv failed; the lines above say why"


def _venv_works() -> bool:
    """The virtual environment starts, has pip, was made in this folder and by this Python version."""
    code = "import pip, sys; print(sys.prefix, *sys.version_info[:2])"
    try:
        answer = subprocess.run([str(PYTHON), "-c", code], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return answer.stdout.split() == [str(VENV), *map(str, sys.version_info[:2])]


def _is_ready(wanted: str) -> bool:
    """All that is wanted is installed; what is for development holds all that is for running."""
    sufficient = ("run", "dev") if wanted == "run" else ("dev",)
    return PYTHON.exists() and any(_matches(kind) for kind in sufficient)


def _matches(kind: str) -> bool:
    stamp = _stamp(kind)
    return stamp.exists() and stamp.read_text(encoding="utf-8") == _digest(kind)


def _digest(kind: str) -> str:
    """SHA-256 over everything the environment is made from: place, Python, lock file, the members' pyproject files."""
    total = hashlib.sha256(f"{ROOT}\n{sys.version_info[:2]}\n".encode())
    for path in (ROOT / "requirements" / f"{kind}.txt", *(ROOT / member / "pyproject.toml" for member in MEMBERS)):
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _stamp(kind: str) -> Path:
    return VENV / f"installed-{kind}"


def _forget_stamps() -> None:
    for kind in ("run", "dev"):
        _stamp(kind).unlink(missing_ok=True)


def _say(words: str) -> None:
    print(f"setup: {words}", file=sys.stderr, flush=True)


def _stop(words: str) -> int:
    _say(words)
    return 2


if __name__ == "__main__":
    os.environ.pop("PYTHONHOME", None)
    os.environ.pop("PYTHONPATH", None)
    sys.exit(main())
