"""The lounge in Redis: a game that waits, whether it is under way, and a stream of notices for whoever asked for it.

Notices carry tickets, which are dead soon and live nowhere else; the stream expires with its game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from guandan_arena.live import connection
from guandan_arena.ports import StreamEntry

_NOTICE: Final = "notice"
_EXPIRE_S: Final = 3600


class RedisLounge:
    """Games of remote bots by id, at most one under way for an account."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client = connection.connect(url, patient=False)

    def open(self, account_id: str, game_id: str, game: str, *, expire_ms: int) -> bool:
        """Keep a game for a worker; False when the account has one under way."""
        with connection.answering(self._url):
            if not self._client.set(_account(account_id), game_id, nx=True, px=expire_ms):
                return False
            self._client.set(_game(game_id), game, px=expire_ms)
        return True

    def take(self, game_id: str) -> str | None:
        """Return a game to play, once; None when another has taken it or it has expired."""
        with connection.answering(self._url):
            game: Any = self._client.getdel(_game(game_id))
        return None if game is None else str(game)

    def hold(self, account_id: str, game_id: str, *, expire_ms: int) -> None:
        """Say that a game is still under way."""
        with connection.answering(self._url):
            self._client.set(_account(account_id), game_id, px=expire_ms)

    def is_held(self, account_id: str, game_id: str) -> bool:
        """Whether a game is still under way."""
        with connection.answering(self._url):
            return bool(self._client.get(_account(account_id)) == game_id)

    def release(self, account_id: str, game_id: str) -> None:
        """Say that a game is under way no more."""
        if self.is_held(account_id, game_id):
            with connection.answering(self._url):
                self._client.delete(_account(account_id))

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


def _account(account_id: str) -> str:
    return f"lounge:account:{account_id}"


def _game(game_id: str) -> str:
    return f"lounge:{{{game_id}}}:game"


def _notices(game_id: str) -> str:
    return f"lounge:{{{game_id}}}:notices"
