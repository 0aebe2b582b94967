"""What layers make together, kept in memory until all are read: no path of an image is looked up on this machine.

A link is a leaf here, so nothing is ever placed behind one; on disk links are made last, when every file lies.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, TypeAlias

from guandan_runner.archives import Limits
from guandan_runner.errors import BadArchive, TooMuch

__all__ = ["TARGET_BYTES", "File", "Link", "Tree", "parts_of", "too_large", "too_many"]

PATH_BYTES: Final = 512
NAME_BYTES: Final = 255
TARGET_BYTES: Final = 4_095
_LINKS: Final = 40  # as many as Linux follows
_CHUNK_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True, eq=False)
class File:
    """A file's bytes, as they lie in an unpacked layer. Hard links are the same object at several places."""

    layer: IO[bytes]
    offset: int
    size: int
    executable: bool


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link, wherever it leads."""

    target: str


Folder: TypeAlias = dict[str, "Node"]
Node: TypeAlias = File | Link | Folder


class Tree:
    """The files of an image, within limits that count what later layers replace or remove too."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._root: Folder = {}
        self._nodes = 0
        self._bytes = 0

    def at(self, parts: Sequence[str]) -> Node | None:
        """Return what lies at a path, or None."""
        node: Node | None = self._root
        for part in parts:
            if not isinstance(node, dict):
                return None
            node = node.get(part)
        return node

    def led_to(self, path: str) -> tuple[str, ...] | None:
        """Return where a path leads through links, as within the image's root; None when nothing is there."""
        here: list[str] = []
        todo, left = path.split("/")[::-1], _LINKS
        while todo:
            part = todo.pop()
            node = self.at([*here, part])
            if part in ("", "."):
                continue
            if part == "..":
                here = here[:-1]
            elif isinstance(node, Link) and left:
                left -= 1
                here = [] if node.target.startswith("/") else here
                todo += node.target.split("/")[::-1]
            elif isinstance(node, File | dict):
                here.append(part)
            else:
                return None
        return tuple(here)

    def folder(self, parts: Sequence[str]) -> Folder:
        """Return the folder at a path, made with those above it where nothing is; raise BadArchive where a link is."""
        here = self._root
        for number, part in enumerate(parts, 1):
            node = here.get(part)
            if node is None:
                self._count(0)
                node = here[part] = {}
            if not isinstance(node, dict):
                raise _through(parts[:number], node)
            here = node
        return here

    def place_folder(self, parts: Sequence[str]) -> None:
        """Put a folder at a path, in place of a file or a link; one that is there keeps what it holds."""
        if parts and not isinstance(self.at(parts), dict | None):
            self.remove(parts)
        self.folder(parts)

    def place(self, parts: Sequence[str], node: File | Link) -> None:
        """Put a file or a link at a path, in place of whatever was there."""
        self._count(node.size if isinstance(node, File) else 0)
        self.folder(parts[:-1])[parts[-1]] = node

    def place_again(self, parts: Sequence[str], target: Sequence[str]) -> None:
        """Put what lies at another path of the image here too: a hard link."""
        found = self.at(target)
        if not isinstance(found, File | Link):
            raise BadArchive(
                "image_hard_link",
                f"{_shown(parts)} is a hard link to {_shown(target)}, which is no file of the image",
                "save the image again",
            )
        self._count(0)
        self.folder(parts[:-1])[parts[-1]] = found

    def remove(self, parts: Sequence[str]) -> None:
        """Take away what lies at a path, if anything does."""
        above = self.at(parts[:-1])
        if isinstance(above, dict):
            above.pop(parts[-1], None)

    def empty(self, parts: Sequence[str]) -> None:
        """Take away all that a folder holds, if there is one."""
        found = self.at(parts)
        if isinstance(found, dict):
            found.clear()

    def write(self, root: Path) -> None:
        """Write everything into an empty folder, readable by all and writable by its owner only."""
        written: dict[int, str] = {}
        links: list[tuple[str, str]] = []
        for path, node in self._walk(str(root)):
            if isinstance(node, Link):
                links.append((node.target, path))
            elif isinstance(node, dict):
                os.mkdir(path)
                os.chmod(path, 0o755)  # noqa: S103 - read by the bot's own uid, mounted read-only
            elif (first := written.setdefault(id(node), path)) != path:
                os.link(first, path)
            else:
                _write(node, path)
        for target, path in links:
            os.symlink(target, path)

    def _walk(self, root: str) -> Iterator[tuple[str, Node]]:
        """Yield every node with its place, a folder before what it holds."""
        todo = [(root, self._root)]
        while todo:
            above, folder = todo.pop()
            for name, node in folder.items():
                path = os.path.join(above, name)
                yield path, node
                if isinstance(node, dict):
                    todo.append((path, node))

    def _count(self, size: int) -> None:
        self._nodes += 1
        self._bytes += size
        if self._nodes > self._limits.files:
            raise too_many(self._limits)
        if self._bytes > self._limits.total_bytes:
            raise too_large(self._limits)


def too_many(limits: Limits) -> TooMuch:
    """Say that an image's layers hold more than they may."""
    return TooMuch(
        "image_too_many_files",
        f"the layers of the image hold more than {limits.files} files, folders and links",
        "build from a smaller base, or FROM scratch; what a later layer removes counts too",
    )


def too_large(limits: Limits) -> TooMuch:
    """Say that an image's layers are more than they may be."""
    return TooMuch(
        "image_too_large",
        f"the layers of the image unpack to more than {limits.total_bytes // (1024 * 1024)} MB",
        "build from a smaller base, or FROM scratch; what a later layer removes counts too",
    )


def parts_of(name: str) -> tuple[str, ...]:
    """Return the names a path of an image is made of, from its root; raise BadArchive for one that leads elsewhere."""
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    path = "/".join(parts)
    if ".." in parts or "\0" in name or _bytes(path) > PATH_BYTES or any(_bytes(part) > NAME_BYTES for part in parts):
        raise BadArchive(
            "image_path", f"a layer holds the path {name[:120]!r}", "paths lie inside the image and are not that long"
        )
    return parts


def _bytes(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))


def _write(file: File, path: str) -> None:
    file.layer.seek(file.offset)
    left = file.size
    with open(path, "xb") as out:
        os.fchmod(out.fileno(), 0o755 if file.executable else 0o644)
        while chunk := file.layer.read(min(left, _CHUNK_BYTES)):
            out.write(chunk)
            left -= len(chunk)


def _through(parts: Sequence[str], node: File | Link) -> BadArchive:
    what = "a link" if isinstance(node, Link) else "a file"
    return BadArchive(
        "image_through_link",
        f"a layer of the image puts something behind {_shown(parts)}, which is {what}",
        "put it where the link leads, or make a folder of it",
    )


def _shown(parts: Sequence[str]) -> str:
    return repr(f"/{'/'.join(parts)}"[:120])
