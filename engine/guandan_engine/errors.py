"""What can go wrong in the engine: one base, a class per cause; the docstring is the message for people."""

from __future__ import annotations

__all__ = ["BrokenReplay", "EngineError", "IllegalAction", "InvalidRules", "MalformedText"]


class EngineError(Exception):
    """The engine refused."""


class MalformedText(EngineError, ValueError):
    """A text is not a card, a play, a rule set or a replay line. Quotes the text and the position."""


class IllegalAction(EngineError):
    """An action breaks a rule. The fault is the actor's; ``code`` is for machines, ``hint`` says what to do."""

    def __init__(self, code: str, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.hint = hint


class InvalidRules(EngineError, ValueError):
    """A rule set names an unknown parameter or a value that is not allowed. Names key, value and what is allowed."""


class BrokenReplay(EngineError):
    """A replay does not verify: ``line`` (from 1) is the first line that does not follow from those before it."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason
