"""Opening a database: its engine with the settings we rely on, and the wait until it answers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from guandan_arena.errors import InvalidArgument, Unavailable
from guandan_arena.urls import masked

READ_ONLY: Final = "guandan_read_only"
_BUSY_MS: Final = 30_000
_RETRY_SECONDS: Final = 0.25


def connect(url: str, *, wait_ms: int) -> Engine:
    """Return an engine whose database answers; raise Unavailable naming the URL when it does not within ``wait_ms``."""
    engine = _engine(_parse(url))
    deadline = time.monotonic() + wait_ms / 1000
    while True:
        try:
            with engine.connect() as connection:
                connection.execute(text("SELECT 1"))
        except DBAPIError as error:
            if time.monotonic() >= deadline:
                engine.dispose()
                raise unavailable(engine.url, error) from error
            time.sleep(_RETRY_SECONDS)
        else:
            return engine


def unavailable(url: URL, error: DBAPIError) -> Unavailable:
    """Say which database did not answer, and what it said."""
    said = str(error.orig).strip().splitlines() or ["nothing"]
    return Unavailable(
        "store_unavailable",
        f"the database {masked(url.render_as_string(hide_password=False))} does not answer: {said[0]}",
        "check DATABASE_URL and that the server runs; nothing already accepted is lost",
    )


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise InvalidArgument("bad_database_url", "DATABASE_URL is not a database URL", _URL_HINT) from error
    if parsed.drivername in ("postgres", "postgresql"):
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername not in ("sqlite", "postgresql+psycopg"):
        raise InvalidArgument("bad_database_url", f"{parsed.drivername!r} is not a database we use", _URL_HINT)
    return parsed


_URL_HINT: Final = "write sqlite:////folder/arena.db or postgresql://user:password@host/name"


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        return _sqlite(url)
    try:
        return create_engine(url, pool_pre_ping=True, pool_size=5, max_overflow=15)
    except (NoSuchModuleError, ImportError) as error:
        raise InvalidArgument("bad_database_url", f"no driver for {url.drivername}: {error}", _URL_HINT) from error


def _sqlite(url: URL) -> Engine:
    if not url.database or url.database == ":memory:":
        raise InvalidArgument("bad_database_url", "SQLite in memory loses everything", _URL_HINT)
    try:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable("store_unavailable", f"the folder of {url} cannot be made: {error}", _URL_HINT) from error
    engine = create_engine(url)
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin)
    return engine


def _set_pragmas(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # We begin transactions ourselves, see _begin.
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON", f"busy_timeout = {_BUSY_MS}"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin(connection: Connection) -> None:
    """Take the write lock at the start of a writing transaction: a lock taken later could fail half-way."""
    read_only = connection.get_execution_options().get(READ_ONLY, False)
    connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")
