"""What an author uploads: a zip or tar(.gz) with ``bot.toml`` at its root, read as hostile input.

The rules are checked while reading, never by trusting what the archive says of itself, and a worker unpacks through
the same rules. Only plain files and folders with plain relative paths come through.
"""

from __future__ import annotations

import gzip
import io
import shutil
import stat
import struct
import tarfile
import tempfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Final, cast

from guandan_runner.errors import BadArchive, TooMuch
from guandan_runner.manifest import MANIFEST, Manifest, read_manifest
from guandan_runner.runtimes import RUNTIMES, Runtime
from guandan_runner.tars import BrokenTar, members

__all__ = ["RESERVED", "Entry", "Limits", "entries", "inspect", "place", "unpack"]

RESERVED: Final = ".packages"  # where a version's dependencies are installed
_PATH_BYTES: Final = 512
_ENTRIES_PER_FILE: Final = 2  # folders may be listed too
_END: Final = struct.Struct("<4s4H2LH")  # of a zip: signature, disks, entries here and in all, listing's size and place
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_BYTES: Final = 20  # between the two
_LISTED: Final = b"PK\1\2"
_CHUNK_BYTES: Final = 64 * 1024
_HINT: Final = "pack the folder's content with bot.toml at the root: zip -r ../bot.zip ."


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an archive may hold once unpacked."""

    total_bytes: int
    files: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of an archive."""

    path: str
    executable: bool
    data: bytes


def inspect(data: bytes, limits: Limits, runtimes: Mapping[str, Runtime] = RUNTIMES) -> Manifest:
    """Read all of an archive and return its manifest; raise BadArchive saying what is wrong."""
    manifest: bytes | None = None
    paths: set[str] = set()
    for entry in entries(data, limits):
        paths.add(entry.path)
        if entry.path == MANIFEST:
            manifest = entry.data
    if manifest is None:
        raise BadArchive("no_manifest", f"the archive has no {MANIFEST} at its root{_nested(paths)}", _HINT)
    return read_manifest(manifest, paths, runtimes)


def place(data: bytes, folder: Path, limits: Limits, *, finish: Callable[[Path], None] = lambda _: None) -> None:
    """Unpack into a folder that appears whole or not at all, readable by a bot of any uid; raise BadArchive.

    ``finish`` may add to it before it appears.
    """
    half = Path(tempfile.mkdtemp(prefix="unpacking-", dir=folder.parent))
    try:
        unpack(data, half, limits)
        finish(half)
        for path in (half, *(p for p in half.rglob("*") if p.is_dir())):
            path.chmod(0o755)
        half.rename(folder)
    except OSError:
        if not folder.is_dir():  # else another process unpacked the same version first
            raise
    finally:
        shutil.rmtree(half, ignore_errors=True)


def unpack(data: bytes, folder: Path, limits: Limits) -> None:
    """Write an archive's files into an empty folder."""
    for entry in entries(data, limits):
        path = folder / entry.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(entry.data)
        path.chmod(0o755 if entry.executable else 0o644)


def entries(data: bytes, limits: Limits) -> Iterator[Entry]:
    """Yield the files of an archive, refusing what is unsafe as soon as it is met."""
    read = _zip_entries if zipfile.is_zipfile(io.BytesIO(data)) else _tar_entries
    total = 0
    files: set[str] = set()
    folders: set[str] = {"."}
    spelt: dict[str, str] = {}
    try:
        for entry in read(data, limits):
            total += len(entry.data)
            if total > limits.total_bytes:
                raise _too_large(limits)
            if len(files) >= limits.files:
                raise _too_many(limits)
            parents = {str(parent) for parent in PurePosixPath(entry.path).parents}
            if entry.path in files or entry.path in folders or parents & files:
                raise BadArchive("path_twice", f"the archive holds {entry.path!r} twice", "pack the folder again")
            _distinct(entry.path, spelt)
            files.add(entry.path)
            folders |= parents
            yield entry
    except BadArchive:
        raise
    except Exception as error:  # on damaged bytes the libraries raise whatever they stumble over, IndexError included
        raise BadArchive("not_an_archive", f"this is not a whole zip or tar(.gz): {error}", _HINT) from error


def _zip_length(data: bytes) -> int:
    """Return how many entries a zip declares or lists, whichever is more, without keeping any of them.

    ``ZipFile`` makes an object of every entry before it can be asked, as many as the listing's declared bytes hold and
    whatever number is declared; so entries are counted by their signature in just those bytes.
    """
    at = len(data) - _END.size
    if data[at : at + 4] != b"PK\5\6" or data[-2:] != b"\0\0":  # else a comment follows
        at = data.rfind(b"PK\5\6", max(0, at - 0xFFFF))
    declared, listing_bytes = map(int, _END.unpack_from(data, at)[4:6])
    at64 = at - _LOCATOR_BYTES - _END64.size
    if at64 >= 0 and data.startswith(b"PK\6\7", at - _LOCATOR_BYTES) and data.startswith(b"PK\6\6", at64):
        at = at64
        declared, listing_bytes = map(int, _END64.unpack_from(data, at)[7:9])
    return max(declared, data.count(_LISTED, max(0, at - listing_bytes), at))


