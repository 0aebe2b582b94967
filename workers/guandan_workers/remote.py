"""An unrated game of a remote bot: its seats come in at this worker's door, the others sit in sandboxes as ever."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import structlog

from guandan_arena.services import lounge, replays
from guandan_arena.services.boards import tables_of
from guandan_arena.services.lounge import RemoteGame
from guandan_arena.services.remotes import CONNECT_MS
from guandan_engine.rules import load
from guandan_runner.match import play_match
from guandan_runner.results import BotFiles, MatchEnd, MatchSpec
from guandan_runner.sandbox.remote import Invitation
from guandan_workers.distant import at_a_door
from guandan_workers.errors import LeaseLost
from guandan_workers.lease import work_under_lease
from guandan_workers.worker import Worker

LOG = structlog.get_logger(__name__)


def play(worker: Worker, game_id: str) -> None:
    """Take a game, play it and tell its end to whoever asked; do nothing when it is taken already."""
    game = lounge.take(worker.ports, game_id=game_id)
    if game is None:
        LOG.info("remote game not played: it was taken or has expired", game=game_id)
        return
    try:
        _report(worker, game, _play(worker, game))
    except LeaseLost as lost:
        LOG.warning("remote game dropped", game=game.id, reason=str(lost))
    except Exception as error:
        lounge.fail(worker.ports, game, cause=error)
    finally:
        lounge.release(worker.ports, game)


def _play(worker: Worker, game: RemoteGame) -> MatchEnd:
    settings = worker.ports.settings
    return work_under_lease(
        partial(_at_the_door, worker, game),
        lambda: lounge.hold(worker.ports, game),
        every_ms=settings.lease_renew_ms,
        lease_ms=settings.lease_ms,
        limit_ms=settings.match_limit_ms,
    )


async def _at_the_door(worker: Worker, game: RemoteGame) -> MatchEnd:
    spec = await asyncio.to_thread(_spec, worker, game)  # a bot new to this machine takes a while to build

    def invite(invitation: Invitation) -> None:
        lounge.tell(worker.ports, game, "invitation", **asdict(invitation))

    async with at_a_door(worker, invite, connect_ms=spec.clocks.connect_ms) as (sandbox, policy):
        return await play_match(spec, sandbox=sandbox, policy=policy)


def _spec(worker: Worker, game: RemoteGame) -> MatchSpec:
    settings = worker.ports.settings
    with worker.ports.store.snapshot() as tx:
        version = tx.versions.get(game.version_id)
    secret = worker.ports.entropy.token_bytes(32)
    return MatchSpec(
        match_id=game.id,
        a=BotFiles(f"{game.name} (remote)", "", Path(), ()),
        b=worker.bot(name=version.title, digest=version.digest, manifest=version.manifest, wheels=version.wheels),
        rules=load(settings.night_rules),
        clocks=replace(settings.clocks, connect_ms=max(CONNECT_MS, settings.clock_connect_ms)),
        tables=tables_of(game.id, 1, round=1, boards=game.boards, secret=secret),
    )


def _report(worker: Worker, game: RemoteGame, end: MatchEnd) -> None:
    for table in end.tables:
        lounge.tell_table(
            worker.ports,
            game,
            replay=replays.packed(table.replay),
            table_id=table.task.table_id,
            board=table.task.board,
            way=table.task.way,
            points=table.points,
            verdicts=[seat.verdict for seat in table.seats],
            details=[seat.detail for seat in table.seats],
        )
    lounge.tell(worker.ports, game, "over", score=end.score)
