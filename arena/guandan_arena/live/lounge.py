"""The lounge in Redis: a game that waits, whether it is under way, and a stream of notices for whoever asked for it.

Keys, all under one hash tag, so that a cluster keeps them on one node:

    {lounge}:account:<account>   the id of the account's game under way
    {lounge}:game:<game>         hash: a game that waits for a worker, and its account
    {lounge}:notices:<game>      stream of what has happened to it

What looks before it writes is one script. Notices carry tickets, which are dead soon and live nowhere else; the stream
expires with its game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from redis.commands.core import Script

from guandan_arena.live import connection
from guandan_arena.ports import StreamEntry

_TAG: Final = "{lounge}"
_NOTICE: Final = "notice"
_EXPIRE_S: Final = 3600

# KEYS: account, game. ARGV: game, its text, account, milliseconds.
_OPEN: Final = """
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[4]) then return 0 end
redis.call('HSET', KEYS[2], 'text', ARGV[2], 'account', ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return 1
"""

# KEYS: account, game. ARGV: game, milliseconds.
_TAKE: Final = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local text = redis.call('HGET', KEYS[2], 'text')
if not text then return false end
redis.call('DEL', KEYS[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return text
"""

# KEYS: account. ARGV: game, milliseconds.
_HOLD: Final = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
"""

# KEYS: account. ARGV: game.
_RELEASE: Final = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
"""


class RedisLounge:
    """Games of remote bots by id, at most one under way for an account."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client = connection.connect(url, patient=False)
        self._open = self._client.register_script(_OPEN)
        self._take = self._client.register_script(_TAKE)
        self._hold = self._client.register_script(_HOLD)
        self._release = self._client.register_script(_RELEASE)

    def open(self, account_id: str, game_id: str, game: str, *, expire_ms: int) -> bool:
        """Keep a game for a worker; False when the account has one under way."""
        keys = [_account(account_id), _game(game_id)]
        return bool(self._run(self._open, keys, [game_id, game, account_id, expire_ms]))

    def take(self, game_id: str, *, expire_ms: int) -> str | None:
        """Return a game to play, once, and hold it; None when another has taken it or it has expired."""
        with connection.answering(self._url):
            account: Any = self._client.hget(_game(game_id), "account")
        if account is None:
            return None
        game = self._run(self._take, [_account(account), _game(game_id)], [game_id, expire_ms])
        return None if game is None else str(game)

    def hold(self, account_id: str, game_id: str, *, expire_ms: int) -> bool:
        """Say that a game is still under way; False, changing nothing, when it is so no more."""
        return bool(self._run(self._hold, [_account(account_id)], [game_id, expire_ms]))

    def is_held(self, account_id: str, game_id: str) -> bool:
        """Whether a game is still under way."""
        with connection.answering(self._url):
            return bool(self._client.get(_account(account_id)) == game_id)

    def release(self, account_id: str, game_id: str) -> None:
        """Say that a game is under way no more; another game of the account stays as it is."""
        self._run(self._release, [_account(account_id)], [game_id])

    def tell(self, game_id: str, notice: str) -> None:
        """Tell whoever waits for a game."""
        with connection.answering(self._url):
            pipe = self._client.pipeline(transaction=True)
            pipe.xadd(_notices(game_id), {_NOTICE: notice})
            pipe.expire(_notices(game_id), _EXPIRE_S)
            pipe.execute()

    def read(self, game_id: str, *, after: str = "0", wait_ms: int = 0) -> Sequence[StreamEntry]:
        """Return the notices after an entry, waiting at most ``wait_ms`` for the first."""
        key = _notices(game_id)
        with connection.answering(self._url):
            found: Any = self._client.xread({key: after}, block=wait_ms or None)
        entries = found[0][1] if isinstance(found, list) and found else found[key][0] if found else ()
        return tuple(StreamEntry(entry, fields[_NOTICE]) for entry, fields in entries)

    def disconnect(self) -> None:
        """Give the connections back."""
        self._client.close()

    def _run(self, script: Script, keys: list[str], arguments: list[str | int]) -> Any:
        with connection.answering(self._url):
            return script(keys=keys, args=arguments)


def _account(account_id: str) -> str:
    return f"{_TAG}:account:{account_id}"


def _game(game_id: str) -> str:
    return f"{_TAG}:game:{game_id}"


def _notices(game_id: str) -> str:
    return f"{_TAG}:notices:{game_id}"
