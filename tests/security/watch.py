"""Watching a machine while strangers attack it: a sandbox that keeps every seat's end, and what must stay as it is."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import secrets
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from guandan_runner.results import BotFiles
from guandan_runner.sandbox import Evidence, Policy, Sandbox, SeatProcess, SeatSpec

WORKER_MAY_GROW_MIB = 200  # two tables at a time and their replays, not the gigabyte that is sent to them
PROJECT = Path(__file__).resolve().parents[2]


@dataclass
class Machine:
    """What an attacker aims at on this machine; ``harm`` says what was touched or left behind."""

    folder: Path
    policy: Policy
    abstract_name: str = field(default_factory=lambda: f"worker-{secrets.token_hex(8)}")
    secret: str = field(default_factory=lambda: secrets.token_hex(16))

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Stand guard: listeners that nobody may reach, a process that must live, a file that must stay secret."""
        (self.folder / "secret").write_text(self.secret)
        os.environ["GUANDAN_WORKERS_SECRET"] = self.secret
        with (
            socket.create_server(("127.0.0.1", 0)) as self.listener,
            socket.socket(socket.AF_UNIX) as self.abstract,
            subprocess.Popen(["sleep", "600"]) as self.guard,
        ):
            self.abstract.bind(f"\0{self.abstract_name}")
            self.abstract.listen()
            self.listener.setblocking(False)
            self.abstract.setblocking(False)
            self.before_mib = _own_peak_mib()
            try:
                yield
            finally:
                self.guard.kill()
                del os.environ["GUANDAN_WORKERS_SECRET"]

    def aims(self, spec: SeatSpec, bots: list[str], marker: str) -> str:
        """What one seat's attacker is told, as JSON; a clever one would have found it out."""
        seats = [str(spec.socket_dir.parent / str(number)) for number in range(4)]
        daemon = os.environ.get("DOCKER_HOST", "").removeprefix("unix://")
        return json.dumps(
            {
                "marker": marker,
                "secret": str(self.folder / "secret"),
                "project": str(PROJECT),
                "variable": self.secret,
                "docker": [path for path in ("/var/run/docker.sock", "/run/docker.sock", daemon) if path],
                "sockets": [f"{folder}/table.sock" for folder in seats if folder != str(spec.socket_dir)],
                "bots": bots,
                "pids": {"the worker": os.getpid(), "a process of the machine": self.guard.pid},
                "port": self.listener.getsockname()[1],
                "abstract": self.abstract_name,
                "late_s": 2,
                "users": [self.policy.uid_first, self.policy.uid_first + self.policy.uid_count],
                "processes": self.policy.processes,
                "open_files": self.policy.open_files,
                "file_bytes": self.policy.file_bytes,
                "tmp_bytes": self.policy.tmp_bytes,
            }
        )

    def harm(self, played: AttackedSandbox) -> list[str]:
        """Say what the attackers at a table have done to the machine, or left on it."""
        found = [f"reached {name}" for name in ("listener", "abstract") if _was_reached(getattr(self, name))]
        found += ["the guard is dead"] if self.guard.poll() is not None else []
        found += ["the secret was changed"] if (self.folder / "secret").read_text() != self.secret else []
        found += [f"process {pid} lives on" for pid in _processes(played.marker)]
        found += [f"{line} is still mounted" for line in _mounts(played.folders)]
        found += [f"control group {path} is left" for path in _groups(played.folders)]
        grown = _own_peak_mib() - self.before_mib
        found += [f"the worker itself used {grown} MiB more"] if grown > WORKER_MAY_GROW_MIB else []
        peak = max((end.peak_memory_bytes or 0 for end in played.ends), default=0)
        found += [f"{peak} bytes of memory were used"] if peak > self.policy.memory_bytes * 1.05 else []
        return found


class AttackedSandbox:
    """A sandbox that gives each seat of the attacking bot its attack, and keeps how every seat ended."""

    def __init__(self, inner: Sandbox, machine: Machine, attacker: BotFiles, attacks: tuple[str, str]) -> None:
        self.kind = inner.kind
        self.gap = inner.gap
        self._inner = inner
        self._machine = machine
        self._attacker = attacker
        self._attacks = attacks
        self.marker = f"attacker-{secrets.token_hex(8)}"
        self.folders: set[str] = set()
        self.ends: list[Evidence] = []

    def start(self, spec: SeatSpec) -> SeatProcess:
        self.folders.add(spec.socket_dir.parent.name)
        if spec.bot == self._attacker.folder:
            seat = int(spec.socket_dir.name)
            attack = self._attacks[seat // 2]
            aims = self._machine.aims(spec, [str(spec.bot), str(spec.bot.parent / "greedy")], self.marker)
            spec = replace(spec, entry=(*spec.entry, attack, aims))
        return _KeptSeat(self._inner.start(spec), self.ends)

    def close(self) -> None:
        """The inner one is closed by its maker."""


class _KeptSeat:
    def __init__(self, seat: SeatProcess, ends: list[Evidence]) -> None:
        self.wait = seat.wait
        self._seat = seat
        self._ends = ends

    def end(self) -> Evidence:
        evidence = self._seat.end()
        if evidence not in self._ends:
            self._ends.append(evidence)
        return evidence


def _own_peak_mib() -> int:
    """The most memory that this process, which hosts the tables, has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def _was_reached(listener: socket.socket) -> bool:
    with contextlib.suppress(BlockingIOError):
        listener.accept()[0].close()
        return True
    return False


def _processes(marker: str) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and marker.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return [pid for pid in found if pid != os.getpid()]


def _mounts(folders: set[str]) -> list[str]:
    lines = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    return [line for line in lines if any(folder in line for folder in folders)]


def _groups(folders: set[str]) -> list[str]:
    """Control groups of these tables; other tables' come and go meanwhile, which a walk bears."""
    ours = [Path(at, name) for at, names, _ in os.walk("/sys/fs/cgroup") if at.endswith("/guandan") for name in names]
    return [str(path) for path in ours if any(folder in path.name for folder in folders)]
