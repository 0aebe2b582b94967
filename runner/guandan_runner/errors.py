"""What can go wrong around a table. A fault of a bot is never an exception here: it is a verdict."""

from __future__ import annotations

__all__ = [
    "BadArchive",
    "HarnessFault",
    "ImageNotStarted",
    "InfrastructureFault",
    "RunnerError",
    "RuntimeNotBuilt",
    "SandboxUnavailable",
    "TooMuch",
]


class RunnerError(Exception):
    """What was asked for could not be played."""


class SandboxUnavailable(RunnerError):
    """This kind of sandbox cannot run here. ``reason`` says why, in words for the operator."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"{kind}: {reason}")
        self.kind = kind
        self.reason = reason


class InfrastructureFault(RunnerError):
    """The machine or a service failed: a sandbox did not start, a disk is full."""


class HarnessFault(RunnerError):
    """Our own code failed while a table was played."""


class BadArchive(RunnerError):
    """A bot archive cannot be taken. ``code`` for machines, ``hint`` says what to do."""

    def __init__(self, code: str, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.hint = hint


class TooMuch(BadArchive):
    """An archive is larger than a limit allows: in bytes, or in files."""


class RuntimeNotBuilt(RunnerError):
    """A runtime is listed, but this machine cannot build its root. ``reason`` says why, for the operator."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"the runtime {name} is not built on this server: {reason}")
        self.name = name
        self.reason = reason
        self.hint = (
            f"ask the operator to run `guandan-arena runtimes build {name}`, or write another runtime in bot.toml; "
            "then send the archive again"
        )


class ImageNotStarted(RuntimeNotBuilt):
    """A version brings an image, and the sandbox of this machine gives no bot a root of its own."""

    def __init__(self) -> None:
        super().__init__("any", "bot.image is started in docker or bubblewrap only, and this is the sandbox process")
        self.hint = "ask the operator for another sandbox than process, or check it with --sandbox auto; then try again"
