"""The tasks the arena knows by name: each calls one service and keeps nothing."""

from __future__ import annotations

import structlog

from guandan_arena.errors import Refused
from guandan_arena.live.queue import CHECK_VERSION, OPEN_NIGHT, PLAY_MATCH, PLAY_REMOTE, REAP
from guandan_arena.services import events, reaper
from guandan_workers import checks, matches, remote
from guandan_workers.app import app
from guandan_workers.shelf import tidy
from guandan_workers.worker import this_arena, this_worker

LOG = structlog.get_logger(__name__)


@app.task(name=PLAY_MATCH)
def play_match(match_id: str) -> None:
    """Play a match."""
    matches.play(this_worker(), match_id)


@app.task(name=PLAY_REMOTE)
def play_remote(game_id: str) -> None:
    """Play the unrated game of a remote bot."""
    remote.play(this_worker(), game_id)


@app.task(name=CHECK_VERSION)
def check_version(version_id: str) -> None:
    """Check a version, and clear away what the versions before it left."""
    checks.check(this_worker(), version_id)
    tidy(this_arena().settings)


@app.task(name=REAP)
def reap() -> None:
    """Put right whatever died."""
    reaper.reap(this_arena())


@app.task(name=OPEN_NIGHT)
def open_night() -> None:
    """Open a night of all active versions, if one may be opened now; any other refusal is an error."""
    try:
        events.open_night(this_arena())
    except Refused as refusal:
        if refusal.code not in events.NOT_NOW:
            raise
        LOG.warning("no night opened", code=refusal.code, reason=refusal.reason)
