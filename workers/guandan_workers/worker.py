"""What a worker process plays with: the arena's ports, the sandbox, the policy. Built inside the first task."""

from __future__ import annotations

import functools
import os
import socket
from dataclasses import dataclass
from pathlib import Path

import structlog

from guandan_arena import app, settings
from guandan_arena.ports import Ports
from guandan_arena.settings import Settings
from guandan_runner import archives
from guandan_runner.errors import SandboxUnavailable
from guandan_runner.feed import Feed
from guandan_runner.manifest import Manifest
from guandan_runner.results import BotFiles
from guandan_runner.sandbox import Choice, Policy, Sandbox, choose, load_policy
from guandan_workers.referee import ArenaReferee

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
    def referee(self) -> ArenaReferee:
        """The ear for rulings on this worker's tables."""
        return ArenaReferee(self.ports.rulings)

    def bot(self, *, name: str, digest: str, manifest: Manifest) -> BotFiles:
        """Return a version's files, unpacking its archive when this machine has not seen it; raise BadArchive."""
        folder = self.folder / digest
        if not folder.is_dir():
            self.folder.mkdir(parents=True, exist_ok=True)
            read = self.ports.settings
            archives.place(
                self.ports.blobs.get(digest), folder, archives.Limits(read.unpacked_max_bytes, read.unpacked_max_files)
            )
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
