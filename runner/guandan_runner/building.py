"""A version's dependencies: chosen from the operator's wheels and unpacked, without network and without running them.

Only wheels are taken (``--only-binary :all:``), so nothing of a package is executed while it is installed: a wheel is
files to be copied, whereas a source package would run its own build.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from guandan_proto.manifest import Manifest
from guandan_runner.errors import BadArchive, InfrastructureFault
from guandan_runner.runtimes import Runtime

__all__ = ["Wheel", "install", "offered", "require_entry", "require_resources", "resolve"]

_PIP: Final = (sys.executable, "-m", "pip", "--isolated", "--no-input", "--disable-pip-version-check", "--no-cache-dir")
_WHEELS_ONLY: Final = ("--no-index", "--only-binary", ":all:", "--no-compile")
_TIMEOUT_S: Final = 180
_NAMED: Final = 30
_MENDED: Final = "once its operator has added what is missing, send the same bytes again"
_ELF_HEAD: Final = 20  # bytes, up to and with the machine it is for
_MACHINES: Final = {"x86_64": 62, "aarch64": 183}  # e_machine


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel a version was built with, by file name and SHA-256, so that every machine builds the same."""

    filename: str
    digest: str

    @classmethod
    def of(cls, path: Path) -> Wheel:
        """Name a wheel file."""
        return cls(path.name, hashlib.sha256(path.read_bytes()).hexdigest())


def resolve(dependencies: Sequence[str], folder: Path | None) -> tuple[Path, ...]:
    """Choose the wheels for these dependencies and all that they need; raise BadArchive when the folder lacks one."""
    if not dependencies:
        return ()
    if folder is None or not folder.is_dir():
        raise BadArchive(
            "no_wheels",
            "this arena has no wheel folder, so it installs no dependencies",
            f"leave out bot.dependencies; {_MENDED}",
        )
    arguments = ("--dry-run", "--ignore-installed", "--quiet", "--report", "-", "--find-links", str(folder))
    done = _pip("install", *_WHEELS_ONLY, *arguments, "--", *dependencies)
    if done.returncode != 0:
        raise BadArchive(
            "dependency_missing", _complaint(done.stderr), f"this arena has {_list(offered(folder))}; {_MENDED}"
        )
    chosen = json.loads(done.stdout)["install"]
    return tuple(Path(unquote(urlsplit(item["download_info"]["url"]).path)) for item in chosen)


def install(wheels: Iterable[Path], target: Path) -> str:
    """Unpack wheels into a folder and return what was said meanwhile; raise InfrastructureFault when it fails."""
    files = [str(wheel) for wheel in wheels]
    if not files:
        return ""
    done = _pip("install", *_WHEELS_ONLY, "--no-deps", "--target", str(target), "--", *files)
    if done.returncode != 0:
        raise InfrastructureFault(f"wheels could not be unpacked: {_complaint(done.stderr)}")
    return done.stdout


def require_resources(manifest: Manifest, *, memory_bytes: int, cpus: float) -> None:
    """Raise BadArchive when a bot wishes more than each of its processes is given."""
    most_mb = memory_bytes // (1024 * 1024)
    if (manifest.memory_mb or 0) > most_mb:
        raise BadArchive(
            "too_much_memory",
            f"bot.resources wishes {manifest.memory_mb} MB; a process here has {most_mb} MB",
            f"make do with {most_mb} MB, or leave bot.resources.memory_mb out",
        )
    if (manifest.cpus or 0.0) > cpus:
        raise BadArchive(
            "too_many_cpus",
            f"bot.resources wishes {manifest.cpus:g} processors; a process here has {cpus:g}",
            f"make do with {cpus:g}, or leave bot.resources.cpus out",
        )


def require_entry(folder: Path, manifest: Manifest, runtimes: Mapping[str, Runtime]) -> None:
    """Raise BadArchive when a version brings its own program, and it is none for this machine; make it executable.

    What a version starts inside its own image only the image knows.
    Folders are made again on other machines, so this is asked whenever a bot is about to be started.
    """
    runtime = runtimes.get(manifest.runtime)
    if runtime is not None and not runtime.commands and not manifest.image:
        _require_program(folder / manifest.entry[0])


def _require_program(file: Path) -> None:
    with file.open("rb") as stream:
        head = stream.read(_ELF_HEAD)
    if head[:4] != b"\x7fELF" or len(head) < _ELF_HEAD:
        what = "a script, and there is nothing here that runs it" if head[:2] == b"#!" else "no Linux program"
        raise BadArchive(
            "not_a_program", f"bot.entry starts {file.name!r}, which is {what}", "build it for Linux, linked statically"
        )
    machine = int.from_bytes(head[18:20], "little" if head[5] == 1 else "big")
    if machine != _MACHINES.get(os.uname().machine, machine):
        raise BadArchive(
            "other_machine",
            f"bot.entry starts {file.name!r}, which is not for {os.uname().machine}",
            f"build it for Linux on {os.uname().machine}",
        )
    file.chmod(0o755)


def offered(folder: Path | None) -> tuple[str, ...]:
    """Return the names and versions in a wheel folder, as ``numpy 2.1.0``."""
    if folder is None or not folder.is_dir():
        return ()
    return tuple(sorted({" ".join(file.name.split("-")[:2]) for file in folder.glob("*.whl")}))


def _pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pip with nothing of the worker's environment in an empty folder, so that no setting of a machine applies."""
    environment = {"PATH": os.defpath, "PIP_CONFIG_FILE": os.devnull, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        with tempfile.TemporaryDirectory(prefix=f"ga-{os.getpid()}-pip") as empty:
            return subprocess.run(  # noqa: S603
                [*_PIP, *arguments],
                capture_output=True,
                text=True,
                timeout=_TIMEOUT_S,
                check=False,
                cwd=empty,
                env=environment | {"HOME": empty, "TMPDIR": empty},
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InfrastructureFault(f"pip did not run: {error}") from error


def _complaint(text: str) -> str:
    """Return the last thing pip complained of."""
    lines = [line.removeprefix("ERROR: ") for line in text.splitlines() if line.startswith("ERROR: ")]
    return (lines or text.strip().splitlines() or ["pip failed"])[-1][:300]


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return (", ".join(names[:_NAMED]) or "no wheels") + more
