"""The sandbox without a daemon: new namespaces made by bubblewrap, a system-call filter, limits by prlimit."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from guandan_runner.errors import InfrastructureFault
from guandan_runner.runtimes import RuntimeRoot
from guandan_runner.sandbox.brought import started_in
from guandan_runner.sandbox.bwrap import Bwrap
from guandan_runner.sandbox.cgroup import ControlGroups, NoControlGroups, own_groups
from guandan_runner.sandbox.policy import Policy, seat_uids
from guandan_runner.sandbox.process import LocalSeat, limit_options, seat_environment
from guandan_runner.sandbox.seat import BOT_DIR_INSIDE, SOCKET_DIR_INSIDE, SOCKET_NAME, SeatSpec
from guandan_runner.sandbox.seccomp import bpf_program

__all__ = ["BubblewrapSandbox"]

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
        self._bwrap = Bwrap(next(self._uids))
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
        program, folders = self._bwrap.command(uid, root.path, spec.bot, spec.socket_dir)
        with _reopened(self._filter) as filter_fd:
            command = [*(group.join if group else ()), *program, *WALLS, "--seccomp", str(filter_fd)]
            command += [*self._mounts(*folders, uid=uid), "--chdir", root.folder or BOT_DIR_INSIDE]
            for name, value in environment.items():
                command += ["--setenv", name, value]
            alone = () if group else (f"--nproc={self._policy.processes}",)
            limits = [*limit_options(self._policy, grouped=group is not None), *alone]
            command += ["--", *started_in(root, limits, spec.entry)]
            return LocalSeat(
                command,
                policy=self._policy,
                environment={},
                folder=Path("/"),
                pass_fds=(filter_fd,),
                reports_signals=True,
                group=group,
            )

    def _mounts(self, root: Path, bot: Path, socket: Path, *, uid: int) -> list[str]:
        """Return what the bot sees: the root, its own folder and its own socket, all read-only, and a small /tmp."""
        return [
            *("--ro-bind", str(root), "/", "--proc", "/proc"),
            *("--dev", "/dev", "--remount-ro", "/dev"),  # else /dev/shm is as large as the machine's memory
            *("--ro-bind", str(bot), BOT_DIR_INSIDE),
            *("--ro-bind", str(socket), SOCKET_DIR_INSIDE),
            *("--size", str(self._policy.tmp_bytes), "--tmpfs", "/tmp"),  # noqa: S108
            *("--uid", str(uid), "--gid", str(uid)),
            *("--hostname", self._policy.hostname),
        ]


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


@contextlib.contextmanager
def _reopened(descriptor: int) -> Iterator[int]:
    """Yield a fresh descriptor of the same file, read from its beginning by the child."""
    fresh = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY)
    try:
        yield fresh
    finally:
        os.close(fresh)
