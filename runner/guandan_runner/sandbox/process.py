"""The development sandbox: limits of the operating system on an ordinary child process, and no walls at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from guandan_runner.errors import InfrastructureFault, SandboxUnavailable
from guandan_runner.runtimes import RuntimeRoot
from guandan_runner.sandbox.cgroup import UNKNOWN, ControlGroup, Usage
from guandan_runner.sandbox.output import OutputTail
from guandan_runner.sandbox.policy import Policy
from guandan_runner.sandbox.seat import BOT_DIR_INSIDE, PACKAGES, SOCKET_NAME, Evidence, SeatSpec

__all__ = ["LocalSeat", "ProcessSandbox", "limit_options", "root_environment", "seat_environment", "split_status"]


class ProcessSandbox:
    """Runs a bot as a child process of the worker: it sees the whole machine. For development only."""

    kind = "process"
    gap = "processes of this machine have limits of their own only"

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._limits = resource_limits(policy)

    def start(self, spec: SeatSpec) -> LocalSeat:
        """Start a seat's bot with this interpreter first on its PATH."""
        here = str(Path(sys.executable).parent)
        environment = seat_environment(
            f"unix:{spec.socket_dir / SOCKET_NAME}",
            path=f"{here}:/usr/local/bin:/usr/bin:/bin",
            packages=str(spec.bot / PACKAGES),
        )
        program = shutil.which(spec.entry[0], path=environment["PATH"]) or spec.entry[0]
        command = [*self._limits, program, *spec.entry[1:]]
        return LocalSeat(command, policy=self._policy, environment=environment, folder=spec.bot)

    def close(self) -> None:
        """Nothing is held."""


class LocalSeat:
    """A seat whose process tree is a session of this machine, its output read by a thread of its own."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        policy: Policy,
        environment: Mapping[str, str],
        folder: Path,
        pass_fds: Sequence[int] = (),
        reports_signals: bool = False,
        group: ControlGroup | None = None,
    ) -> None:
        """Start the command. ``reports_signals``: its first process ends with 128 + n when signal n ended the bot.

        ``group``: the control group that the command joins; the seat closes it at its end.
        """
        ordered = time.monotonic()
        try:
            # No preexec_fn and no user=: both would fork a process that may hold a live gRPC server.
            self._child = subprocess.Popen(  # noqa: S603
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                cwd=folder,
                pass_fds=tuple(pass_fds),
                start_new_session=True,
            )
        except OSError as error:
            if group:
                group.close()
            raise InfrastructureFault(f"the sandbox did not start: {error}") from error
        self._group = group
        self._started_ms = round((time.monotonic() - ordered) * 1000)
        self._reports_signals = reports_signals
        self._evidence: Evidence | None = None
        self._ending = threading.Lock()
        assert self._child.stdout is not None
        chunks = iter(partial(os.read, self._child.stdout.fileno(), 65_536), b"")
        self._output = OutputTail(chunks, policy=policy, overflow=self._kill)

    def wait(self, timeout_s: float) -> bool:
        """Wait until the bot's main process has ended; answer whether it has."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(timeout_s)
        return self._child.returncode is not None

    def end(self) -> Evidence:
        """Kill the whole session if it still runs, and tell how it ended."""
        with self._ending:
            if self._evidence is None:  # once only: later, the number of its session may be another's
                self._evidence = self._end()
            return self._evidence

    def _end(self) -> Evidence:
        killed = self._child.poll() is None and not self._output.exceeded
        self._kill()
        self._child.wait()
        usage = self._used()
        log = self._output.finish()
        if self._child.stdout is not None:
            self._child.stdout.close()
        code, number = split_status(self._child.returncode, reports_signals=self._reports_signals)
        return Evidence(
            exit_code=code,
            signal=number,
            killed=killed,
            memory_exceeded=usage.out_of_memory or ("\nMemoryError" in f"\n{log}" and code == 1),
            output_exceeded=self._output.exceeded,
            log=log,
            started_ms=self._started_ms,
            peak_memory_bytes=usage.peak_memory_bytes,
            cpu_ms=usage.cpu_ms,
            throttled_ms=usage.throttled_ms,
        )

    def _used(self) -> Usage:
        """Return what the whole tree used, and end what is left of it."""
        if self._group is None:
            return UNKNOWN
        usage = self._group.usage()
        self._group.close()
        return usage

    def _kill(self) -> None:
        """Kill the session, also what the bot's main process left behind when it ended by itself."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGKILL)


def split_status(status: int, *, reports_signals: bool) -> tuple[int | None, int | None]:
    """Return (exit code, signal) of a process status, one of them None."""
    if status < 0:
        return None, -status
    if reports_signals and status > 128:
        return None, status - 128
    return status, None


def seat_environment(target: str, *, path: str, packages: str = f"{BOT_DIR_INSIDE}/{PACKAGES}") -> dict[str, str]:
    """Return the whole environment a bot sees: nothing of the worker's own. ``packages``: its dependencies' folder."""
    return {
        "GUANDAN_TABLE": target,
        "HOME": "/tmp",  # noqa: S108 - the only folder a bot may write to
        "OMP_NUM_THREADS": "1",  # else libraries of numbers start a thread for every processor of the machine
        "PATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": packages,
        "PYTHONUNBUFFERED": "1",
    }


def root_environment(root: RuntimeRoot, target: str) -> dict[str, str]:
    """Return the whole environment of a bot in a root, with the variables of the image that it may have brought."""
    return seat_environment(target, path=root.path_variable) | dict(root.environment)


def resource_limits(policy: Policy) -> list[str]:
    """Return the command prefix that sets the limits every process may set for itself; raise SandboxUnavailable."""
    program = shutil.which("prlimit")
    if program is None:
        raise SandboxUnavailable("prlimit", "no prlimit command (Debian: util-linux)")
    return [program, *limit_options(policy)]


def limit_options(policy: Policy, *, grouped: bool = False) -> list[str]:
    """Return the limits every process may set for itself, as options of prlimit.

    ``grouped``: a control group counts memory, so that address space need not stand in for it.
    """
    return [
        f"--nofile={policy.open_files}",
        f"--fsize={policy.file_bytes}",
        f"--cpu={policy.cpu_seconds}",
        *(() if grouped else (f"--as={policy.address_space_bytes}",)),
        "--core=0",
    ]
