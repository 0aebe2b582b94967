"""One layer after another: what it removes of those below, then what it adds."""

from __future__ import annotations

import hashlib
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import IO, Final, cast

import zstandard

from guandan_runner.archives import Limits
from guandan_runner.errors import BadArchive
from guandan_runner.images.tree import TARGET_BYTES, File, Link, Tree, parts_of, too_large, too_many
from guandan_runner.tars import BrokenTar, members

__all__ = ["Allowance", "apply_layer", "plain"]

GZIP: Final = b"\x1f\x8b"
ZSTD: Final = b"\x28\xb5\x2f\xfd"
WHITEOUT: Final = ".wh."
OPAQUE: Final = ".wh..wh..opq"
_OF_TOOLS: Final = ".wh..wh."  # marks of a file system that only its tools read
_CHUNK_BYTES: Final = 256 * 1024
_MEMBERS: Final = 20_000  # of one gzip; some tools begin one for each file
_WINDOW_BYTES: Final = 128 * 1024 * 1024  # what the zstd command itself would use at most
_HEAD_BYTES: Final = 2_048  # a tar's own share of each file; names that are longer take more


class Allowance:
    """What may still be unpacked of an image: bytes, tar's own included, and entries, those that vanish included."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bytes = limits.total_bytes + _HEAD_BYTES * limits.files
        self._entries = limits.files

    def take(self, size: int) -> None:
        """Count bytes; raise TooMuch."""
        self._bytes -= size
        if self._bytes < 0:
            raise too_large(self._limits)

    def enter(self) -> None:
        """Count an entry of a layer; raise TooMuch."""
        self._entries -= 1
        if self._entries < 0:
            raise too_many(self._limits)


def plain(packed: IO[bytes], allowance: Allowance, *, digest: str = "") -> IO[bytes]:
    """Return a file with the bytes of a tar, gzip or zstd undone, as far as is allowed; the caller closes it.

    ``digest``: the SHA-256 that these bytes must have, "" when nobody has said.
    """
    found = hashlib.sha256()
    with ExitStack() as stack:
        out = stack.enter_context(tempfile.TemporaryFile())
        for chunk in _unpacked(packed):
            allowance.take(len(chunk))
            found.update(chunk)
            out.write(chunk)
        if digest and found.hexdigest() != digest:
            raise BadArchive(
                "image_digest",
                f"a layer of the image is not what its digest {digest[:12]} says",
                "save the image again",
            )
        out.seek(0)
        stack.pop_all()
    return cast("IO[bytes]", out)


def _unpacked(packed: IO[bytes]) -> Iterator[bytes]:
    packed.seek(0)
    head = packed.read(4)
    packed.seek(0)
    if head[:2] == GZIP:
        yield from _gunzipped(packed)
        return
    stream = packed
    if head == ZSTD:
        unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES)
        stream = cast("IO[bytes]", unpacker.stream_reader(packed, read_across_frames=True))
    while chunk := stream.read(_CHUNK_BYTES):
        yield chunk


def _gunzipped(packed: IO[bytes]) -> Iterator[bytes]:
    """Yield what the members of a gzip hold. The library would take zeros between them byte by byte, for hours."""
    data = packed.read(_CHUNK_BYTES)
    for _ in range(_MEMBERS):
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)  # with gzip's own head
        while not unpacker.eof:
            data = data or packed.read(_CHUNK_BYTES)
            chunk = unpacker.decompress(data, _CHUNK_BYTES)
            if not data and not chunk:
                raise BrokenTar("a layer breaks off")
            yield chunk
            data = unpacker.unconsumed_tail
        data = unpacker.unused_data or packed.read(_CHUNK_BYTES)
        while data and not (data := data.lstrip(b"\0")):
            data = packed.read(_CHUNK_BYTES)
        if not data:
            return
    raise BrokenTar(f"a layer is in more than {_MEMBERS} pieces")


def apply_layer(tree: Tree, layer: IO[bytes], allowance: Allowance) -> None:
    """Apply a layer, which stays open for as long as its files are needed; raise BadArchive."""
    listed: list[tuple[tuple[str, ...], tarfile.TarInfo]] = []
    for member in members(layer):
        allowance.enter()
        listed.append((parts_of(member.name), member))
    # A layer removes of those below only, wherever in it the marks are.
    for parts, _ in listed:
        _remove(tree, parts)
    for parts, member in listed:
        if not any(part.startswith(WHITEOUT) for part in parts):
            _add(tree, parts, member, layer)


def _remove(tree: Tree, parts: Sequence[str]) -> None:
    if not parts or not parts[-1].startswith(WHITEOUT):
        return
    *above, name = parts
    if name == OPAQUE:
        tree.empty(above)
    elif not name.startswith(_OF_TOOLS):
        tree.remove(parts_of("/".join((*above, name.removeprefix(WHITEOUT)))))


def _add(tree: Tree, parts: Sequence[str], member: tarfile.TarInfo, layer: IO[bytes]) -> None:
    if member.isdir():
        tree.place_folder(parts)
    elif not parts:
        raise BrokenTar("a layer's root is no folder")
    elif member.issym():
        tree.place(parts, Link(_target(member)))
    elif member.islnk():
        tree.place_again(parts, parts_of(member.linkname))
    elif member.isreg() and not member.issparse():
        tree.place(parts, File(layer, member.offset_data, member.size, bool(member.mode & 0o111)))
    else:
        raise BadArchive(
            "image_special_file",
            f"a layer of the image holds {member.name[:120]!r}, which is a device, a pipe or written with holes",
            "leave /dev empty; it is there when a bot plays",
        )


def _target(member: tarfile.TarInfo) -> str:
    target = member.linkname
    if not target or "\0" in target or len(target.encode(errors="surrogatepass")) > TARGET_BYTES:
        raise BrokenTar(f"the link {member.name[:120]!r} leads nowhere")
    return target
