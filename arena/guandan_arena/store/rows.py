"""Statements that several repositories share."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Select, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import RowMapping

from guandan_arena.errors import NotFound


def one(connection: Connection, query: Select[Any], *, what: str, key: str) -> RowMapping:
    """Return the one row of a query; raise NotFound, quoting the key that was asked for."""
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        raise NotFound(f"unknown_{what}", f"there is no {what} {key!r}", f"list them to find the {what} you mean")
    return row


def insert_once(connection: Connection, table: Table, values: dict[str, object]) -> bool:
    """Insert a row unless one of its unique keys is taken; return whether it was inserted."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    statement = insert(table).values(values).on_conflict_do_nothing().returning(*table.primary_key)
    return connection.execute(statement).first() is not None


def locking(query: Select[Any], table: Table) -> Select[Any]:
    """Hold the row until the transaction ends. Foreign keys to it may still be written meanwhile."""
    return query.with_for_update(of=table, key_share=True)
