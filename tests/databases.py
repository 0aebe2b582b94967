"""Migrated databases for tests, empty at the start of each: a copied file, or a PostgreSQL database wiped clean."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL, make_url

from guandan_arena.store import SqlStore, connect, migrate
from guandan_arena.store.schema import metadata

_numbers = itertools.count(1)


@contextmanager
def fresh_store(template: str) -> Iterator[SqlStore]:
    """A store on an empty database."""
    with fresh_url(template) as url:
        store = SqlStore(connect(url, wait_ms=5_000))
        try:
            yield store
        finally:
            store.close()


@contextmanager
def fresh_url(template: str) -> Iterator[str]:
    """The URL of an empty, migrated database."""
    url = make_url(template)
    if url.get_backend_name() != "sqlite":
        # DELETE is faster than TRUNCATE on tables of a few rows.
        administer(url, "; ".join(f'DELETE FROM "{table.name}"' for table in reversed(metadata.sorted_tables)))
        yield template
        return
    copy = Path(url.database).with_name(f"copy-{next(_numbers)}.db")
    shutil.copy(url.database, copy)
    yield f"sqlite:///{copy}"
    for file in copy.parent.glob(f"{copy.name}*"):
        file.unlink()


def sqlite_template(folder: Path) -> str:
    """A migrated SQLite file to copy."""
    url = f"sqlite:///{folder}/template.db"
    migrate(url)
    connection = sqlite3.connect(folder / "template.db")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return url


def postgres_template(server: str) -> str:
    """A migrated PostgreSQL database."""
    url = empty_postgres(server)
    migrate(url)
    return url


def empty_postgres(server: str) -> str:
    """A new PostgreSQL database without any table."""
    name = f"arena_{next(_numbers)}"
    administer(make_url(server), f"CREATE DATABASE {name}")
    return make_url(server).set(database=name).render_as_string(hide_password=False)


def administer(url: URL, statement: str) -> None:
    """Run one statement outside a transaction."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()
