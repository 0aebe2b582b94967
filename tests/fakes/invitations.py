"""Invitations in dictionaries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from guandan_arena.ports import StreamEntry


class FakeInvitations:
    """Passes the same contract tests as RedisInvitations; nothing expires."""

    def __init__(self) -> None:
        self._attendants: dict[str, str] = {}
        self._invitations: defaultdict[str, list[str]] = defaultdict(list)

    def attend(self, bot: str, attendant: str, *, expire_ms: int) -> None:
        self._attendants[bot] = attendant

    def attends(self, bot: str, attendant: str, *, expire_ms: int) -> bool:
        return self._attendants.setdefault(bot, attendant) == attendant

    def put(self, bot: str, invitation: str, *, expire_ms: int) -> None:
        self._invitations[bot].append(invitation)

    def read(self, bot: str, *, after: str = "0") -> Sequence[StreamEntry]:
        since = int(after.partition("-")[0])
        return tuple(StreamEntry(f"{n}-0", text) for n, text in enumerate(self._invitations[bot], 1) if n > since)

    def disconnect(self) -> None:
        self._attendants.clear()
