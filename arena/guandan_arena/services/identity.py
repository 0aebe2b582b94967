"""Ids and names: how they look and how they are made."""

from __future__ import annotations

import base64
from typing import Final

from guandan_arena.errors import InvalidArgument
from guandan_arena.ports import Entropy
from guandan_engine.quoting import quoted
from guandan_runner.manifest import NAME, NAME_HINT

_ID_BYTES: Final = 8


def fresh_id(entropy: Entropy, kind: str) -> str:
    """Return a new id: a letter for the kind, then 13 letters and digits. Ids are never used again."""
    return kind + text_of(entropy.token_bytes(_ID_BYTES))


def text_of(secret: bytes) -> str:
    """Write bytes as lower-case letters and digits (base32 without padding)."""
    return base64.b32encode(secret).decode().rstrip("=").lower()


def require_name(name: str, *, what: str) -> str:
    """Return a name that may be given to an account or a bot; raise InvalidArgument otherwise."""
    if not NAME.fullmatch(name):
        raise InvalidArgument(
            "bad_name",
            f"{name[:80]!r} cannot be the name of {what}",
            NAME_HINT,
        )
    return name


def require_text(text: str, *, what: str, most: int) -> str:
    """Return a line of free text that is neither too long nor holds characters that cannot be seen."""
    if len(text) > most or quoted(text, most=most) != text:
        raise InvalidArgument("bad_text", f"the {what} is not acceptable", f"use one line of at most {most} characters")
    return text
