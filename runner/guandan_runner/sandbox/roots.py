"""The root folder of each runtime by its name: built from this machine's files when it is first needed.

``python -m guandan_runner.sandbox.roots list|build CACHE`` is what ``guandan-arena runtimes`` runs.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from guandan_runner.building import resolve
from guandan_runner.errors import BadArchive, RunnerError, RuntimeNotBuilt, SandboxUnavailable
from guandan_runner.runtimes import RUNTIMES, Runtime, RuntimeRoot, load_runtimes
from guandan_runner.sandbox.rootfs import built, copy, copy_prlimit, digest_of
from guandan_runner.sandbox.runtime import build_root

__all__ = ["Roots"]


class Roots:
    """Runtime roots of this machine, kept in ``cache``; ``wheels`` is the operator's wheel folder, if any."""

    def __init__(self, cache: Path, runtimes: Mapping[str, Runtime] = RUNTIMES, *, wheels: Path | None = None) -> None:
        self._cache = cache
        self._runtimes = runtimes
        self._wheels = wheels
        self._built: dict[str, RuntimeRoot] = {}

    @property
    def runtimes(self) -> Mapping[str, Runtime]:
        """The runtimes this machine may be asked for."""
        return self._runtimes

    def root(self, name: str) -> RuntimeRoot:
        """Return a runtime's root, building it when needed; raise RuntimeNotBuilt saying why it cannot be built."""
        known = self._built.get(name)
        if known is not None and known.path.is_dir():
            known.path.touch()  # it is in use, so pruning leaves it alone
            return known
        runtime = self._runtimes.get(name)
        if runtime is None:
            raise RuntimeNotBuilt(name, "it is not in this arena's list of runtimes")
        try:
            self._built[name] = _BUILDERS[runtime.kind](self._cache, runtime, self._wheels)
        except BadArchive as error:
            raise RuntimeNotBuilt(name, f"{error.reason}; {error.hint}") from error
        except SandboxUnavailable as error:
            raise RuntimeNotBuilt(name, error.reason) from error
        return self._built[name]


def _python(cache: Path, runtime: Runtime, wheels: Path | None) -> RuntimeRoot:
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    if runtime.version != here:
        raise SandboxUnavailable("runtime", f"the workers run Python {here}, not {runtime.version}")
    return build_root(cache, wheels=resolve(runtime.packages, wheels))


def _node(cache: Path, runtime: Runtime, wheels: Path | None) -> RuntimeRoot:
    found = shutil.which("node")
    if found is None:
        raise SandboxUnavailable("runtime", "there is no `node` command beside the workers (Debian: nodejs)")
    node = Path(found).resolve()
    # Debian's node reads some of its own modules from here; others have them inside.
    modules = Path("/usr/share/nodejs")

    def fill(root: Path) -> None:
        copy(node, root)
        if modules.is_dir():
            shutil.copytree(modules, root / modules.relative_to("/"), symlinks=False, ignore_dangling_symlinks=True)
        copy_prlimit(root)
        (root / "usr/local/bin/node").symlink_to(node)

    return built(cache, digest_of("node", str(node), _content(node), str(modules.is_dir())), fill)


def _program(cache: Path, runtime: Runtime, wheels: Path | None) -> RuntimeRoot:
    prlimit = shutil.which("prlimit")
    if prlimit is None:
        raise SandboxUnavailable("runtime", "no prlimit command (Debian: util-linux)")
    return built(cache, digest_of("program", _content(Path(prlimit))), copy_prlimit)


_BUILDERS: Final[Mapping[str, Callable[[Path, Runtime, Path | None], RuntimeRoot]]] = {
    "python": _python,
    "node": _node,
    "program": _program,
}


def _content(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    """List or build runtimes; return 1 when one that was named cannot be built."""
    parser = argparse.ArgumentParser(description="Root folders of runtimes.")
    parser.add_argument("verb", choices=("list", "build"))
    parser.add_argument("cache", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--runtimes", type=Path)
    parser.add_argument("--wheels", type=Path)
    options = parser.parse_args(arguments)
    roots = Roots(options.cache.resolve(), load_runtimes(options.runtimes), wheels=options.wheels)
    well = True
    for name in options.names or sorted(roots.runtimes):
        well &= _tell(roots, name) or not options.names
    return 0 if well else 1


def _tell(roots: Roots, name: str) -> bool:
    """Build a runtime and write one line: its name, its root or why there is none."""
    try:
        root = roots.root(name)
    except RuntimeNotBuilt as error:
        sys.stdout.write(f"{name}\tnot built\t{error.reason}\n")
        return False
    sys.stdout.write(f"{name}\tbuilt\t{root.path}\n")
    return True


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RunnerError as error:
        sys.exit(f"error: {error}")
