"""The canonical form of a line and the hash chain over all lines."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final, NoReturn, TypeAlias

from guandan_engine.errors import MalformedText

__all__ = ["MARK_CHARS", "START", "Line", "canonical", "link", "mark", "parse_line"]

Line: TypeAlias = dict[str, Any]

START: Final = bytes(32)
MARK_CHARS: Final = 4


def canonical(line: Line) -> bytes:
    """Return the one text of a line: keys sorted, no blanks, UTF-8; a lone surrogate becomes a question mark."""
    text = json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)
    return text.encode("utf-8", "replace")


def link(previous: bytes, line: Line) -> bytes:
    """Return the chain value after a line: SHA-256 over the value before it and the line without its own hashes."""
    bare = {key: value for key, value in line.items() if key not in ("h", "chain")}
    return hashlib.sha256(previous + canonical(bare)).digest()


def mark(value: bytes) -> str:
    """Return the first digits of a chain value, kept on every line so that damage is found where it is."""
    return value.hex()[:MARK_CHARS]


def parse_line(raw: bytes) -> Line:
    """Read one line; raise MalformedText unless it is an object in canonical form holding no fractions."""
    try:
        line = json.loads(raw.decode("utf-8"), parse_float=_refuse, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise MalformedText(f"not a line of JSON with whole numbers: {error}") from error
    if not isinstance(line, dict):
        raise MalformedText(f"a line is an object, not {type(line).__name__}")
    if canonical(line) != raw:
        raise MalformedText("not in canonical form (sorted keys, no blanks)")
    return line


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a whole number")
