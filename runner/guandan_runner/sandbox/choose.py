"""Choosing the strongest sandbox that really runs here, and saying which and why."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from guandan_runner.errors import InfrastructureFault, SandboxUnavailable
from guandan_runner.sandbox.bubblewrap import BubblewrapSandbox
from guandan_runner.sandbox.cgroup import ControlGroups, own_groups
from guandan_runner.sandbox.docker import DockerSandbox
from guandan_runner.sandbox.policy import Policy
from guandan_runner.sandbox.process import ProcessSandbox
from guandan_runner.sandbox.runtime import build_root
from guandan_runner.sandbox.seat import SOCKET_NAME, Sandbox, SeatSpec

__all__ = ["GAP", "Choice", "choose"]

TRIAL_S: Final = 20.0
TRIAL_BOT: Final = """
import os, socket
with socket.socket(socket.AF_UNIX) as table:
    table.connect(os.environ["GUANDAN_TABLE"].removeprefix("unix:"))
    table.sendall(b"here")
"""
WALLS: Final = {
    "docker": "bots run in containers without network",
    "bubblewrap": "bots run in namespaces without network",
    "process": "DEVELOPMENT ONLY: bots run as ordinary processes and can read and change everything this user can",
}
GAP: Final = "memory, processes and share of the processors are not limited for a seat as a whole"


@dataclass(frozen=True, slots=True)
class Choice:
    """The sandbox chosen and, for each stronger one, why it was not (kind, reason)."""

    sandbox: Sandbox
    statement: str
    passed_over: tuple[tuple[str, str], ...]


def choose(
    *,
    wanted: str,
    production: bool,
    cache: Path,
    policy: Policy,
    accept_gaps: bool = False,
    groups: Callable[[], ControlGroups] = own_groups,
) -> Choice:
    """Start a trivial bot in docker, then bubblewrap, then process, and take the first that works.

    ``wanted`` is ``auto`` or one kind by name; raise SandboxUnavailable when none (or the named one) works, or
    when only ``process`` would and ``production`` is set. Production takes bubblewrap only when control groups limit a
    seat as a whole, or when the operator has said ``accept_gaps``. ``groups`` gives those.
    ``cache`` keeps the runtime root between starts.
    """
    careful = production and not accept_gaps
    makers: Mapping[str, Callable[[], Sandbox]] = {
        "docker": lambda: DockerSandbox(policy, build_root(cache)),
        "bubblewrap": lambda: _bubblewrap(
            BubblewrapSandbox(policy, build_root(cache), groups=groups), refuse_gap=careful
        ),
        "process": lambda: _development(policy, production=production),
    }
    if wanted != "auto" and wanted not in makers:
        raise SandboxUnavailable(wanted, f"no such sandbox; there are auto, {', '.join(makers)}")
    passed_over: list[tuple[str, str]] = []
    for kind in makers if wanted == "auto" else (wanted,):
        try:
            sandbox = makers[kind]()
            _try_out(sandbox)
        except SandboxUnavailable as error:
            passed_over.append((kind, error.reason))
            continue
        return Choice(sandbox, _statement(sandbox, passed_over), tuple(passed_over))
    raise SandboxUnavailable(wanted, "; ".join(f"{kind}: {reason}" for kind, reason in passed_over))


def _statement(sandbox: Sandbox, passed_over: list[tuple[str, str]]) -> str:
    """Say in one line which sandbox is used, what it leaves open, and why the stronger ones are not."""
    because = "".join(f" Not {other}: {reason}." for other, reason in passed_over)
    gap = f" {GAP}: {sandbox.gap}." if sandbox.gap else ""
    return f"Sandbox {sandbox.kind}: {WALLS[sandbox.kind]}.{gap}{because}"


def _bubblewrap(sandbox: Sandbox, *, refuse_gap: bool) -> Sandbox:
    """Return the sandbox; one without control groups is refused where it must limit memory."""
    if sandbox.gap and refuse_gap:
        sandbox.close()
        raise SandboxUnavailable(
            "bubblewrap",
            f"refused in production: {GAP} ({sandbox.gap}); let the worker divide its control group, use docker, or "
            "set sandbox_accepts_gaps to live with it",
        )
    return sandbox


def _development(policy: Policy, *, production: bool) -> Sandbox:
    """Return the development sandbox, which a production server never gets."""
    if production:
        raise SandboxUnavailable("process", "refused in production: it does not hold a bot back from anything")
    return ProcessSandbox(policy)


def _try_out(sandbox: Sandbox) -> None:
    """Start a trivial bot once and hear it over its socket; raise SandboxUnavailable with what it said instead."""
    folder = Path(tempfile.mkdtemp(prefix=f"ga-{os.getpid()}-try"))
    bot, sockets = folder / "bot", folder / "s"
    try:
        for path in (folder, bot, sockets):
            path.mkdir(exist_ok=True)
            path.chmod(0o755)
        (bot / "bot.py").write_text(TRIAL_BOT)
        with socket.socket(socket.AF_UNIX) as table:
            table.bind(str(sockets / SOCKET_NAME))
            (sockets / SOCKET_NAME).chmod(0o666)
            table.listen(1)
            table.settimeout(TRIAL_S)
            _hear(sandbox, SeatSpec(folder.name, bot, ("python", "bot.py"), sockets), table)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _hear(sandbox: Sandbox, spec: SeatSpec, table: socket.socket) -> None:
    """Start the trivial bot and wait for its word or its end, whichever comes first."""
    try:
        seat = sandbox.start(spec)
    except InfrastructureFault as error:
        sandbox.close()
        raise SandboxUnavailable(sandbox.kind, str(error)) from error
    heard, ended = b"", seat.wait(TRIAL_S)
    if ended:
        table.settimeout(0)
    try:
        connection, _ = table.accept()
        with connection:
            heard = connection.recv(16)
    except OSError:
        heard = b""
    evidence = seat.end()
    if heard != b"here":
        sandbox.close()
        said = evidence.log.strip().replace("\n", " ")[-300:]
        raise SandboxUnavailable(sandbox.kind, f"a trivial bot did not reach its socket: {said or 'it said nothing'}")
