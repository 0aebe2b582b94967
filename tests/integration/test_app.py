"""The composition root on real parts: SQLite or PostgreSQL, Valkey, a folder of blobs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from guandan_arena import app
from guandan_arena.cli import commands
from guandan_arena.errors import NotFound, Unauthenticated, Unavailable
from guandan_arena.ports import Ports
from guandan_arena.services import accounts, audit, events, ladder, matches
from guandan_arena.settings import Settings
from guandan_arena.store import migrate
from tests import valkey
from tests.arena import author, played
from tests.databases import fresh_url

pytestmark = pytest.mark.needs("broker:valkey")


@pytest.fixture(scope="module")
def server() -> Iterator[Settings]:
    with valkey.serving() as settings:
        yield settings


@pytest.fixture
def ports(server: Settings, database_template: str, tmp_path: Path) -> Iterator[Ports]:
    valkey.emptied(server.broker_url)
    with fresh_url(database_template) as url:
        built = app.build(
            Settings(
                data_dir=tmp_path,
                database_url=url,
                redis_url=server.broker_url,
                night_rounds=2,
                night_boards=1,
            )
        )
        yield built
        built.store.close()
        built.ladder.close()
        built.queue.close()


def test_a_night_on_real_parts_leaves_ratings_that_a_rebuild_gives_again_to_the_byte(ports: Ports) -> None:
    for name in ("ada", "bob", "cyd", "dan"):
        author(ports, name)
    event = events.open_night(ports)
    for number in (1, 2):
        for match in matches.browse(ports, event_id=event.id):
            if match.round == number:
                claim = matches.claim(ports, match_id=match.id, worker="w")
                matches.finish(ports, claim, played(ports, claim))
    assert audit.run(ports).findings == ()
    before = ports.ladder.dump()
    assert before.count(b"done ") == 4
    assert ladder.rebuild(ports) == before
    assert ladder.reconcile(ports) == 0
    assert sum(line.elo_milli for line in ladder.leaderboard(ports)) == 4 * 1_500_000


def test_a_redis_that_lost_everything_is_made_up_by_the_sweep(ports: Ports, server: Settings) -> None:
    for name in ("ada", "bob"):
        author(ports, name)
    event = events.open_night(ports)
    (match,) = matches.browse(ports, event_id=event.id)
    claim = matches.claim(ports, match_id=match.id, worker="w")
    matches.finish(ports, claim, played(ports, claim))
    before = ports.ladder.dump()
    valkey.emptied(server.broker_url)
    assert ladder.reconcile(ports) == 1
    assert ports.ladder.dump() == before


def test_a_database_without_schema_is_refused(server: Settings, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="needs 0003"):
        app.build(Settings(data_dir=tmp_path, redis_url=server.broker_url))


def test_a_redis_that_does_not_answer_is_named_without_its_password(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, redis_url="redis://:hunter2@127.0.0.1:1/0", start_wait_ms=0)
    migrate(settings.store_url)
    with pytest.raises(Unavailable) as refused:
        app.build(settings)
    assert "redis://:***@127.0.0.1:1/0" in refused.value.reason


def test_a_database_that_does_not_answer_is_named(server: Settings, tmp_path: Path) -> None:
    settings = replace(
        server, data_dir=tmp_path, database_url="postgresql://ann:hunter2@127.0.0.1:1/x", start_wait_ms=0
    )
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1/x"):
        app.build(settings)


def is_paused(ports: Ports) -> bool:
    with ports.store.snapshot() as tx:
        return tx.events.paused()


@pytest.fixture
def environ(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings of this arena, for the operator's command."""
    monkeypatch.setenv("GUANDAN_DATA_DIR", str(ports.settings.data_dir))
    monkeypatch.setenv("DATABASE_URL", ports.settings.store_url)
    monkeypatch.setenv("REDIS_URL", ports.settings.broker_url)


@pytest.mark.usefixtures("environ")
def test_an_operator_replaces_a_token_that_was_lost_or_shown(ports: Ports) -> None:
    shown = accounts.register(ports, name="ada")
    run = CliRunner().invoke
    text = run(commands.app, ["account", "token", "ada", "--days", "3"]).stdout.strip()
    assert accounts.authenticate(ports, text=text) == shown.account
    revoked = run(commands.app, ["account", "revoke", "ada", shown.token.id])
    assert revoked.stdout == f"{shown.token.id} is revoked\n"
    with pytest.raises(Unauthenticated, match="was revoked"):
        accounts.authenticate(ports, text=shown.text)
    listed = json.loads(run(commands.app, ["account", "tokens", "ada", "--format", "json"]).stdout)
    assert {row["label"]: bool(row["revoked"]) for row in listed} == {"by the operator": False, "first": True}
    assert text not in str(listed)
    for words in (["token", "nobody"], ["tokens", "nobody"], ["revoke", "nobody", shown.token.id]):
        assert isinstance(run(commands.app, ["account", *words]).exception, NotFound)


@pytest.mark.usefixtures("environ")
def test_an_operator_pauses_resumes_and_stops_from_the_command_line(ports: Ports) -> None:
    author(ports, "ada")
    author(ports, "bob")
    event = events.open_night(ports)
    run = CliRunner().invoke
    assert run(commands.app, ["pause"]).exit_code == 0
    assert is_paused(ports)
    assert run(commands.app, ["resume"]).exit_code == 0
    assert not is_paused(ports)
    assert "is over" in run(commands.app, ["stop", event.id]).stdout
    assert events.get(ports, event_id=event.id).secret
    assert run(commands.app, ["operator", "ada"]).stdout == "ada is an operator\n"
    assert run(commands.app, ["operator", "ada", "--remove"]).stdout == "ada is no operator\n"
