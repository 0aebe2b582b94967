"""The lounge in dictionaries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from guandan_arena.ports import StreamEntry


class FakeLounge:
    """Passes the same contract tests as RedisLounge; nothing expires."""

    def __init__(self) -> None:
        self._held: dict[str, str] = {}
        self._games: dict[str, str] = {}
        self._notices: defaultdict[str, list[str]] = defaultdict(list)

    def open(self, account_id: str, game_id: str, game: str, *, expire_ms: int) -> bool:
        if account_id in self._held:
            return False
        self._held[account_id] = game_id
        self._games[game_id] = game
        return True

    def take(self, game_id: str, *, expire_ms: int) -> str | None:
        return self._games.pop(game_id, None) if game_id in self._held.values() else None

    def hold(self, account_id: str, game_id: str, *, expire_ms: int) -> bool:
        return self.is_held(account_id, game_id)

    def is_held(self, account_id: str, game_id: str) -> bool:
        return self._held.get(account_id) == game_id

    def release(self, account_id: str, game_id: str) -> None:
        if self.is_held(account_id, game_id):
            del self._held[account_id]

    def tell(self, game_id: str, notice: str) -> None:
        self._notices[game_id].append(notice)

    def read(self, game_id: str, *, after: str = "0", wait_ms: int = 0) -> Sequence[StreamEntry]:
        since = int(after.partition("-")[0])
        return tuple(StreamEntry(f"{n}-0", text) for n, text in enumerate(self._notices[game_id], 1) if n > since)
