"""What can go wrong for a bot author: one base, a class per cause, each with a reason and what to do about it."""

from __future__ import annotations

__all__ = [
    "BotBroken",
    "BotNotFound",
    "BotNotLoaded",
    "CheckUnavailable",
    "InvalidArchive",
    "InvalidInput",
    "SdkError",
    "ServerError",
    "TableClosed",
    "TableNotPlayed",
]


class SdkError(Exception):
    """The SDK refused. ``reason`` says what is wrong, ``hint`` what to do."""

    exit_code = 1
    show_trace = False

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason, hint)
        self.reason = reason
        self.hint = hint

    def __str__(self) -> str:
        return self.reason


class BotNotFound(SdkError):
    """No bot has this name or path."""

    exit_code = 2


class BotNotLoaded(SdkError):
    """The bot's file was found but holds no bot that can be started."""


class BotBroken(SdkError):
    """A bot raised an exception or answered nonsense at a local table."""

    show_trace = True


class TableNotPlayed(SdkError):
    """This machine cannot play a table of processes."""


class CheckUnavailable(SdkError):
    """A check cannot be made on this machine: what it plays with is missing."""

    exit_code = 2


class InvalidArchive(SdkError):
    """A folder or file is not a bot archive that the server would take."""

    exit_code = 2


class InvalidInput(SdkError):
    """An argument, file or setting is not usable."""

    exit_code = 2


class ServerError(SdkError):
    """The server could not be reached or refused; ``code`` is its machine-readable cause."""

    exit_code = 3

    def __init__(self, code: str, reason: str, hint: str = "") -> None:
        super().__init__(reason, hint)
        self.args = (code, reason, hint)
        self.code = code


class ServerGone(ServerError):
    """The connection to the server broke, or it is not there now: the same may be asked again."""


class TableClosed(SdkError):
    """The table went away before it was over."""

    exit_code = 3
