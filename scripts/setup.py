"""Make .venv, install what is locked in requirements/, and install the members so that edits are seen at once.

    python3 scripts/setup.py run|dev

Needs nothing but Python 3.11 or newer; with a C compiler the engine's kernel is compiled. A stamp in .venv keeps the
digests of all that it was made from: when nothing changed, this ends at once, and when the kernel alone did, only the
engine is installed again.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import runpy
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
MEMBERS = ("engine", "proto", "runner", "sdk", "arena", "workers")
KERNEL = ROOT / "engine" / "guandan_engine" / "kernel"
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
    works = _venv_works()
    kept = next((kind for kind in _sufficient(wanted) if works and _matches(kind, kernel=False)), None)
    _forget_stamps()
    if not works and (reason := _make_venv()) is not None:
        return _stop(reason)
    for words, command in _steps(wanted)[-1 if kept else 0 :]:
        _say(words)
        if subprocess.run(command, check=False, cwd=ROOT).returncode != 0:
            return _stop(f"failed: {words}. The lines above say why; is the package registry reachable from here?")
    made = kept or wanted
    _stamp(made).write_text(_digest(made), encoding="utf-8")
    _say(f"ready after {time.monotonic() - started:.0f} s, {_kernel()}")
    return 0


def _steps(wanted: str) -> list[tuple[str, list[str]]]:
    """What is to be done, in words, and how; the engine last."""
    lock = ROOT / "requirements" / f"{wanted}.txt"
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "-qq", "--no-deps"]
    members = [*pip, "--no-build-isolation"]
    return [
        (f"installing {lock.relative_to(ROOT)} by its hashes", [*pip, "--require-hashes", "-r", str(lock)]),
        ("installing the members", [*members, *_editable(MEMBERS[1:])]),
        ("compiling the kernel and installing the engine", [*members, *_editable(MEMBERS[:1])]),
    ]


def _kernel() -> str:
    """Which kernel is installed, in words."""
    code = "import guandan_engine; print(guandan_engine.compiled)"
    answer = subprocess.run([str(PYTHON), "-c", code], capture_output=True, text=True, check=False, cwd=VENV)
    if answer.stdout.strip() == "True":
        return "the kernel is compiled"
    return (
        "the kernel is not compiled and runs slower; `.venv/bin/pip install -v --no-build-isolation -e engine` says why"
    )


def _editable(members: tuple[str, ...]) -> list[str]:
    return [part for member in members for part in ("-e", f"./{member}")]


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
    """All that is wanted is installed."""
    return PYTHON.exists() and any(_matches(kind) for kind in _sufficient(wanted))


def _sufficient(wanted: str) -> tuple[str, ...]:
    """What is for development holds all that is for running."""
    return ("run", "dev") if wanted == "run" else ("dev",)


def _matches(kind: str, *, kernel: bool = True) -> bool:
    """Whether the stamp is of what is there now; without ``kernel``, whatever is compiled."""
    stamp = _stamp(kind)
    if not stamp.exists():
        return False
    made, now = stamp.read_text(encoding="utf-8").split(), _digest(kind).split()
    return made == now if kernel else made[:1] == now[:1]


def _digest(kind: str) -> str:
    """SHA-256 over what the environment is made from: place, Python, lock file, how members are built; the kernel's."""
    total = hashlib.sha256(f"{ROOT}\n{sys.version_info[:2]}\n".encode())
    builds = [ROOT / member / "pyproject.toml" for member in MEMBERS]
    for path in (ROOT / "requirements" / f"{kind}.txt", *builds, ROOT / "engine" / "setup.py"):
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{total.hexdigest()} {runpy.run_path(str(KERNEL / 'build.py'))['digest'](KERNEL)}"


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
