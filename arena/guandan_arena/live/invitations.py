"""Invitations to remote bots in Redis: a stream for each bot, and who reads it.

Invitations carry tickets. They live here only, no longer than the last of them is good, and for one reader at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from guandan_arena.live import connection
from guandan_arena.ports import StreamEntry

_INVITATION: Final = "invitation"
_MOST: Final = 256  # a bot has a few seats waiting at once

# KEYS: the attendant of a bot. ARGV: who asks, for how long.
_STAY: Final = """
local there = redis.call('GET', KEYS[1])
if there and there ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""


class RedisInvitations:
    """Invitations by the name of the bot."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client = connection.connect(url, patient=False)
        self._stay = self._client.register_script(_STAY)

    def attend(self, bot: str, attendant: str, *, expire_ms: int) -> None:
        """Let an attendant, and nobody before it, read what comes for a bot."""
        with connection.answering(self._url):
            self._client.set(_attendant(bot), attendant, px=expire_ms)

    def attends(self, bot: str, attendant: str, *, expire_ms: int) -> bool:
        """Whether no other attendant has come for a bot; if so, this one stays for as long again."""
        with connection.answering(self._url):
            stays: Any = self._stay(keys=(_attendant(bot),), args=(attendant, expire_ms))
        return bool(stays)

    def put(self, bot: str, invitation: str, *, expire_ms: int) -> None:
        """Put an invitation for a bot; what came before it lives as long."""
        with connection.answering(self._url):
            pipe = self._client.pipeline(transaction=True)
            pipe.xadd(_invitations(bot), {_INVITATION: invitation}, maxlen=_MOST)
            pipe.pexpire(_invitations(bot), expire_ms)
            pipe.execute()

    def read(self, bot: str, *, after: str = "0") -> Sequence[StreamEntry]:
        """Return the invitations after an entry, at once."""
        key = _invitations(bot)
        with connection.answering(self._url):
            found: Any = self._client.xread({key: after})
        entries = found[0][1] if isinstance(found, list) and found else found[key][0] if found else ()
        return tuple(StreamEntry(entry, fields[_INVITATION]) for entry, fields in entries)

    def disconnect(self) -> None:
        """Give the connections back."""
        self._client.close()


def _attendant(bot: str) -> str:
    return f"lounge:{{{bot}}}:attendant"


def _invitations(bot: str) -> str:
    return f"lounge:{{{bot}}}:invitations"
