"""Bytes kept by what they are."""

from __future__ import annotations

from typing import Protocol


class Blobs(Protocol):
    """Archives, replays and logs by the SHA-256 hex digest of their bytes."""

    def put(self, data: bytes) -> str:
        """Keep bytes and return their digest; keeping the same bytes again changes nothing."""
        ...

    def get(self, digest: str) -> bytes:
        """Return the bytes of a digest; raise NotFound, or Unavailable when they no longer match it."""
        ...

    def has(self, digest: str) -> bool:
        """Whether the bytes of a digest are kept."""
        ...
