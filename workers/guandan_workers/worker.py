"""What a worker process plays with: the arena's ports, the sandbox, the policy. Built inside the first task."""

from __future__ import annotations

import functools
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from guandan_arena import app, settings
from guandan_arena.ports import Ports
from guandan_arena.settings import Settings
from guandan_runner.archives import Limits
from guandan_runner.building import Wheel, require_entry
from guandan_runner.errors import ImageNotStarted, SandboxUnavailable
from guandan_runner.feed import Feed
from guandan_runner.manifest import Manifest
from guandan_runner.results import BotFiles
from guandan_runner.runtimes import RuntimeRoot
from guandan_runner.sandbox import Choice, Policy, Sandbox, choose, load_policy
from guandan_runner.sandbox.docker import image_finder
from guandan_runner.sandbox.policy import InvalidPolicy
from guandan_runner.sandbox.roots import Roots
from guandan_workers.referee import ArenaReferee
from guandan_workers.shelf import Shelf

LOG = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Worker:
    """One process that plays matches. ``shelf`` keeps unpacked versions between matches, ``roots`` their runtimes."""

    name: str
    ports: Ports
    sandbox: Sandbox
    policy: Policy
    shelf: Shelf
    roots: Roots

    @property
    def feed(self) -> Feed:
        """The live streams of this worker's tables."""
        return Feed(self.ports.tables.append, self.ports.tables.close)

    @property
    def referee(self) -> ArenaReferee:
        """The ear for rulings on this worker's tables."""
        return ArenaReferee(self.ports.rulings)

    def bot(self, *, name: str, digest: str, manifest: Manifest, wheels: Sequence[Wheel]) -> BotFiles:
        """Return a version's files, building them when this machine has not seen it.

        Raises BadArchive, or RuntimeNotBuilt when this machine cannot offer its runtime.
        """
        folder = self.shelf.built(digest, wheels)
        root = self.root(folder, manifest)
        require_entry(folder, manifest, self.roots.runtimes)
        return BotFiles(name, digest, folder, manifest.entry or (root.entry if root else ()), root)

    def root(self, folder: Path, manifest: Manifest) -> RuntimeRoot | None:
        """Return what an unpacked version sees as its machine; None where the sandbox shows it this one."""
        if self.sandbox.kind != "process":
            return self.roots.of_bot(folder, manifest)
        if manifest.image:
            raise ImageNotStarted
        return None


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
    return Worker(
        name,
        ports,
        choice.sandbox,
        load_policy(ports.settings.sandbox_policy),
        shelf_of(ports),
        roots_of(ports.settings, kind=choice.sandbox.kind),
    )


def shelf_of(ports: Ports) -> Shelf:
    """Return where this machine keeps unpacked versions."""
    read = ports.settings
    limits = Limits(read.unpacked_max_bytes, read.unpacked_max_files)
    return Shelf(read.data_dir.resolve() / "versions", ports.blobs, limits)


def roots_of(read: Settings, *, kind: str = "") -> Roots:
    """Return the runtime roots of this machine for a kind of sandbox, kept in the data folder."""
    images = image_finder() if kind == "docker" else None
    cache, wheels = read.data_dir.resolve() / "runtime", read.wheel_folder.resolve()
    limits = Limits(read.image_max_bytes, read.image_max_files)
    return Roots(cache, read.runtimes, wheels=wheels, images=images, image_limits=limits)


def announce_sandbox() -> str:
    """Say once, before the first task, which sandbox this worker uses and why; end the worker when there is none.

    Returns what it said.
    """
    read = settings.read(os.environ)
    try:
        choice = choose_sandbox(read, wanted=read.sandbox)
    except SandboxUnavailable as error:
        raise SystemExit(f"no sandbox to play in: {error.reason}") from error
    except InvalidPolicy as error:
        raise SystemExit(f"{error}; correct it, or leave the setting sandbox_policy away") from error
    (LOG.warning if choice.sandbox.kind == "process" else LOG.info)(choice.statement)
    choice.sandbox.close()
    return choice.statement


def choose_sandbox(read: Settings, *, wanted: str) -> Choice:
    """Choose as the settings say; the runtime root is kept in the data folder."""
    cache = read.data_dir.resolve() / "runtime"
    return choose(
        wanted=wanted,
        production=read.production,
        cache=cache,
        policy=load_policy(read.sandbox_policy),
        accept_gaps=read.sandbox_accepts_gaps,
    )
