"""The root folder bots run in: this machine's CPython, its shared libraries and what ``guandan-sdk`` installs.

No image registry, package manager or network is used: everything is copied from the running interpreter, which keeps
its own absolute prefix inside the root and so needs no relocation. Docker imports the folder as an image, bubblewrap
binds it read-only.
"""

from __future__ import annotations

import compileall
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from guandan_runner.building import Wheel, install
from guandan_runner.errors import SandboxUnavailable
from guandan_runner.runtimes import RuntimeRoot
from guandan_runner.sandbox.rootfs import Recipe, built, copy, copy_prlimit, digest_of, inside

__all__ = ["build_root", "python_recipe"]

SDK: Final = "guandan-sdk"
LEFT_OUT: Final = frozenset(
    {"test", "tests", "idlelib", "tkinter", "turtledemo", "lib2to3", "ensurepip", "pydoc_data"}
    | {"site-packages", "dist-packages"}
)
FACTS: Final = """
import json, site, sys, sysconfig
paths = sysconfig.get_paths()
print(json.dumps({"stdlib": paths["stdlib"], "packages": site.getsitepackages()[0], "version": sys.version}))
"""


@dataclass(frozen=True, slots=True)
class _Interpreter:
    """The base interpreter (never a virtual environment's): its binary, standard library and package folder."""

    binary: Path
    stdlib: Path
    packages: Path
    version: str


def build_root(cache: Path) -> RuntimeRoot:
    """Return the runtime root for this interpreter and SDK, building it when ``cache`` holds none of this content."""
    return built(cache, python_recipe())


def python_recipe(wheels: Sequence[Path] = ()) -> Recipe:
    """Return how the root for this interpreter and SDK is made; ``wheels`` are installed beside the SDK."""
    if sys.platform != "linux":
        raise SandboxUnavailable("runtime", f"a runtime root can be built on Linux only, not on {sys.platform}")
    python = _interpreter()
    packages = list(_closure(SDK))
    names = (_digest(python, packages), *(Wheel.of(wheel).digest for wheel in wheels))
    return Recipe(digest_of(*names), lambda root: _fill(root, python, packages, wheels))


def _interpreter() -> _Interpreter:
    """Ask the base interpreter where its parts are."""
    binary = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    answer = subprocess.run([binary, "-I", "-c", FACTS], capture_output=True, text=True, check=True, timeout=60)  # noqa: S603
    facts = json.loads(answer.stdout)
    return _Interpreter(binary, Path(facts["stdlib"]), Path(facts["packages"]), facts["version"])


def _closure(name: str) -> Iterator[Distribution]:
    """Yield a distribution and all it requires, each once."""
    waiting, seen = [name], set[str]()
    while waiting:
        current = canonicalize_name(waiting.pop())
        if current in seen:
            continue
        seen.add(current)
        try:
            found = distribution(current)
        except PackageNotFoundError as error:
            raise SandboxUnavailable("runtime", f"{current} is not installed beside the workers") from error
        yield found
        requirements = map(Requirement, found.requires or ())
        waiting += [r.name for r in requirements if r.marker is None or r.marker.evaluate({"extra": ""})]


def _digest(python: _Interpreter, packages: Iterable[Distribution]) -> str:
    """Name the content: interpreter and packages by version, packages under development by every source file."""
    digest = hashlib.sha256(f"{python.binary}|{python.version}|{os.stat(python.binary).st_size}".encode())
    for package in sorted(packages, key=lambda p: p.metadata["Name"]):
        digest.update(f"|{package.metadata['Name']}=={package.version}".encode())
        for file in sorted(_source_files(package)):
            digest.update(str(file).encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def _development_folder(package: Distribution) -> Path | None:
    """Return the package's source folder when it is installed editable, else None."""
    origin = json.loads(package.read_text("direct_url.json") or "{}")
    if not origin.get("dir_info", {}).get("editable"):
        return None
    spec = find_spec(package.metadata["Name"].replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        raise SandboxUnavailable("runtime", f"{package.metadata['Name']} is installed editable but cannot be found")
    return Path(next(iter(spec.submodule_search_locations)))


def _source_files(package: Distribution) -> Iterator[Path]:
    """Yield the files of a package under development; nothing for one that its version names."""
    folder = _development_folder(package)
    if folder:
        yield from (f for f in folder.rglob("*") if f.is_file() and "__pycache__" not in f.parts)


def _fill(root: Path, python: _Interpreter, packages: Iterable[Distribution], wheels: Sequence[Path]) -> None:
    """Write the whole root into an empty folder."""
    copy(python.binary, root)
    _copy_standard_library(python.stdlib, root)
    site = inside(root, python.packages)
    site.mkdir(parents=True, exist_ok=True)
    for package in packages:
        _copy_package(package, site)
    install(wheels, site)
    for name in ("python", "python3"):
        link = root / "usr/local/bin" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(python.binary)
    copy_prlimit(root)
    compileall.compile_dir(
        site, quiet=2, workers=1, stripdir=str(root), invalidation_mode=PycInvalidationMode.UNCHECKED_HASH
    )


def _copy_standard_library(stdlib: Path, root: Path) -> None:
    """Copy the standard library with its compiled files, without tests, desktop parts and build settings."""

    def leave_out(folder: str, names: list[str]) -> list[str]:
        top = Path(folder) == stdlib
        return [
            n for n in names if n in LEFT_OUT or (top and n.startswith("config-")) or ".opt-" in n or "_tkinter" in n
        ]

    shutil.copytree(stdlib, inside(root, stdlib), ignore=leave_out, symlinks=False, ignore_dangling_symlinks=True)


def _copy_package(package: Distribution, site: Path) -> None:
    """Copy an installed package's files, or the source folder of one under development."""
    folder = _development_folder(package)
    if folder:
        shutil.copytree(folder, site / folder.name, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    for file in package.files or ():
        if ".." in file.parts or "__pycache__" in file.parts or file.name == "direct_url.json" or file.suffix == ".pth":
            continue
        source = Path(str(package.locate_file(file)))
        if source.is_file():
            (site / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, site / file)


if __name__ == "__main__":
    print(build_root(Path(sys.argv[1]).resolve()).path)  # noqa: T201 - for deploy/images/runtime/Dockerfile