def _zip_entries(data: bytes, limits: Limits) -> Iterator[Entry]:
    if _zip_length(data) > limits.files * _ENTRIES_PER_FILE:
        raise _too_many(limits)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            mode = info.external_attr >> 16
            if info.is_dir():
                _safe(info.filename)
                continue
            if info.flag_bits & 1:
                raise BadArchive("encrypted_archive", f"{info.filename!r} is encrypted", "pack without a password")
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                raise _special(info.filename)
            if info.file_size > limits.total_bytes:
                raise _too_large(limits)
            # ZipExtFile never yields more than the declared size, whatever was compressed.
            yield Entry(_safe(info.filename), bool(mode & 0o111), archive.read(info))


def _tar_entries(data: bytes, limits: Limits) -> Iterator[Entry]:
    with tempfile.TemporaryFile() as stream:
        whole = _write_plain(data, stream, limits)
        try:
            yield from _listed(stream, limits)
        except (BrokenTar, tarfile.TarError) as error:
            if whole:
                raise
            raise _too_large(limits) from error


def _write_plain(data: bytes, stream: IO[bytes], limits: Limits) -> bool:
    """Write a tar without its compression, as much as may be; answer whether that is all of it."""
    most = limits.total_bytes + 4096 * (limits.files + 4)  # tar adds up to 1 KB to each file and folder
    packed: IO[bytes] = io.BytesIO(data)
    if data[:2] == b"\x1f\x8b":
        packed = cast("IO[bytes]", gzip.GzipFile(fileobj=packed))
    while chunk := packed.read(min(_CHUNK_BYTES, most - stream.tell())):
        stream.write(chunk)
    return stream.tell() < most  # else it is cut off: the answer to a compressed bomb


def _listed(stream: IO[bytes], limits: Limits) -> Iterator[Entry]:
    for number, member in enumerate(members(stream)):
        if number >= limits.files * _ENTRIES_PER_FILE:
            raise _too_many(limits)
        path = _safe(member.name)
        if member.isdir():
            continue
        if not member.isreg() or member.issparse():
            raise _special(member.name)
        if member.size > limits.total_bytes:
            raise _too_large(limits)
        stream.seek(member.offset_data)
        yield Entry(path, bool(member.mode & 0o111), stream.read(member.size))


def _safe(name: str) -> str:
    """Return the plain relative path that a name stands for."""
    plain = PurePosixPath(name)
    bad = (
        "\\" in name
        or plain.is_absolute()
        or ".." in plain.parts
        or any(ord(c) < 32 or ord(c) == 127 for c in name)
        or len(name.encode(errors="surrogatepass")) > _PATH_BYTES
        or not name.isprintable()
    )
    if bad:
        raise BadArchive(
            "unsafe_path", f"the archive holds the path {name[:120]!r}", "use relative paths inside the bot's folder"
        )
    if plain.parts[:1] == (RESERVED,):
        raise BadArchive(
            "reserved_path", f"the archive holds {RESERVED}, where dependencies go", "name them in bot.dependencies"
        )
    return str(plain)


def _distinct(path: str, spelt: dict[str, str]) -> None:
    """Refuse a path that another machine, by case or accents, cannot tell from one seen before."""
    for part in (path, *(str(parent) for parent in PurePosixPath(path).parents)):
        folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", part).casefold())
        other = spelt.setdefault(folded, part)
        if other != part:
            raise BadArchive(
                "path_case", f"the archive holds {other!r} and {part!r}, which many machines take for one", "rename one"
            )


def _special(name: str) -> BadArchive:
    return BadArchive("special_file", f"{name[:120]!r} is a link or a device", "pack plain files and folders only")


def _too_large(limits: Limits) -> TooMuch:
    most = limits.total_bytes // (1024 * 1024)
    return TooMuch("unpacked_too_large", f"the archive unpacks to more than {most} MB", "leave out what is not needed")


def _too_many(limits: Limits) -> TooMuch:
    return TooMuch("too_many_files", f"the archive holds more than {limits.files} files", "pack fewer")


def _nested(paths: set[str]) -> str:
    found = sorted(path for path in paths if path.endswith(f"/{MANIFEST}"))
    return f" (but there is {found[0]!r})" if found else ""
