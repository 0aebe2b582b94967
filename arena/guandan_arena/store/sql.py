"""Transactions: all repositories on one connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DataError, InterfaceError, OperationalError

from guandan_arena.errors import InvalidArgument
from guandan_arena.ports import Accounts, Audit, Bots, Events, Fits, Pairings, Stages, Tables, Versions
from guandan_arena.store.accounts import SqlAccounts
from guandan_arena.store.bots import SqlBots
from guandan_arena.store.connect import READ_ONLY, unavailable
from guandan_arena.store.events import SqlEvents
from guandan_arena.store.fits import SqlFits
from guandan_arena.store.pairings import SqlPairings
from guandan_arena.store.stages import SqlStages
from guandan_arena.store.tables import SqlAudit, SqlTables
from guandan_arena.store.versions import SqlVersions


class SqlTransaction:
    """The repositories of one transaction."""

    def __init__(self, connection: Connection) -> None:
        self.accounts: Accounts = SqlAccounts(connection)
        self.bots: Bots = SqlBots(connection)
        self.versions: Versions = SqlVersions(connection)
        self.stages: Stages = SqlStages(connection)
        self.events: Events = SqlEvents(connection)
        self.pairings: Pairings = SqlPairings(connection)
        self.tables: Tables = SqlTables(connection)
        self.fits: Fits = SqlFits(connection)
        self.audit: Audit = SqlAudit(connection)


class SqlStore:
    """The ``Store`` port on SQLite or PostgreSQL.

    Rows are locked in one order everywhere: bot, version, check, account; event, match. So two transactions never wait
    for each other. On SQLite one writer holds the whole file and locks nothing else.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @contextmanager
    def transaction(self) -> Iterator[SqlTransaction]:
        """Begin a transaction that may write; PostgreSQL reads what is committed at each statement."""
        with self._answering(), self._engine.begin() as connection:
            yield SqlTransaction(connection)

    @contextmanager
    def snapshot(self) -> Iterator[SqlTransaction]:
        """Begin a transaction that only reads, all of it from one moment."""
        options: dict[str, object] = {READ_ONLY: True}
        if self._engine.dialect.name == "postgresql":
            options |= {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        with self._answering(), self._engine.connect().execution_options(**options) as connection, connection.begin():
            yield SqlTransaction(connection)

    def ping(self) -> None:
        """Raise Unavailable when the database does not answer."""
        with self._answering(), self._engine.connect() as connection:
            connection.execute(text("SELECT 1"))

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    @contextmanager
    def _answering(self) -> Iterator[None]:
        try:
            yield
        except (OperationalError, InterfaceError) as error:
            raise unavailable(self._engine.url, error) from error
        except (DataError, UnicodeEncodeError) as error:
            # Services check what they write; what is only looked up may be any text a stranger sent.
            raise InvalidArgument("bad_text", "that holds characters no name or id has", "check it") from error
