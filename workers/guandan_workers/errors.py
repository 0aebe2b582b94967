"""What can go wrong on a worker. A fault of a bot is never an exception here: it is a verdict."""

from __future__ import annotations


class WorkerError(Exception):
    """The worker could not do its task."""


class SandboxUnavailable(WorkerError):
    """This kind of sandbox cannot run here. ``reason`` says why, in words for the operator."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"{kind}: {reason}")
        self.kind = kind
        self.reason = reason


class InfrastructureFault(WorkerError):
    """The machine or a service failed (a sandbox did not start, a disk is full): the match is given back."""


class HarnessFault(WorkerError):
    """Our own code failed while a table was played: the match is given back and the error reported."""


class LeaseLost(WorkerError):
    """Another attempt owns the match now: what was played here does not count."""


class BadArchive(WorkerError):
    """A bot archive cannot be unpacked or started. ``code`` for machines, ``hint`` says what to do."""

    def __init__(self, code: str, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.hint = hint
