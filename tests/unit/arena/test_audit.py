"""The audit finds whatever was changed behind the services' back."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from sqlalchemy import text

from guandan_arena.services import audit, events, matches, replays
from guandan_arena.services.records import MatchChange
from tests.arena import author, ports_on, work
from tests.databases import fresh_store


@pytest.fixture(scope="module")
def a_night(request, tmp_path_factory):
    """Three bots, two rounds, one bye each; played once and tampered with by every test in its own way."""
    template = request.getfixturevalue("sqlite_template")
    with fresh_store(template) as store:
        ports = ports_on(store, tmp_path_factory.mktemp("night"))
        ports = replace(ports, settings=replace(ports.settings, night_rounds=2))
        for name in ("ada", "bob", "cyd"):
            author(ports, name)
        ports.queue.waiting.clear()
        events.open_night(ports)
        assert work(ports) == 2
        yield ports


@pytest.fixture
def ports(a_night):
    """The night, restored afterwards: what a test changed is in one transaction that is rolled back."""
    backup = a_night.store._engine.url.database + ".backup"
    with a_night.store._engine.connect() as connection:
        connection.execute(text("COMMIT"))
        connection.execute(text(f"VACUUM INTO '{backup}'"))
        connection.execute(text("BEGIN"))
    yield a_night
    a_night.store.close()
    for suffix in ("-wal", "-shm"):
        if os.path.exists(a_night.store._engine.url.database + suffix):
            os.unlink(a_night.store._engine.url.database + suffix)
    os.replace(backup, a_night.store._engine.url.database)


def change(ports, statement: str) -> None:
    with ports.store._engine.begin() as connection:
        connection.execute(text("PRAGMA defer_foreign_keys = ON"))
        assert connection.execute(text(statement)).rowcount > 0


def codes(ports) -> set[str]:
    return {finding.code for finding in audit.run(ports).findings}


def test_nothing_changed_nothing_found(ports):
    report = audit.run(ports)
    assert report.clean
    assert (report.matches, report.tables, report.replays) == (4, 4, 4)


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("UPDATE pairing SET score = score + 1 WHERE ending = 'played'", "outcome_differs"),
        ("UPDATE pairing SET delta_milli = delta_milli + 1 WHERE ending = 'played' AND round = 2", "outcome_differs"),
        ("UPDATE pairing SET ending = 'forfeit_a' WHERE ending = 'played'", "outcome_differs"),
        ("UPDATE pairing SET delta_milli = 5 WHERE ending = 'bye'", "counts_without_result"),
        ("UPDATE pairing SET a_elo_milli = a_elo_milli + 1 WHERE round = 2", "rating_not_frozen"),
        ("UPDATE pairing SET a = b, b = a WHERE ending = 'played'", "pairing_differs"),
        ("UPDATE pairing SET state = 'queued', ending = NULL WHERE ending = 'played'", "round_closed_early"),
        ("UPDATE round SET state = 'open' WHERE number = 2", "event_over_early"),
        ("UPDATE played_table SET points = -points", "replay_differs"),
        ("UPDATE played_table SET fence = 7 WHERE way = 1", "attempts_mixed"),
        ("DELETE FROM played_table WHERE way = 1", "tables_not_whole"),
        ("UPDATE event SET commitment = 'a' || substr(commitment, 2)", "commitment_broken"),
        ("UPDATE event SET secret = x'00'", "commitment_broken"),
        ("UPDATE event SET spec = replace(spec, '\"move_ms\": 1000', '\"move_ms\": 999')", "replay_differs"),
        ("UPDATE version SET digest = 'f' || substr(digest, 2)", "replay_differs"),
    ],
)
def test_a_changed_row_is_found(ports, statement, code):
    change(ports, statement)
    assert code in codes(ports)


def test_a_replay_of_another_table_is_found(ports):
    change(ports, "UPDATE played_table SET replay_digest = (SELECT min(replay_digest) FROM played_table)")
    assert "replay_differs" in codes(ports)


def test_a_changed_replay_is_found(ports):
    match = next(m for m in matches.browse(ports) if m.b)
    table = matches.get(ports, match_id=match.id).tables[0]
    lines = replays.read(ports, table).lines
    digest = replays.put(ports, lines=lines.replace(b'"way":0', b'"way":1', 1))
    change(ports, f"UPDATE played_table SET replay_digest = '{digest}' WHERE id = '{table.id}'")
    assert "replay_broken" in codes(ports)


def test_a_missing_replay_is_found(ports):
    change(ports, f"UPDATE played_table SET replay_digest = '{'0' * 64}' WHERE way = 0")
    assert "replay_missing" in codes(ports)


def test_ratings_in_redis_that_differ_from_sql_are_found(ports):
    before = ports.ladder.dump()
    match = next(m for m in matches.browse(ports) if m.b)
    ports.ladder.apply(MatchChange("e0", "m0", match.a.version_id, match.b.version_id, 1))
    assert codes(ports) == {"rating_differs"}
    from guandan_arena.services import ladder

    assert ladder.rebuild(ports) == before
    assert codes(ports) == set()


def test_one_event_can_be_audited_alone(ports):
    (event,) = events.browse(ports)
    assert audit.run(ports, event_id=event.id).events == 1
