"""What a worker process plays with: the arena's ports, the sandbox, the policy. Built inside the first task."""

from __future__ import annotations

import functools
import os
import shutil
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path

import structlog

from guandan_arena import app, settings
from guandan_arena.errors import ArenaError
from guandan_arena.ports import Ports
from guandan_arena.services import archives
from guandan_arena.services.records import Manifest
from guandan_arena.settings import Settings
from guandan_workers.errors import BadArchive, SandboxUnavailable
from guandan_workers.feed import Feed
from guandan_workers.referee import Referee
from guandan_workers.results import BotFiles
from guandan_workers.sandbox import Choice, Policy, Sandbox, choose, load_policy

LOG = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Worker:
    """One process that plays matches. ``folder`` keeps unpacked versions between matches."""

    name: str
    ports: Ports
    sandbox: Sandbox
    policy: Policy
    folder: Path

    @property
    def feed(self) -> Feed:
        """The live streams of this worker's tables."""
        return Feed(self.ports.tables.append, self.ports.tables.close)

    @property
    def referee(self) -> Referee:
        """The ear for rulings on this worker's tables."""
        return Referee(self.ports.rulings)

    def bot(self, *, name: str, digest: str, manifest: Manifest) -> BotFiles:
        """Return a version's files, unpacking its archive when this machine has not seen it; raise BadArchive."""
        folder = self.folder / digest
        if not folder.is_dir():
            self.folder.mkdir(parents=True, exist_ok=True)
            _unpack(self.ports.blobs.get(digest), folder, self.ports.settings)
        return BotFiles(name, digest, folder, manifest.entry)


@functools.cache
def this_arena() -> Ports:
    """Return this process's connections to the arena, built once."""
    return app.build(settings.read(os.environ))


@functools.cache
def this_worker() -> Worker:
    """Return this process's worker, built once."""
    ports = this_arena()
    choice = choose_sandbox(ports.settings, wanted=ports.settings.sandbox)
    name = f"{socket.gethostname()}:{os.getpid()}"
    folder = ports.settings.data_dir.resolve() / "versions"
    return Worker(name, ports, choice.sandbox, load_policy(), folder)


def announce_sandbox() -> str:
    """Say once, before the first task, which sandbox this worker uses and why; end the worker when there is none.

    Returns what it said.
    """
    read = settings.read(os.environ)
    try:
        choice = choose_sandbox(read, wanted=read.sandbox)
    except SandboxUnavailable as error:
        raise SystemExit(f"no sandbox to play in: {error.reason}") from error
    (LOG.warning if choice.sandbox.kind == "process" else LOG.info)(choice.statement)
    choice.sandbox.close()
    return choice.statement


def choose_sandbox(read: Settings, *, wanted: str) -> Choice:
    """Choose as the settings say; the runtime root is kept in the data folder."""
    cache = read.data_dir.resolve() / "runtime"
    return choose(wanted=wanted, production=read.production, cache=cache, policy=load_policy())


def _unpack(archive: bytes, folder: Path, read: Settings) -> None:
    """Unpack into a folder that appears whole or not at all, readable by a bot of any uid."""
    limits = archives.Limits(read.unpacked_max_bytes, read.unpacked_max_files)
    half = Path(tempfile.mkdtemp(prefix="unpacking-", dir=folder.parent))
    try:
        archives.unpack(archive, half, limits)
        for path in (half, *(p for p in half.rglob("*") if p.is_dir())):
            path.chmod(0o755)
        half.rename(folder)
    except ArenaError as error:
        raise BadArchive(error.code, error.reason, error.hint) from error
    except OSError:
        if not folder.is_dir():  # else another process unpacked the same version first
            raise
    finally:
        shutil.rmtree(half, ignore_errors=True)
