"""The root folder of each runtime by its name: built from this machine's files when it is first needed.

``python -m guandan_runner.sandbox.roots list|build CACHE`` is what ``guandan-arena runtimes`` runs.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from guandan_proto.manifest import Manifest
from guandan_runner.archives import Limits
from guandan_runner.building import resolve
from guandan_runner.errors import BadArchive, RunnerError, RuntimeNotBuilt, SandboxUnavailable
from guandan_runner.images import IMAGE_LIMITS
from guandan_runner.runtimes import RUNTIMES, Runtime, RuntimeRoot, load_runtimes
from guandan_runner.sandbox.brought import brought_root
from guandan_runner.sandbox.docker import image_finder
from guandan_runner.sandbox.rootfs import Recipe, built, copy, copy_prlimit, digest_of, folder_of
from guandan_runner.sandbox.runtime import python_recipe

__all__ = ["Roots"]


class Roots:
    """Runtime roots of this machine, kept in ``cache``; ``wheels`` is the operator's wheel folder, if any.

    ``images`` finds the id of a container image by name; None where the sandbox starts no images.
    ``image_limits``: how much an image of an author's may hold.
    """

    def __init__(
        self,
        cache: Path,
        runtimes: Mapping[str, Runtime] = RUNTIMES,
        *,
        wheels: Path | None = None,
        images: Callable[[str], str | None] | None = None,
        image_limits: Limits = IMAGE_LIMITS,
    ) -> None:
        self._cache = cache
        self._runtimes = runtimes
        self._wheels = wheels
        self._images = images
        self._image_limits = image_limits
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
        runtime = self._listed(name)
        if runtime.image:
            return self._of_image(runtime)
        self._built[name] = built(self._cache, self._recipe(runtime))
        return self._built[name]

    def of_bot(self, folder: Path, manifest: Manifest) -> RuntimeRoot:
        """Return the root of an unpacked version: its runtime's, or the image that it brings.

        Raises RuntimeNotBuilt, or BadArchive when the image cannot be taken.
        """
        if not manifest.image:
            return self.root(manifest.runtime)
        try:
            root = brought_root(self._cache, folder / manifest.image, self._image_limits)
        except SandboxUnavailable as error:
            raise RuntimeNotBuilt(manifest.runtime, error.reason) from error
        if manifest.entry:
            return replace(root, entry=manifest.entry, folder="")
        if not root.entry:
            raise BadArchive(
                "no_entry", "neither bot.entry nor the image says what to start", 'write entry = ["/app/bot"]'
            )
        return root

    def planned(self, name: str) -> RuntimeRoot:
        """Return a runtime's root as it is or would be, building nothing; raise RuntimeNotBuilt."""
        runtime = self._listed(name)
        if runtime.image:
            return self._of_image(runtime)
        recipe = self._recipe(runtime)
        return RuntimeRoot(folder_of(self._cache, recipe), recipe.digest)

    def _listed(self, name: str) -> Runtime:
        runtime = self._runtimes.get(name)
        if runtime is None:
            raise RuntimeNotBuilt(name, "it is not in this arena's list of runtimes")
        return runtime

    def _of_image(self, runtime: Runtime) -> RuntimeRoot:
        """Return the root that is an operator's image, by the id it has now: its name may come to mean another."""
        if self._images is None:
            raise RuntimeNotBuilt(runtime.name, f"it is the image {runtime.image}, which only Docker can start")
        found = self._images(runtime.image)
        if found is None:
            raise RuntimeNotBuilt(runtime.name, f"the Docker daemon has no image {runtime.image}")
        return RuntimeRoot(Path(os.devnull), found, image=found)  # no folder anybody could show a bot

    def _recipe(self, runtime: Runtime) -> Recipe:
        name = runtime.name
        try:
            return _RECIPES[runtime.kind](runtime, self._wheels)
        except BadArchive as error:
            have = f"; {error.hint}" if error.code == "dependency_missing" else ""
            raise RuntimeNotBuilt(name, error.reason + have) from error
        except SandboxUnavailable as error:
            raise RuntimeNotBuilt(name, error.reason) from error


def _python(runtime: Runtime, wheels: Path | None) -> Recipe:
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    if runtime.version != here:
        raise SandboxUnavailable("runtime", f"the workers run Python {here}, not {runtime.version}")
    return python_recipe(resolve(runtime.packages, wheels))


def _node(runtime: Runtime, wheels: Path | None) -> Recipe:
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

    return Recipe(digest_of("node", str(node), _content(node), str(modules.is_dir())), fill)


def _program(runtime: Runtime, wheels: Path | None) -> Recipe:
    prlimit = shutil.which("prlimit")
    if prlimit is None:
        raise SandboxUnavailable("runtime", "no prlimit command (Debian: util-linux)")
    return Recipe(digest_of("program", _content(Path(prlimit))), copy_prlimit)


_RECIPES: Final[Mapping[str, Callable[[Runtime, Path | None], Recipe]]] = {
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
    listed = load_runtimes(options.runtimes)
    images = image_finder() if any(runtime.image for runtime in listed.values()) else None
    roots = Roots(options.cache.resolve(), listed, wheels=options.wheels, images=images)
    well = True
    for name in options.names or sorted(roots.runtimes):
        well &= _tell(roots, name, build=options.verb == "build") or not options.names
    return 0 if well else 1


def _tell(roots: Roots, name: str, *, build: bool) -> bool:
    """Build or look for a runtime and write one line: its name, its root or why there is none."""
    try:
        root = roots.root(name) if build else roots.planned(name)
    except RunnerError as error:
        reason = error.reason if isinstance(error, RuntimeNotBuilt) else str(error)
        sys.stdout.write(f"{name}\tcannot be built\t{reason}\n")
        return False
    state = "built" if root.image or root.path.is_dir() else "can be built"
    sys.stdout.write(f"{name}\t{state}\t{root.image or root.path}\n")
    return True


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RunnerError as error:
        sys.exit(f"error: {error}")
