"""Root folders of runtimes, made of files of this machine: the parts that every kind of runtime shares."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from guandan_runner.errors import SandboxUnavailable
from guandan_runner.runtimes import RuntimeRoot

__all__ = [
    "LAYOUT",
    "MOUNTED",
    "PREFIX",
    "PRLIMIT",
    "Recipe",
    "built",
    "copy",
    "copy_libraries",
    "copy_prlimit",
    "digest_of",
    "digests_in",
    "folder_of",
    "inside",
    "kept",
    "linked_with",
]

LAYOUT: Final = 2  # raise when the way a root is built changes, so that cached ones are not taken
PREFIX: Final = "runtime-"  # of a root's folder name; its digest follows
PRLIMIT: Final = "/usr/local/bin/prlimit"  # inside the root
MOUNTED: Final = ("proc", "sys", "dev", "run/arena", "bot", "tmp")  # what a sandbox puts folders of its own on
# Loaded with dlopen, or by programs that an author brings, so that ldd does not name them.
LOADED_LATE: Final = (
    *("libgcc_s.so.1", "libstdc++.so.6", "libnss_files.so.2", "libnss_dns.so.2", "libresolv.so.2"),
    *("libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1"),
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a root is made: ``digest`` names what will be in it, ``fill`` puts that into an empty folder."""

    digest: str
    fill: Callable[[Path], None]


def folder_of(cache: Path, recipe: Recipe) -> Path:
    """Return where a root lies, or will lie once it is built."""
    return cache / f"{PREFIX}{recipe.digest}"


def built(cache: Path, recipe: Recipe) -> RuntimeRoot:
    """Return the root of a recipe for files of this machine, building it when the cache has none."""

    def fill(root: Path) -> None:
        recipe.fill(root)
        copy_libraries(root)
        _furnish(root)

    return RuntimeRoot(kept(cache, Recipe(recipe.digest, fill)), recipe.digest)


def kept(cache: Path, recipe: Recipe) -> Path:
    """Return the folder of a root, which appears whole or not at all, filling it when the cache has none.

    Its time of change is the last time it was asked for.
    """
    root = folder_of(cache, recipe)
    if not root.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        half_built = Path(tempfile.mkdtemp(prefix="building-", dir=cache))
        try:
            half_built.chmod(0o755)
            recipe.fill(half_built)
            _publish(half_built, root)
        finally:
            shutil.rmtree(half_built, ignore_errors=True)
    os.utime(root)
    return root


def digest_of(*parts: str) -> str:
    """Name a root by what it is made of, in so many digits that no author finds two images of one name."""
    return hashlib.sha256("|".join((str(LAYOUT), *parts)).encode()).hexdigest()[:32]


def digests_in(cache: Path) -> frozenset[str]:
    """Return the digests of the roots that are kept."""
    return frozenset(path.name.removeprefix(PREFIX) for path in cache.glob(f"{PREFIX}*"))


def inside(root: Path, absolute: Path) -> Path:
    """Return where an absolute path of this machine lies inside the root."""
    return root / absolute.relative_to("/")


def copy(source: Path, root: Path) -> None:
    """Copy one file to its own absolute path inside the root."""
    target = inside(root, source)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


def copy_prlimit(root: Path) -> None:
    """Copy the command that sets a process's limits, which every sandbox starts first."""
    prlimit = shutil.which("prlimit")
    if prlimit is None:
        raise SandboxUnavailable("runtime", "no prlimit command (Debian: util-linux)")
    target = inside(root, Path(PRLIMIT))
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(prlimit, target)


def copy_libraries(root: Path) -> None:
    """Copy every shared library that a binary in the root is linked with, and those loaded by name, to its own path."""
    binaries = [f for f in root.rglob("*") if f.is_file() and (".so" in f.suffixes or "bin" in f.parts)]
    libraries = linked_with(binaries)
    folders = {library.parent for library in libraries}
    libraries |= {folder / name for folder in folders for name in LOADED_LATE if (folder / name).is_file()}
    for library in libraries:
        if not library.is_relative_to(root):
            copy(library, root)


def linked_with(binaries: Sequence[Path]) -> set[Path]:
    """Return the shared libraries, and the loader, that binaries of this machine are linked with.

    Never ask this of a stranger's: ``ldd`` may run what it looks at.
    """
    linked = subprocess.run(["ldd", *map(str, binaries)], capture_output=True, text=True, timeout=120, check=False)  # noqa: S603, S607
    return {Path(p) for p in re.findall(r"(?:=> |^\s*)(/\S+) \(0x", linked.stdout, re.MULTILINE)}


def _publish(half_built: Path, root: Path) -> None:
    """Put a finished root at its name; another worker may have been first, with the same content."""
    try:
        half_built.rename(root)
    except OSError:
        if not root.is_dir():
            raise


def _furnish(root: Path) -> None:
    """Add the mount points, the names of users and the library cache every program expects, readable by all."""
    for name in (*MOUNTED, "etc"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "tmp").chmod(0o1777)
    (root / "etc/passwd").write_text("root:x:0:0:root:/:/sbin/nologin\nnobody:x:65534:65534:bot:/tmp:/sbin/nologin\n")
    (root / "etc/group").write_text("root:x:0:\nnogroup:x:65534:\n")
    for folder, _, files in os.walk(root):
        if folder != str(root / "tmp"):
            os.chmod(folder, 0o755)  # noqa: S103 - read by the bot's own uid, mounted read-only
        for file in files:
            path = Path(folder, file)
            if not path.is_symlink():
                path.chmod(0o755 if os.access(path, os.X_OK) else 0o644)
