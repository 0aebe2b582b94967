"""Tar as hostile input: a damaged header is an error and not the end, and nothing large is read to learn a name."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterator
from typing import IO, Final

__all__ = ["BrokenTar", "members"]

_HEAD_BYTES: Final = 1024 * 1024  # most that is read for one member's header: long names, attributes


_DIGITS: Final = re.compile(rb"[0-9]{256}")  # longer than any number or name, and the library goes over them squared


class BrokenTar(ValueError):
    """A tar breaks off, or holds a header that is none."""


def members(stream: IO[bytes]) -> Iterator[tarfile.TarInfo]:
    """Yield what a tar lists, reading headers only; ``offset_data`` and ``size`` say where a file's bytes lie.

    The library takes a header it cannot read for the end, and lists of holes or attributes as long as they come. What
    it raises on damaged bytes comes through. Attributes are not kept.
    """
    stream.seek(0)
    heads = _Heads(stream)
    place = -1
    with tarfile.open(fileobj=heads, mode="r:", tarinfo=_Strict) as archive:
        for member in archive:
            if member.size < 0 or member.offset <= place:
                raise BrokenTar(f"{member.name[:120]!r} has a size that leads backwards")
            place = member.offset
            heads.allow()
            # Whatever a tar says for all that follows, the library would keep a copy of for every member.
            archive.pax_headers = {}
            member.pax_headers = {}
            yield member


class _Strict(tarfile.TarInfo):
    """A header that is whole or refused; only a block of zeros ends a tar."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Strict:
        """Read a header."""
        if len(buf) == tarfile.BLOCKSIZE and not any(buf):
            return super().frombuf(buf, encoding, errors)  # raises what ends the tar
        try:
            header = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            raise BrokenTar(f"it breaks off: {error}") from error
        if header.type == tarfile.GNUTYPE_SPARSE:
            raise BrokenTar(f"{header.name[:120]!r} is written with holes")
        return header

    def _proc_pax(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        """Read a header's attributes, looking at them before the library does: it is easily kept busy for hours."""
        place = archive.fileobj.tell()
        _require_attributes(archive.fileobj.read(self.size))
        archive.fileobj.seek(place)
        return super()._proc_pax(archive)  # type: ignore[misc, no-any-return]


def _require_attributes(data: bytes) -> None:
    """Raise BrokenTar unless bytes are records as POSIX has them: ``LENGTH KEY=VALUE`` and the end of a line."""
    if _DIGITS.search(data):
        raise BrokenTar("an attribute holds too long a number")
    place = 0
    while place < len(data):
        digits, space, _ = data[place : place + 9].partition(b" ")
        record = data[place : place + int(digits)] if space and digits.isdigit() else b""
        key, equals, _ = record.partition(b"=")
        if len(key) < len(digits) + 2 or not equals or not record.endswith(b"\n") or len(record) < int(digits):
            raise BrokenTar("an attribute is not written as it has to be")
        place += len(record)


class _Heads(io.RawIOBase):
    """A file of which only so much may be read for each header; skipping what lies between is free."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._left = _HEAD_BYTES

    def allow(self) -> None:
        """Let the next header be read."""
        self._left = _HEAD_BYTES

    def read(self, size: int = -1) -> bytes:
        """Read on, and count."""
        if not 0 <= size <= self._left:
            raise BrokenTar("a header is too long")
        self._left -= size
        return self._stream.read(size)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to another place."""
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        """Return the place."""
        return self._stream.tell()
