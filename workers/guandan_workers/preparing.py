"""From a received archive to a bot that can be started: the stages before the check."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from guandan_arena.services import checks
from guandan_arena.services.records import CheckClaim
from guandan_arena.services.states import StageName
from guandan_engine.conduct import Verdict
from guandan_runner.building import Wheel, require_resources, resolve
from guandan_runner.errors import BadArchive, RuntimeNotBuilt
from guandan_runner.results import BotFiles
from guandan_workers.lease import work_under_lease
from guandan_workers.worker import Worker

_NOTHING: Final = "a remote bot: nothing is built or started here, so nothing was checked\n"


def prepared(worker: Worker, claim: CheckClaim) -> BotFiles | None:
    """Unpack and build a version; None when it was refused, or this machine cannot build it, which its stages tell."""
    settings = worker.ports.settings
    return work_under_lease(
        lambda: asyncio.to_thread(_prepared, worker, claim),
        lambda: checks.renew(worker.ports, claim),
        every_ms=settings.lease_renew_ms,
        lease_ms=settings.lease_ms,
        limit_ms=settings.match_limit_ms,
    )


def _prepared(worker: Worker, claim: CheckClaim) -> BotFiles | None:
    stage = StageName.UNPACKED
    try:
        checks.begin(worker.ports, claim, stage)
        worker.shelf.built(claim.version.digest)
        checks.done(worker.ports, claim, stage)
        stage = StageName.BUILT
        checks.begin(worker.ports, claim, stage)
        bot, wheels = _built(worker, claim)
        checks.done(worker.ports, claim, stage, log=_log(bot, wheels).encode(), wheels=wheels)
    except BadArchive as bad:
        checks.refuse(worker.ports, claim, stage, code=bad.code, reason=bad.reason, hint=bad.hint)
        return None
    except RuntimeNotBuilt as missing:
        checks.stall(worker.ports, claim, code="runtime_not_built", reason=str(missing), hint=missing.hint)
        return None
    return bot


def _built(worker: Worker, claim: CheckClaim) -> tuple[BotFiles, tuple[Wheel, ...]]:
    """Give a version its runtime and its dependencies, keeping the wheels for whoever builds it again."""
    version, manifest = claim.version, claim.version.manifest
    require_resources(manifest, memory_bytes=worker.policy.memory_bytes, cpus=worker.policy.cpus)
    wheels = version.wheels or _resolved(worker, manifest.dependencies)
    return worker.bot(name=version.title, digest=version.digest, manifest=manifest, wheels=wheels), wheels


def _resolved(worker: Worker, dependencies: Sequence[str]) -> tuple[Wheel, ...]:
    """Choose the wheels and keep their bytes, so that the version stays what it is when the folder changes."""
    files = resolve(dependencies, worker.ports.settings.wheel_folder.resolve())
    for file in files:
        worker.ports.blobs.put(file.read_bytes())
    return tuple(map(Wheel.of, files))


def _log(bot: BotFiles, wheels: Sequence[Wheel]) -> str:
    """Tell the author what the version was built of."""
    root = f"runtime root {bot.root.digest}" if bot.root else "no runtime root: the development sandbox"
    return "\n".join((root, *(f"{wheel.filename} sha256 {wheel.digest}" for wheel in wheels))) + "\n"


def register(worker: Worker, claim: CheckClaim) -> None:
    """Bring a remote version through its stages, which all say the same: here is nothing to build and to start."""
    for stage in (StageName.UNPACKED, StageName.BUILT):
        checks.begin(worker.ports, claim, stage)
        checks.done(worker.ports, claim, stage, log=_NOTHING.encode())
    checks.begin(worker.ports, claim, StageName.CHECKED)
    checks.finish(worker.ports, claim, verdict=Verdict.OK, detail=_NOTHING, log=_NOTHING.encode())
