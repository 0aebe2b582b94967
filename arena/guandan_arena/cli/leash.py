"""Run a command that dies with its starter: `python -I -S leash.py PARENT_PID COMMAND...`. Standard library only.

The mark survives exec; setting it in the starter's own forked child (``preexec_fn``) is not safe beside threads.
On systems without prctl the command simply runs.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Ask the kernel to kill this process when its parent dies, then become the command."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit("the starter is gone")
    os.execv(command[0], command)  # noqa: S606 - there is no shell


main()
