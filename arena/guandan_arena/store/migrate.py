"""Bringing a database to the newest schema."""

from __future__ import annotations

from importlib.resources import files

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text

from guandan_arena.errors import Unavailable
from guandan_arena.store.connect import connect

_LOCK = 0x6775616E64616E
"""Number of the advisory lock that lets one process at a time migrate a PostgreSQL database."""


def migrate(url: str, *, wait_ms: int = 20_000) -> str:
    """Migrate the database to the newest revision and return its name; doing it again changes nothing."""
    engine = connect(url, wait_ms=wait_ms)
    try:
        with engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            config = _config()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            return _revision(connection) or "empty"
    finally:
        engine.dispose()


def require_newest(engine: Engine) -> None:
    """Raise Unavailable unless the database has the schema this program was written for."""
    with engine.connect() as connection:
        found = _revision(connection)
    newest = ScriptDirectory.from_config(_config()).get_current_head()
    if found != newest:
        raise Unavailable(
            "schema_outdated",
            f"the database has schema {found or 'none'}, this program needs {newest}",
            "run: guandan-arena migrate",
        )


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(files("guandan_arena.store").joinpath("migrations")))
    return config
