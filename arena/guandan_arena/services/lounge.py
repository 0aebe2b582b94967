"""The lounge: unrated games of bots that run elsewhere.

They move no rating and are kept in Redis only, their replays too: these travel with the notices and expire with them.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from guandan_arena.errors import AlreadyExists, InvalidArgument, LeaseLost, NotFound, Refused, Unavailable
from guandan_arena.ports import Ports
from guandan_arena.services import incidents
from guandan_arena.services.identity import fresh_id, require_name
from guandan_arena.services.records import Account, Version
from guandan_arena.services.remotes import require_door

MOST_BOARDS: Final = 4  # a game takes a worker from the nights
QUEUED_MS: Final = 600_000  # a game that no worker has taken by then is forgotten
LOOK_MS: Final = 1_000


@dataclass(frozen=True, slots=True)
class RemoteGame:
    """A game that was asked for: who asked, the name the remote bot plays under, the version it meets."""

    id: str
    account_id: str
    name: str
    version_id: str
    against: str
    boards: int


def ask(ports: Ports, *, caller: Account, name: str, against: str, boards: int) -> RemoteGame:
    """Queue an unrated game against the active version of a bot; every refusal says why."""
    require_door(ports)
    require_name(name, what="a bot")
    if not 1 <= boards <= MOST_BOARDS:
        raise InvalidArgument("bad_boards", f"a game cannot have {boards} boards", f"choose 1 to {MOST_BOARDS}")
    version = _met(ports, caller, name, against)
    game = RemoteGame(fresh_id(ports.entropy, "g"), caller.id, name, version.id, version.title, boards)
    if not ports.lounge.open(caller.id, game.id, json.dumps(asdict(game)), expire_ms=QUEUED_MS):
        raise Refused("game_under_way", "you have a remote game under way", "wait for its end, then ask again")
    try:
        ports.queue.play_remote(game.id)
    except BaseException:
        ports.lounge.release(caller.id, game.id)
        raise
    return game


def take(ports: Ports, *, game_id: str) -> RemoteGame | None:
    """Return a game to a worker, once; None when it is not to be played any more."""
    kept = ports.lounge.take(game_id, expire_ms=ports.settings.lease_ms)
    return None if kept is None else RemoteGame(**json.loads(kept))


def hold(ports: Ports, game: RemoteGame) -> None:
    """Say that a worker still plays a game; raise LeaseLost when it is given up. Call every settings.lease_renew_ms."""
    if not ports.lounge.hold(game.account_id, game.id, expire_ms=ports.settings.lease_ms):
        raise LeaseLost("lease_lost", f"the remote game {game.id} is under way no more", "drop the work")


def tell(ports: Ports, game: RemoteGame, notice: str, **facts: object) -> None:
    """Tell whoever asked for a game: ``invitation``, ``table``, ``over`` or ``failed``, with its facts."""
    ports.lounge.tell(game.id, json.dumps({"notice": notice, **facts}))


def tell_table(ports: Ports, game: RemoteGame, *, replay: bytes, **facts: object) -> None:
    """Tell how a table came out, with its replay (packed)."""
    tell(ports, game, "table", replay=base64.b64encode(replay).decode(), **facts)


def fail(ports: Ports, game: RemoteGame, *, cause: Exception) -> None:
    """Tell whoever asked for a game that it broke by our fault; the cause goes to the log."""
    tell(ports, game, "failed", reason=incidents.sentence(ports, of=f"remote game {game.id}", cause=cause))


def release(ports: Ports, game: RemoteGame) -> None:
    """Let the author ask for the next game."""
    ports.lounge.release(game.account_id, game.id)


def notices(ports: Ports, game: RemoteGame) -> Iterator[dict[str, Any] | None]:
    """Yield what happens to a game, ``over`` last, and None whenever nothing has; wait LOOK_MS then.

    Raises Unavailable when it failed by our fault or the worker that played it is gone.
    """
    after = "0"
    while True:
        held = ports.lounge.is_held(game.account_id, game.id)
        entries = ports.lounge.read(game.id, after=after, wait_ms=0)
        if not entries and not held:
            raise Unavailable(
                "game_lost",
                "no worker took this game in time, or the one that had it is gone",
                "ask again; nothing was rated",
            )
        for entry in entries:
            after = entry.id
            notice: dict[str, Any] = json.loads(entry.line)
            if "replay" in notice:
                notice["replay"] = base64.b64decode(notice["replay"])
            if notice["notice"] == "failed":
                raise Unavailable("game_failed", notice["reason"], "it is not your bot's fault; ask again")
            yield notice
            if notice["notice"] == "over":
                return
        yield None


def _met(ports: Ports, caller: Account, name: str, against: str) -> Version:
    """Return the version a game is played against; the remote bot bears no name of somebody else's."""
    with ports.store.snapshot() as tx:
        namesake = tx.bots.find(name)
        active = [version for version in tx.versions.active() if not version.remote]
    if namesake is not None and namesake.owner != caller.name:
        raise AlreadyExists("bot_name_taken", f"the bot {name} is {namesake.owner}'s", "play under another name")
    for version in active:
        if version.bot == against:
            return version
    names = ", ".join(sorted(version.bot for version in active)[:10]) or "none plays now"
    raise NotFound("no_active_bot", f"no bot {against[:80]!r} is active", f"choose one of: {names}")
