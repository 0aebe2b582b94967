"""Migrated databases for tests: a fresh one for each test, copied from one that was migrated once."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from guandan_arena.store import SqlStore, connect, migrate

_numbers = itertools.count(1)


@contextmanager
def fresh_store(template: str) -> Iterator[SqlStore]:
    """A store on a copy of the template database."""
    with fresh_url(template) as url:
        store = SqlStore(connect(url, wait_ms=5_000))
        try:
            yield store
        finally:
            store.close()


@contextmanager
def fresh_url(template: str) -> Iterator[str]:
    """A copy of the template database."""
    url, number = make_url(template), next(_numbers)
    if url.get_backend_name() == "sqlite":
        copy = Path(url.database).with_name(f"copy-{number}.db")
        shutil.copy(url.database, copy)
        yield f"sqlite:///{copy}"
        for file in copy.parent.glob(f"{copy.name}*"):
            file.unlink()
        return
    _admin(url, f'CREATE DATABASE copy_{number} TEMPLATE "{url.database}"')
    yield url.set(database=f"copy_{number}").render_as_string(hide_password=False)
    _admin(url, f"DROP DATABASE copy_{number} WITH (FORCE)")


def sqlite_template(folder: Path) -> str:
    """A migrated SQLite file to copy."""
    url = f"sqlite:///{folder}/template.db"
    migrate(url)
    with sqlite3.connect(folder / "template.db") as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return url


def postgres_template(server: str) -> str:
    """A migrated PostgreSQL database to copy."""
    url = make_url(server)
    _admin(url, "CREATE DATABASE template_arena")
    template = url.set(database="template_arena").render_as_string(hide_password=False)
    migrate(template)
    return template


def _admin(url: object, statement: str) -> None:
    engine = create_engine(make_url(url).set(database="postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()
