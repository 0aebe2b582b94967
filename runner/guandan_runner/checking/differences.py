"""What a check on an author's machine cannot promise of a server's."""

from __future__ import annotations

import platform
from typing import Final

from guandan_runner.sandbox.choose import GAP
from guandan_runner.sandbox.seat import Sandbox

__all__ = ["SERVER_BOARDS", "differences"]

SERVER_BOARDS: Final = 1
"""Boards that a server plays in its check unless its operator says otherwise."""

ALWAYS: Final = (
    "times are those of this machine; a server may be slower, and plays other tables beside yours",
    f"a server plays {SERVER_BOARDS} board in its check unless its operator says otherwise",
)
BY_SANDBOX: Final = {
    "docker": ("the image is made from this machine's Python {python} and SDK; a server's is made from its own",),
    "bubblewrap": (
        "no container: the bot ran in namespaces of its own over a folder made from this machine's Python {python}",
    ),
    "process": (
        "NO SANDBOX: the bot ran as an ordinary process of this machine, with its files, network and packages",
    ),
}


def differences(sandbox: Sandbox) -> tuple[str, ...]:
    """Say plainly what was not the same as on a server."""
    own = tuple(line.format(python=platform.python_version()) for line in BY_SANDBOX[sandbox.kind])
    gap = (f"{GAP}: {sandbox.gap}",) if sandbox.gap else ()
    return (*own, *gap, *ALWAYS)
