"""The schema: migrations give what the repositories are written for; a database that is not there is named."""

from __future__ import annotations

import sqlite3
from importlib.resources import files

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import IntegrityError

from guandan_arena.errors import InvalidArgument, NotFound, Unavailable
from guandan_arena.store import connect, migrate
from guandan_arena.store.migrate import require_newest
from guandan_arena.store.schema import metadata, pairing, version
from tests import databases
from tests.arena import author, ports_on


@pytest.fixture
def empty_url(request, database_template, tmp_path) -> str:
    if database_template.startswith("sqlite"):
        return f"sqlite:///{tmp_path}/empty.db"
    return databases.empty_postgres(request.getfixturevalue("postgres_url"))


@pytest.fixture
def engine(empty_url):
    made = connect(empty_url, wait_ms=0)
    yield made
    made.dispose()


def test_migrations_and_models_describe_the_same_tables(empty_url, engine):
    assert migrate(empty_url) == "0003"
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_migrating_again_changes_nothing(empty_url):
    assert migrate(empty_url) == migrate(empty_url)


def test_checks_of_an_older_schema_keep_their_attempts_and_what_never_played_has_not_begun(empty_url, engine):
    to(engine, command.upgrade, "0001")
    rows = {"v1": (100, 100), "v2": (100, 200)}  # refused for want of room: at once, and after it had played
    with engine.begin() as connection:
        connection.execute(text(ACCOUNT))
        connection.execute(text(BOT))
        for number, (version_id, (started, ended)) in enumerate(rows.items(), 1):
            connection.execute(text(VERSION), {"id": version_id, "number": number})
            connection.execute(text(CHECK), {"id": version_id})
            connection.execute(text(STAGE), {"id": version_id, "started": started, "ended": ended})
    migrate(empty_url)
    with engine.begin() as connection:
        assert [tuple(row) for row in connection.execute(text("SELECT fence, attempts FROM version_check"))] == [
            (3, 3),
            (3, 3),
        ]
        begun = connection.execute(text("SELECT started_ms FROM version_stage ORDER BY version_id")).scalars()
        assert list(begun) == [None, 100]
    to(engine, command.downgrade, "0001")
    assert "attempts" not in {column["name"] for column in inspect(engine).get_columns("version_check")}


ACCOUNT = "INSERT INTO account VALUES ('a1', 'ada', false, 0)"
BOT = "INSERT INTO bot VALUES ('b1', 'a1', 'greedy', 0)"
VERSION = """INSERT INTO version VALUES
    (:id, 'b1', :number, :id, 1, '{}', '[]', '', '', 'checked', 0)"""
CHECK = """INSERT INTO version_check (version_id, state, fence, detail, output, queued_ms)
    VALUES (:id, 'passed', 3, '', '', 0)"""
STAGE = """INSERT INTO version_stage (version_id, name, state, code, reason, hint, started_ms, ended_ms)
    VALUES (:id, 'active', 'refused', 'quota_active', '', '', :started, :ended)"""


def to(engine, move, revision):
    """Bring a database to a revision, up or down."""
    config = Config()
    config.set_main_option("script_location", str(files("guandan_arena.store").joinpath("migrations")))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        move(config, revision)


def test_partial_unique_indexes_survive_the_migration(request, empty_url):
    migrate(empty_url)
    engine = request.getfixturevalue("engine")
    indexes = {index["name"]: index for table in ("version", "event") for index in inspect(engine).get_indexes(table)}
    assert indexes["uq_version_active_bot"]["unique"]
    assert indexes["uq_event_running_kind"]["unique"]


def test_a_database_without_the_schema_is_refused_with_the_command_to_run(engine: Engine):
    with pytest.raises(Unavailable) as refused:
        require_newest(engine)
    assert refused.value.hint == "run: guandan-arena migrate"


def test_a_bot_cannot_have_two_active_versions(store, tmp_path):
    ports = ports_on(store, tmp_path)
    first = author(ports, "ada").version
    values = {c.name: c.type.python_type() for c in version.c if not c.nullable}
    twin = values | {"id": "v2", "bot_id": first.bot_id, "number": 9, "digest": "d", "state": "active"}
    twin |= {"manifest": {}, "wheels": []}
    with pytest.raises(IntegrityError), store._engine.begin() as connection:
        connection.execute(version.insert().values(**twin))


