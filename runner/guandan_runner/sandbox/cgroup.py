"""Control groups: a seat's processes counted and limited together, in one hierarchy (v2) or several (v1)."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from guandan_runner.errors import RunnerError
from guandan_runner.sandbox.owner import is_alive, process_name
from guandan_runner.sandbox.policy import Policy, load_policy

__all__ = ["UNKNOWN", "ControlGroup", "ControlGroups", "NoControlGroups", "Usage", "daemon_groups", "own_groups"]

FOLDER: Final = "guandan"  # ours, below the group that may be divided
CONTROLLERS: Final = ("memory", "cpu", "pids")
COUNTED_V1: Final = (*CONTROLLERS, "cpuacct")
PERIOD_US: Final = 100_000
EMPTY_S: Final = 5.0  # how long killed processes may take to leave their group
# The shell puts itself into the group before it becomes the bot, so that no process is ever outside.
JOIN: Final = 'while [ "$1" != -- ]; do echo 0 > "$1" || exit 125; shift; done; shift; exec "$@"'


class NoControlGroups(RunnerError):
    """This process may not divide any control group; the message says why."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a group's processes have used so far; None where the kernel does not tell."""

    peak_memory_bytes: int | None
    cpu_ms: int | None
    throttled_ms: int | None
    out_of_memory: bool


UNKNOWN: Final = Usage(None, None, None, out_of_memory=False)


class ControlGroups:
    """Makes one group for each seat below a folder of ours."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        """``folders``: by controller (v1), or the one hierarchy under the name "" (v2)."""
        self._folders = folders
        self._sweep()

    def open(
        self, name: str, policy: Policy, *, only: Collection[str] = CONTROLLERS, own_processes: int = 0
    ) -> ControlGroup:
        """Make a group that counts everything and limits what ``only`` says.

        ``own_processes``: how many processes of the sandbox itself will be in it. Raise OSError.
        """
        folders = {c: folder / f"{process_name(os.getpid())}-{name}" for c, folder in self._folders.items()}
        group, made = ControlGroup(name, folders), dict[str, Path]()
        try:
            for controller, folder in folders.items():
                folder.mkdir()
                made[controller] = folder
            for controller, file, value in _limits(folders, policy, own_processes):
                if controller in only:
                    file.write_text(value)
        except OSError:
            ControlGroup(name, made).close()  # one that was there before is another seat's
            raise
        _weigh(folders)
        return group

    def _sweep(self) -> None:
        """Remove the empty groups of processes that live no more."""
        for folder in self._folders.values():
            for left in folder.iterdir():
                if left.is_dir() and not is_alive(left.name.partition("-")[0]):
                    _removed(left)


class ControlGroup:
    """One seat's group."""

    def __init__(self, name: str, folders: Mapping[str, Path]) -> None:
        self.name = name
        self._folders = folders

    @property
    def parent(self) -> str:
        """What the Docker daemon calls this group, when it is one of ``daemon_groups``."""
        return f"/{FOLDER}/{next(iter(self._folders.values())).name}"

    @property
    def join(self) -> list[str]:
        """The command prefix that starts a program inside this group."""
        return ["/bin/sh", "-c", JOIN, "join", *(str(f / "cgroup.procs") for f in self._folders.values()), "--"]

    def usage(self) -> Usage:
        """Return what has been used so far, also by processes that have ended."""
        return _usage_v2(self._folders[""]) if "" in self._folders else _usage_v1(self._folders)

    def close(self) -> None:
        """Kill whatever is left in the group and remove it."""
        deadline = time.monotonic() + EMPTY_S
        for folder in self._folders.values():
            while not _removed(folder) and time.monotonic() < deadline:
                for pid in _numbers(folder / "cgroup.procs"):
                    with contextlib.suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
                time.sleep(0.005)  # the kernel tells of an emptied v1 group in no other way
        _weigh(self._folders)


def own_groups() -> ControlGroups:
    """Return the groups this process may make for seats it starts itself; raise NoControlGroups."""
    mounts = _mounts()
    candidates = [*_candidates_v2(mounts)] if "memory" in _controllers_v2(mounts) else [_below_own_v1(mounts)]
    reasons = []
    for folders in candidates:
        try:
            groups = _prepared(folders)
            _try_out(groups)
        except OSError as error:
            reasons.append(f"{error.strerror}: {error.filename}")
        except NoControlGroups as error:
            reasons.append(str(error))
        else:
            return groups
    raise NoControlGroups("; ".join(reasons) or "no control groups are mounted")


def daemon_groups() -> ControlGroups:
    """Return groups for containers to lie in: in every hierarchy, at its root, where a Docker daemon names them.

    They only count and hold back; what a container's own group limits is the daemon's part. Raise NoControlGroups.
    """
    mounts = _mounts()
    if "memory" in _controllers_v2(mounts):
        *_, root = _candidates_v2(mounts)
        folders = root
    else:
        folders = {
            controller: where / FOLDER
            for where, _, options in mounts
            for controller in [next((c for c in COUNTED_V1 if c in options), where.name)]
        }
    try:
        return _prepared(folders)
    except OSError as error:
        raise NoControlGroups(str(error)) from error


def _prepared(folders: Mapping[str, Path]) -> ControlGroups:
    """Make our folder in each hierarchy and, in v2, hand the controllers down to it."""
    if missing := {"", *CONTROLLERS} - {*folders} - ({*CONTROLLERS} if "" in folders else {""}):
        raise NoControlGroups(f"no control groups for {', '.join(sorted(missing))}")
    for name, folder in folders.items():
        folder.mkdir(exist_ok=True)
        if not name:
            for divided in (folder.parent, folder):
                (divided / "cgroup.subtree_control").write_text(" ".join(f"+{c}" for c in CONTROLLERS))
    return ControlGroups(folders)


