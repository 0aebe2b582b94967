"""The root that an author brings: an image laid out, and beside it what starts a bot in it with its limits set.

What sets limits is ours and needs nothing of the image: no library, no loader, no variable. A bot that could put its
own program in that place would have no limits.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from guandan_runner.archives import Limits
from guandan_runner.errors import BadArchive, SandboxUnavailable
from guandan_runner.images import Config, opened_image
from guandan_runner.images.tree import Tree, parts_of
from guandan_runner.runtimes import PATH, RuntimeRoot
from guandan_runner.sandbox.rootfs import MOUNTED, PRLIMIT, Recipe, digest_of, kept, linked_with

__all__ = ["brought_root", "started_in"]

OURS: Final = ".guandan"  # in the root: no image has anything there
LOADER: Final = "ld.so"
LIBRARIES: Final = "lib"
CONFIG: Final = "image.json"
MOUNTED_FILES: Final = (
    "etc/hosts",
    "etc/hostname",
    "etc/resolv.conf",
    "sbin/docker-init",
)  # by Docker, whatever is there
# Runs before a program's own code, whoever's program it is.
PRELOADED: Final = ("etc", "ld.so.preload")


def brought_root(cache: Path, file: Path, limits: Limits) -> RuntimeRoot:
    """Return the root that an image file is, laying it out when the cache has none; raise BadArchive."""
    with file.open("rb") as stream:
        digest = digest_of("image", hashlib.file_digest(stream, "sha256").hexdigest())
    recipe = Recipe(digest, lambda root: _lay_out(file, root, limits))
    root = kept(cache, recipe)
    config = Config.from_json((root / OURS / CONFIG).read_text("utf-8"))
    variables = {name: value for name, value in config.environment if name != "GUANDAN_TABLE"}
    return RuntimeRoot(
        root,
        digest,
        variables.get("PATH", PATH),
        brought=True,
        entry=config.entry,
        folder=config.folder,
        environment=tuple(variables.items()),
    )


def started_in(root: RuntimeRoot, limits: Sequence[str], entry: Sequence[str]) -> list[str]:
    """Return the command that, inside a root, sets limits (options of prlimit) and then starts a bot.

    In a root that its author brought, the image's variables are set last, when nothing of ours runs any more.
    """
    if not root.brought:
        return [PRLIMIT, *limits, *entry]
    loads = (root.path / OURS / LOADER).exists()
    ours = [f"/{OURS}/{LOADER}", "--inhibit-cache", "--library-path", f"/{OURS}/{LIBRARIES}"] if loads else []
    variables = [f"{name}={value}" for name, value in root.environment]
    return [*ours, f"/{OURS}/prlimit", *limits, *ours, f"/{OURS}/env", "--", *variables, *entry]


def _lay_out(file: Path, root: Path, limits: Limits) -> None:
    with opened_image(file, limits) as (tree, config):
        _make_room(tree)
        _make_start(tree, config.folder)
        tree.write(root)
    _furnish(root / OURS, config)


def _make_room(tree: Tree) -> None:
    """Have folders, and no links, where the sandbox mounts its own and where our programs go, and nothing in them."""
    tree.remove((OURS,))
    for place in (*MOUNTED, OURS):
        _folder(tree, place)
        tree.empty(place.split("/"))
    _folder(tree, "etc")
    for file in MOUNTED_FILES:
        folder, _, name = file.rpartition("/")
        if tree.at((folder,)) is not None:
            tree.remove((*_led_to_folder(tree, folder), name))
    tree.remove(PRELOADED)


def _folder(tree: Tree, place: str) -> None:
    try:
        tree.folder(place.split("/"))
    except BadArchive as error:
        raise _no_folder(place) if error.code == "image_through_link" else error from error


def _led_to_folder(tree: Tree, place: str) -> tuple[str, ...]:
    found = tree.led_to(place)
    if found is None or not isinstance(tree.at(found), dict):
        raise _no_folder(place)
    return found


def _no_folder(place: str) -> BadArchive:
    return BadArchive(
        "image_mount_point", f"/{place} of the image is no folder", "make it a folder; a sandbox needs it there"
    )


def _make_start(tree: Tree, path: str) -> None:
    """Make the folder that an image's program starts in, as container tools do, if it is not there."""
    hidden = any(f"{posixpath.normpath(path)}/".startswith(f"/{place}/") for place in MOUNTED)
    found = tree.led_to(path)
    if found is not None and isinstance(tree.at(found), dict) and (not hidden or "/".join(found) in MOUNTED):
        return
    try:
        if not hidden:
            tree.folder(parts_of(posixpath.normpath(path)))
            return
    except BadArchive as error:
        if error.code != "image_through_link":
            raise
    raise BadArchive(
        "image_folder",
        f"the image starts in {path[:120]!r}, where there is no folder of its own",
        "set WORKDIR to a folder of the image, to /tmp or to /bot",
    )


def _furnish(ours: Path, config: Config) -> None:
    """Copy the programs that set limits and variables, with all they need; write down the configuration."""
    programs = [_program(name) for name in ("prlimit", "env")]
    (ours / LIBRARIES).mkdir()
    for name, program in zip(("prlimit", "env"), programs, strict=True):
        shutil.copy2(program, ours / name)
    for library in linked_with(programs):
        loads = library.name.startswith("ld-")
        shutil.copy2(library, ours / LOADER if loads else ours / LIBRARIES / library.name)
    (ours / CONFIG).write_text(config.to_json(), "utf-8")
    for path in (ours / LIBRARIES, *(path for path in ours.rglob("*") if path.is_file())):
        path.chmod(0o644 if path.name == CONFIG else 0o755)


def _program(name: str) -> Path:
    found = shutil.which(name)
    if found is None:
        raise SandboxUnavailable("runtime", f"no {name} command (Debian: {_PACKAGES[name]})")
    return Path(os.path.realpath(found))


_PACKAGES: Final = {"prlimit": "util-linux", "env": "coreutils"}
