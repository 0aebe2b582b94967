"""From an archive to a bot that can be started, by the rules of a server, on an author's machine."""

from __future__ import annotations

import hashlib
import time
from functools import partial
from pathlib import Path
from typing import Final

from guandan_engine.conduct import Verdict
from guandan_runner.archives import RESERVED, Limits, inspect, place
from guandan_runner.building import install, require_entry, require_resources, resolve
from guandan_runner.checking.stages import Outcome, Stage, StageEnd
from guandan_runner.errors import BadArchive, ImageNotStarted
from guandan_runner.results import BotFiles
from guandan_runner.runtimes import RUNTIMES
from guandan_runner.sandbox.policy import Policy
from guandan_runner.sandbox.roots import Roots

__all__ = ["ARCHIVE_BYTES", "LIMITS", "unpacked"]

ARCHIVE_BYTES: Final = 50 * 1024 * 1024
LIMITS: Final = Limits(200 * 1024 * 1024, 5_000)
"""What a server takes unless its operator says otherwise."""


def unpacked(
    data: bytes, folder: Path, *, policy: Policy, roots: Roots | None, wheels: Path | None = None
) -> tuple[BotFiles | None, StageEnd]:
    """Unpack and build an archive into a folder that is not there yet; no bot when the stage failed.

    ``roots`` gives the bot its runtime, None where the sandbox shows it this machine. ``wheels``: the folder its
    dependencies come from. Raises RuntimeNotBuilt when this machine cannot offer the runtime.
    """
    begun = time.monotonic()
    end = partial(StageEnd, Stage.UNPACKED, verdict=Verdict.CRASHED)
    try:
        bot = _built(data, folder, policy=policy, roots=roots, wheels=wheels)
    except BadArchive as bad:
        return None, end(Outcome.FAILED, bad.reason, bad.hint, duration_ms=_since(begun))
    return bot, StageEnd(Stage.UNPACKED, Outcome.PASSED, duration_ms=_since(begun))


def _built(data: bytes, folder: Path, *, policy: Policy, roots: Roots | None, wheels: Path | None) -> BotFiles:
    if len(data) > ARCHIVE_BYTES:
        most = ARCHIVE_BYTES // 2**20
        raise BadArchive("archive_too_large", f"the archive has more than {most} MB", "leave out what is not needed")
    manifest = inspect(data, LIMITS)
    if manifest.is_remote:
        hint = "play it on this machine: guandan play, or guandan connect"
        raise BadArchive("nothing_to_check", "a remote bot is neither built nor started by a server", hint)
    require_resources(manifest, memory_bytes=policy.memory_bytes, cpus=policy.cpus)
    files = resolve(manifest.dependencies, wheels)
    place(data, folder, LIMITS, finish=lambda half: _install(files, half / RESERVED))
    require_entry(folder, manifest, RUNTIMES)
    if manifest.image and roots is None:
        raise ImageNotStarted
    root = roots.of_bot(folder, manifest) if roots else None
    entry = manifest.entry or (root.entry if root else ())
    return BotFiles(manifest.name, hashlib.sha256(data).hexdigest(), folder, entry, root)


def _install(files: tuple[Path, ...], folder: Path) -> None:
    install(files, folder)


def _since(begun: float) -> int:
    return round((time.monotonic() - begun) * 1000)