def _try_out(groups: ControlGroups) -> None:
    """Let a process join a group, which needs more rights than making one."""
    group = groups.open(f"trial-{time.monotonic_ns()}", load_policy(), only=())
    try:
        answer = subprocess.run([*group.join, "/bin/true"], capture_output=True, text=True, check=False)  # noqa: S603
        if answer.returncode != 0:
            raise NoControlGroups(f"no process may be moved into a control group: {answer.stderr.strip()[-120:]}")
    finally:
        group.close()


def _limits(folders: Mapping[str, Path], policy: Policy, own: int) -> Iterator[tuple[str, Path, str]]:
    """Yield the controller, the file to write and its value, in the order the kernel wants."""
    memory, quota, processes = policy.memory_bytes, round(policy.cpus * PERIOD_US), str(policy.processes + own)
    if one := folders.get(""):
        yield "memory", one / "memory.max", str(memory)
        if (one / "memory.swap.max").exists():
            yield "memory", one / "memory.swap.max", "0"
        yield "cpu", one / "cpu.max", f"{quota} {PERIOD_US}"
        yield "pids", one / "pids.max", processes
        return
    yield "memory", folders["memory"] / "memory.limit_in_bytes", str(memory)
    if (folders["memory"] / "memory.memsw.limit_in_bytes").exists():
        yield "memory", folders["memory"] / "memory.memsw.limit_in_bytes", str(memory)
    yield "cpu", folders["cpu"] / "cpu.cfs_period_us", str(PERIOD_US)
    yield "cpu", folders["cpu"] / "cpu.cfs_quota_us", str(quota)
    yield "pids", folders["pids"] / "pids.max", processes


def _weigh(folders: Mapping[str, Path]) -> None:
    """Let each seat weigh as much as any process of the machine, and not all of them together as much as one."""
    ours = (folders.get("cpu") or folders.get("", Path())).parent
    with contextlib.suppress(OSError):
        seats = max(1, sum(entry.is_dir() for entry in ours.iterdir()))
        file, value = ("cpu.shares", 1024 * seats) if "cpu" in folders else ("cpu.weight", min(100 * seats, 10_000))
        if (ours / file).exists():
            (ours / file).write_text(str(value))


def _usage_v2(folder: Path) -> Usage:
    cpu, events = _table(folder / "cpu.stat"), _table(folder / "memory.events")
    peak = next(iter(_numbers(folder / "memory.peak")), None)
    return Usage(
        peak, _thousandth(cpu, "usage_usec"), _thousandth(cpu, "throttled_usec"), events.get("oom_kill", 0) > 0
    )


def _usage_v1(folders: Mapping[str, Path]) -> Usage:
    peak = next(iter(_numbers(folders["memory"] / "memory.max_usage_in_bytes")), None)
    spent = next(iter(_numbers(folders["cpuacct"] / "cpuacct.usage")), None) if "cpuacct" in folders else None
    throttled = _table(folders["cpu"] / "cpu.stat").get("throttled_time")
    killed = _table(folders["memory"] / "memory.oom_control").get("oom_kill", 0)
    return Usage(peak, _ms_of_ns(spent), _ms_of_ns(throttled), killed > 0)


def _mounts() -> list[tuple[Path, str, frozenset[str]]]:
    """Return (where, cgroup or cgroup2, options) of every mounted hierarchy."""
    lines = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    return [(Path(m[1]), m[2], frozenset(m[3].split(","))) for m in lines if m[2] in ("cgroup", "cgroup2")]


def _controllers_v2(mounts: list[tuple[Path, str, frozenset[str]]]) -> set[str]:
    roots = [where for where, kind, _ in mounts if kind == "cgroup2"]
    return {word for root in roots for word in _text(root / "cgroup.controllers").split()}


def _candidates_v2(mounts: list[tuple[Path, str, frozenset[str]]]) -> Iterator[Mapping[str, Path]]:
    """Yield where seats' groups may lie: beside this process's own group when that was delegated, else at the root."""
    root = next(where for where, kind, _ in mounts if kind == "cgroup2")
    own = root / _own_paths().get("", "/").lstrip("/")
    if own != root:
        yield {"": own.parent / FOLDER}
    yield {"": root / FOLDER}


def _below_own_v1(mounts: list[tuple[Path, str, frozenset[str]]]) -> Mapping[str, Path]:
    """Return our folder below this process's own group in each hierarchy that counts."""
    own, found = _own_paths(), dict[str, Path]()
    for where, kind, options in mounts:
        for controller in (c for c in COUNTED_V1 if kind == "cgroup" and c in options):
            here = where / own.get(controller, "/").lstrip("/")
            found[controller] = (here if here.is_dir() else where) / FOLDER
    return found


def _own_paths() -> dict[str, str]:
    """Return this process's group by controller; the one of v2 under ""."""
    lines = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    return {controller: path for _, controllers, path in lines for controller in controllers.split(",")}


def _removed(folder: Path) -> bool:
    """Remove a group and the empty ones below it, such as a container's whose daemon forgot it; answer whether."""
    try:
        for below in (entry for entry in folder.iterdir() if entry.is_dir()):
            _removed(below)
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def _numbers(file: Path) -> list[int]:
    return [int(word) for word in _text(file).split() if word.isdigit()]


def _table(file: Path) -> dict[str, int]:
    rows = [line.split() for line in _text(file).splitlines()]
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}


def _thousandth(table: Mapping[str, int], key: str) -> int | None:
    return table[key] // 1000 if key in table else None


def _ms_of_ns(value: int | None) -> int | None:
    return None if value is None else value // 1_000_000
