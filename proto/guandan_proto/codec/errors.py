"""What can be wrong with a message: it parses as protobuf, yet means nothing in the game."""

from __future__ import annotations


class CodecError(ValueError):
    """A message means nothing. ``code`` is for machines, ``reason`` quotes the value, ``hint`` says what to send."""

    def __init__(self, code: str, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.hint = hint
