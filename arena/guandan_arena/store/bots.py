"""Bots in SQL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Select, and_, select
from sqlalchemy.engine import RowMapping

from guandan_arena.errors import AlreadyExists
from guandan_arena.services.records import Bot
from guandan_arena.services.states import VersionState
from guandan_arena.store.rows import insert_once, locking, one
from guandan_arena.store.schema import account, bot, version


class SqlBots:
    """The ``Bots`` repository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, item: Bot) -> None:
        """Add a bot."""
        values = {"id": item.id, "account_id": item.account_id, "name": item.name, "created_ms": item.created_ms}
        if not insert_once(self._connection, bot, values):
            raise AlreadyExists("name_taken", f"the bot name {item.name!r} is taken", "choose another name")

    def get(self, bot_id: str) -> Bot:
        """Return a bot."""
        return _bot(one(self._connection, _BOTS.where(bot.c.id == bot_id), what="bot", key=bot_id))

    def lock(self, bot_id: str) -> Bot:
        """Return a bot, holding its row."""
        self._connection.execute(locking(select(bot.c.id).where(bot.c.id == bot_id), bot))
        return self.get(bot_id)

    def find(self, name: str) -> Bot | None:
        """Return the bot of this name."""
        row = self._connection.execute(_BOTS.where(bot.c.name == name)).mappings().one_or_none()
        return None if row is None else _bot(row)

    def browse(self, *, owner: str | None = None, limit: int = 50, offset: int = 0) -> tuple[Bot, ...]:
        """Return bots by name."""
        query = _BOTS.order_by(bot.c.name).limit(limit).offset(offset)
        if owner is not None:
            query = query.where(account.c.name == owner)
        return tuple(map(_bot, self._connection.execute(query).mappings()))


_BOTS: Select[Any] = select(bot, account.c.name.label("owner"), version.c.id.label("active")).select_from(
    bot.join(account).outerjoin(version, and_(version.c.bot_id == bot.c.id, version.c.state == VersionState.ACTIVE))
)


def _bot(row: RowMapping) -> Bot:
    return Bot(row["id"], row["account_id"], row["owner"], row["name"], row["created_ms"], row["active"])
