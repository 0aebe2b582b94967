"""Archives, replays and logs in a folder, each file named by the SHA-256 of its bytes."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path
from typing import Final

from guandan_arena.errors import InvalidArgument, NotFound, Unavailable

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


class FolderBlobs:
    """The ``Blobs`` port on a folder: ``ab/abcd...``. A file appears whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, data: bytes) -> str:
        """Keep bytes and return their digest."""
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(digest)
        if not path.exists():
            try:
                _write_whole(path, data)
            except OSError as error:
                raise Unavailable("blobs_unavailable", f"the blob folder cannot be written: {error}") from error
        return digest

    def get(self, digest: str) -> bytes:
        """Return the bytes of a digest."""
        try:
            data = self._path(digest).read_bytes()
        except FileNotFoundError as error:
            raise NotFound("unknown_blob", f"nothing is kept under {digest}") from error
        except OSError as error:
            raise Unavailable("blobs_unavailable", f"the blob folder cannot be read: {error}") from error
        if hashlib.sha256(data).hexdigest() != digest:
            raise Unavailable("blob_damaged", f"the bytes kept under {digest} are damaged", "restore them from a copy")
        return data

    def has(self, digest: str) -> bool:
        """Whether the bytes of a digest are kept."""
        return self._path(digest).exists()

    def _path(self, digest: str) -> Path:
        if not _DIGEST.fullmatch(digest):
            raise InvalidArgument("bad_digest", f"{digest[:80]!r} is not a SHA-256 in lower-case hex")
        return self._folder / digest[:2] / digest


def _write_whole(path: Path, data: bytes) -> None:
    """Write beside, flush to the disk, then rename: SQL names a blob only after this returned."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
