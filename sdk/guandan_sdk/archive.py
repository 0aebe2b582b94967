"""Packing a bot's folder for upload: the same files always give the same bytes."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path
from typing import Final

from pathspec import PathSpec, Pattern

from guandan_proto.manifest import MANIFEST
from guandan_sdk.errors import InvalidArchive
from guandan_sdk.loading import read_manifest

__all__ = ["IGNORE", "manifest_name", "pack", "packed_files"]

IGNORE: Final = ".guandanignore"
_SKIPPED_SUFFIXES: Final = (".pyc", ".gdr.jsonl", ".gdr.jsonl.zst")
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_NO_MANIFEST: Final = "put bot.toml at the top of the folder; guandan init shows one"


def pack(path: Path) -> tuple[str, bytes]:
    """Return the name and bytes of the archive: a folder is zipped, an archive is taken as it is."""
    if path.is_dir():
        return f"{path.resolve().name}.zip", _zip(path)
    if not path.is_file():
        raise InvalidArchive(f"there is no file or folder {path}", "give the bot's folder, a .zip or a .tar.gz")
    data = path.read_bytes()
    if not (zipfile.is_zipfile(path) or tarfile.is_tarfile(path)):
        raise InvalidArchive(f"{path} is neither a zip nor a tar archive", "give the bot's folder, a .zip or a .tar.gz")
    return path.name, data


def manifest_name(filename: str, data: bytes) -> str:
    """Return the bot's name in the ``bot.toml`` of an archive."""
    return read_manifest(_manifest_in(data, filename), f"bot.toml in {filename}").name


def _manifest_in(data: bytes, filename: str) -> bytes:
    stream = io.BytesIO(data)
    try:
        if zipfile.is_zipfile(stream):
            with zipfile.ZipFile(stream) as archive:
                return archive.read("bot.toml")
        stream.seek(0)
        with tarfile.open(fileobj=stream) as tar:
            member = next((m for m in tar.getmembers() if m.name.removeprefix("./") == "bot.toml"), None)
            file = tar.extractfile(member) if member else None
            if file is not None:
                return file.read()
    except (KeyError, zipfile.BadZipFile, tarfile.TarError, OSError):
        pass
    raise InvalidArchive(f"{filename} has no bot.toml at its top", _NO_MANIFEST)


def _zip(folder: Path) -> bytes:
    """Zip a folder: names sorted, no times, no dotfiles, caches or replays."""
    manifest = folder / "bot.toml"
    if not manifest.is_file():
        raise InvalidArchive(f"{folder} has no bot.toml", _NO_MANIFEST)
    read = read_manifest(manifest.read_bytes(), str(manifest))
    files = [folder / MANIFEST] if read.is_remote else packed_files(folder)  # a remote bot's code stays at home
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.relative_to(folder).as_posix(), _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o755 if file.stat().st_mode & 0o100 else 0o644) << 16
            archive.writestr(entry, file.read_bytes())
    return buffer.getvalue()


def packed_files(folder: Path) -> list[Path]:
    """List the files of a folder that are uploaded, in order."""
    ignored = _ignored(folder)
    return sorted(
        (path for path in folder.rglob("*") if path.is_file() and _wanted(path, folder, ignored)),
        key=lambda path: path.relative_to(folder).as_posix(),
    )


def _ignored(folder: Path) -> PathSpec[Pattern]:
    """Read what an author leaves out, written as a .gitignore is."""
    file = folder / IGNORE
    try:
        lines = file.read_text("utf-8").splitlines() if file.is_file() else []
        return PathSpec.from_lines("gitignore", lines)
    except ValueError as error:  # bytes that are no text, or a pattern that is none
        raise InvalidArchive(
            f"{file} cannot be read: {error}", "write one pattern a line, as in a .gitignore"
        ) from None


def _wanted(path: Path, folder: Path, ignored: PathSpec[Pattern]) -> bool:
    if ignored.match_file(path.relative_to(folder)):
        return False
    parts = path.relative_to(folder).parts
    hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
    return not hidden and not path.name.endswith(_SKIPPED_SUFFIXES)