def test_a_match_of_unknown_entrants_cannot_be_written(store):
    values = {c.name: c.type.python_type() for c in pairing.c if not c.nullable}
    with pytest.raises(IntegrityError), store._engine.begin() as connection:
        connection.execute(pairing.insert().values(**values | {"id": "m1", "a": "v1", "b": "v2"}))


def test_a_failed_block_leaves_nothing_behind(store, tmp_path):
    ports = ports_on(store, tmp_path)
    account = author(ports, "ada").account

    def change_and_fail() -> None:
        with store.transaction() as tx:
            tx.accounts.set_operator(account.id, operator=True)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        change_and_fail()
    with store.snapshot() as tx:
        assert not tx.accounts.get(account.id).operator


def test_a_snapshot_reads_one_moment_and_does_not_hold_up_writers(store, tmp_path):
    ports = ports_on(store, tmp_path)
    account = author(ports, "ada").account
    with store.snapshot() as before:
        assert not before.accounts.get(account.id).operator
        with store.transaction() as tx:
            tx.accounts.set_operator(account.id, operator=True)
        assert not before.accounts.get(account.id).operator
    with store.snapshot() as after:
        assert after.accounts.get(account.id).operator


@pytest.mark.parametrize("what", ["account", "bot", "version", "event", "match", "table"])
def test_unknown_ids_are_named(store, what):
    with store.snapshot() as tx:
        get = {
            "account": tx.accounts.get,
            "bot": tx.bots.get,
            "version": tx.versions.get,
            "event": tx.events.get,
            "match": tx.pairings.get,
            "table": tx.tables.get,
        }[what]
        with pytest.raises(NotFound) as refused:
            get("nobody")
    assert (refused.value.code, refused.value.reason) == (f"unknown_{what}", f"there is no {what} 'nobody'")


@pytest.mark.parametrize("wait_ms", [0, 300])
def test_a_server_that_does_not_answer_is_named_without_its_password(wait_ms):
    with pytest.raises(Unavailable) as refused:
        connect("postgresql://ann:hunter2@127.0.0.1:1/arena", wait_ms=wait_ms)
    assert "postgresql+psycopg://ann:***@127.0.0.1:1/arena" in refused.value.reason
    assert "hunter2" not in refused.value.reason + refused.value.hint


def test_a_password_in_the_query_of_a_database_url_is_not_shown():
    with pytest.raises(Unavailable) as refused:
        connect("postgresql://127.0.0.1:1/arena?user=ann&password=hunter2", wait_ms=0)
    assert "password=***" in refused.value.reason
    assert "hunter2" not in refused.value.reason + refused.value.hint


def test_a_file_that_is_no_database_is_named(tmp_path):
    (tmp_path / "arena.db").write_bytes(b"not a database at all, but long enough to look like one" * 20)
    with pytest.raises(Unavailable, match=r"arena\.db does not answer: file is not a database"):
        connect(f"sqlite:///{tmp_path}/arena.db", wait_ms=0)


@pytest.mark.parametrize("url", ["mysql://x/y", "hello", "sqlite://", "oracle+thin://x"])
def test_urls_of_other_databases_are_refused(url):
    with pytest.raises(InvalidArgument) as refused:
        connect(url, wait_ms=0)
    assert refused.value.code == "bad_database_url"


@pytest.mark.needs("database:sqlite")
def test_sqlite_runs_in_wal_mode_with_foreign_keys(sqlite_template):
    with databases.fresh_url(sqlite_template) as url, databases.fresh_store(sqlite_template) as store:
        with store._engine.connect() as connection:
            pragmas = [connection.execute(text(f"PRAGMA {p}")).scalar() for p in ("journal_mode", "foreign_keys")]
        assert pragmas == ["wal", 1]
        assert sqlite3.connect(url.removeprefix("sqlite:///")).close() is None


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_text_that_no_database_keeps_finds_nothing(store, text):
    with pytest.raises((NotFound, InvalidArgument)), store.snapshot() as tx:
        tx.accounts.get(text)
