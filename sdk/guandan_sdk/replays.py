"""Replay files: plain GDR v1 lines, or zstd-compressed when the name ends in ``.zst``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from guandan_engine.errors import BrokenReplay
from guandan_engine.replay import Replay, read
from guandan_sdk.errors import InvalidInput

MAX_BYTES: Final = 256 * 1024 * 1024
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"


def save(path: Path, data: bytes) -> None:
    """Write a replay."""
    if path.name.endswith(".zst"):
        import zstandard  # noqa: PLC0415 - only for compressed files

        data = zstandard.ZstdCompressor(level=19).compress(data)
    path.write_bytes(data)


def open_replay(path: Path) -> bytes:
    """Read a replay's lines, decompressing them when needed."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}", "") from None
    if not data.startswith(_ZSTD_MAGIC):
        return data
    import zstandard  # noqa: PLC0415

    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            lines = reader.read(MAX_BYTES + 1)
    except zstandard.ZstdError as error:
        raise InvalidInput(f"{path} is not a whole zstd file: {error}", "get it again") from None
    if len(lines) > MAX_BYTES:
        raise InvalidInput(f"{path} unpacks to more than {MAX_BYTES} bytes", "this is not a replay")
    return lines


def read_replay(path: Path) -> Replay:
    """Read and check the chain of a replay file."""
    return parse_replay(open_replay(path), str(path))


def parse_replay(lines: bytes, title: str) -> Replay:
    """Read and check the chain of a replay's lines."""
    try:
        return read(lines)
    except BrokenReplay as error:
        raise InvalidInput(f"{title} is not a whole replay: {error}", "get it again") from None
