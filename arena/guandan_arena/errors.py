"""Why the arena refused: one base, a class per cause. ``code`` is for machines, ``hint`` says what to do."""

from __future__ import annotations


class ArenaError(Exception):
    """The arena refused. Every refusal has a machine code, a reason and, where there is one, a way out."""

    def __init__(self, code: str, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.hint = hint


class InvalidArgument(ArenaError):
    """What was sent can never be accepted as it is: a bad name, a broken archive, settings that contradict."""


class Unauthenticated(ArenaError):
    """No token, an unknown one, an expired one or a revoked one."""


class PermissionDenied(ArenaError):
    """The account is known, but this is not its bot or not its right."""


class NotFound(ArenaError):
    """There is no such account, bot, version, event, match, table or replay."""


class AlreadyExists(ArenaError):
    """The name is taken."""


class Refused(ArenaError):
    """Well formed, but not in this state: a match that is not queued, a version that is not checked."""


class LeaseLost(Refused):
    """The worker's claim is over: another attempt has begun. Drop the work; nothing of it counts."""


class Exhausted(ArenaError):
    """A limit is reached: size, number, or rate. The hint says which and when to try again."""


class Unavailable(ArenaError):
    """SQL, Redis or the blob store does not answer now. Nothing was lost; try again."""
