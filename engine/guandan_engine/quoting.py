"""What a stranger's program wrote, made fit to be kept and shown: it is short, and commands nobody's terminal or page.

Escape sequences, marks that turn the direction of reading, and whatever else has no picture of its own are written out
as ``\\x1b`` or ``\\u202e``. A page must still escape HTML, as it does with every text.
"""

from __future__ import annotations

import unicodedata
from typing import Final

__all__ = ["LINE_CHARS", "cut", "quoted", "quoted_lines"]

LINE_CHARS: Final = 2_000
_NO_PICTURE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def cut(text: str, *, most_bytes: int) -> str:
    """Return the beginning of a text that has at most so many bytes of UTF-8, in whole characters.

    Halves of surrogate pairs, which are no characters, become question marks.
    """
    if text.isascii() and len(text) <= most_bytes:
        return text
    return text[:most_bytes].encode("utf-8", "replace")[:most_bytes].decode("utf-8", "ignore")


def quoted(text: str, *, most: int = LINE_CHARS) -> str:
    """Return the first ``most`` characters of a text as one line in which every character can be seen."""
    return "".join(map(_picture, text[:most]))


def quoted_lines(text: str, *, line_chars: int = LINE_CHARS) -> str:
    """Return a text of many lines, each fit to be shown; what is cut from a long line is counted at its end."""
    return "\n".join(_line(line, line_chars) for line in text.replace("\r\n", "\n").split("\n"))


def _line(line: str, most: int) -> str:
    left_out = len(line) - most
    shown = "".join(char if char == "\t" else _picture(char) for char in line[:most])
    return f"{shown} … ({left_out} characters more)" if left_out > 0 else shown


def _picture(char: str) -> str:
    if char.isascii() and char.isprintable():
        return char
    if unicodedata.category(char) not in _NO_PICTURE:
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
