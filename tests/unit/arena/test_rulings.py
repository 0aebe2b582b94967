"""Rulings on running tables: by operators only, in the journal before they are sent, found by the audit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from guandan_arena.cli.commands import app
from guandan_arena.errors import InvalidArgument, NotFound, PermissionDenied, Refused
from guandan_arena.services import audit, events, matches, rulings
from guandan_arena.web import create_app
from guandan_engine.cards import Card
from guandan_engine.conduct import Offence, Sanction
from guandan_engine.conduct.rulings import APPLIED, RefereeRuling
from tests import arena as arenas
from tests.arena import author, operator, played, ports_on
from tests.databases import fresh_store

WHY = "seen from the next table"


@pytest.fixture
def ports(request, tmp_path):
    with fresh_store(request.getfixturevalue("sqlite_template")) as store:
        ports = ports_on(store, tmp_path)
        for name in ("ada", "bob"):
            author(ports, name)
        ports = replace(ports, settings=replace(ports.settings, night_rounds=1))
        ports.queue.waiting.clear()
        events.open_night(ports)
        yield ports


@pytest.fixture
def claim(ports):
    ((_, match_id),) = ports.queue.waiting
    return matches.claim(ports, match_id=match_id, worker="w1")


def rule(ports, table_id, **fields):
    given = {"seat": 2, "kind": "out_of_turn", "reason": "played before seat 1"} | fields
    return rulings.rule(ports, table_id=table_id, **given)


def sent(ports, table_id):
    return [rulings.read(entry.line) for entry in ports.rulings.read(table_id)]


def test_a_ruling_is_in_the_journal_and_on_its_way(ports, claim):
    table_id = claim.tables[0].table_id
    ruling_id = rule(ports, table_id, caller=operator(ports), cards="S3 HT", previous_passed=True)
    assert sent(ports, table_id) == [
        RefereeRuling(
            id=ruling_id,
            seat=2,
            offence=Offence.OUT_OF_TURN,
            cards=(Card.parse("S3"), Card.parse("HT")),
            previous_passed=True,
            reason="played before seat 1",
        )
    ]
    (entry,) = audit.journal(ports, subject=table_id)
    assert (entry.actor, entry.action) == ("root", "table.rule")
    assert entry.detail == f"{ruling_id}: seat 2, out_of_turn: played before seat 1"


def test_a_kind_may_be_a_sanction(ports, claim):
    table_id = claim.tables[0].table_id
    rule(ports, table_id, kind="lose_level", amount=2)
    (ruling,) = sent(ports, table_id)
    assert (ruling.offence, ruling.sanction, ruling.amount) == (Offence.OTHER, Sanction.LOSE_LEVEL, 2)


def test_only_operators_rule(ports, claim):
    table_id = claim.tables[0].table_id
    caller = arenas.accounts.register(ports, name="eve").account
    with pytest.raises(PermissionDenied):
        rule(ports, table_id, caller=caller)
    assert sent(ports, table_id) == []
    assert audit.journal(ports, subject=table_id) == ()


def test_a_table_that_is_not_being_played_is_not_ruled_upon(ports, claim):
    table_id = claim.tables[0].table_id
    with pytest.raises(Refused, match="not being played"):
        rule(ports, table_id.replace("-1-", "-2-"))
    matches.finish(ports, claim, played(ports, claim))
    with pytest.raises(Refused, match="not being played"):
        rule(ports, table_id)
    assert audit.journal(ports, subject=table_id) == ()


@pytest.mark.parametrize("table_id", ["", "m", "m1-1", "m1-x-1a", "m1-1-1c", "m1-1-check", "../x-1-1a"])
def test_what_names_no_table_is_not_found(ports, table_id):
    with pytest.raises(NotFound):
        rule(ports, table_id)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"seat": 4}, "unknown_seat"),
        ({"seat": -1}, "unknown_seat"),
        ({"leader": 9}, "unknown_seat"),
        ({"kind": "shout"}, "unknown_kind"),
        ({"amount": 0}, "bad_amount"),
        ({"amount": 13}, "bad_amount"),
        ({"cards": "S3 X9"}, "unknown_card"),
        ({"cards": "S3 " * 28}, "too_many_cards"),
        ({"reason": "two\nlines"}, "bad_text"),
        ({"reason": "x" * 201}, "bad_text"),
    ],
)
def test_what_cannot_be_a_ruling_is_refused_and_not_written_down(ports, claim, fields, code):
    table_id = claim.tables[0].table_id
    with pytest.raises(InvalidArgument) as caught:
        rule(ports, table_id, **fields)
    assert caught.value.code == code
    assert caught.value.hint
    assert audit.journal(ports, subject=table_id) == ()


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"id": 1}', "null", '{"id":"g","seat":7}'])
def test_what_is_no_ruling_cannot_be_read(text):
    with pytest.raises(InvalidArgument):
        rulings.read(text)


def test_the_answer_of_the_table_can_be_asked_for(ports, claim):
    table_id = claim.tables[0].table_id
    ruling_id = rule(ports, table_id)
    assert rulings.answer(ports, table_id=table_id, ruling_id=ruling_id) is None
    ports.rulings.answer(table_id, ruling_id, APPLIED)
    assert rulings.answer(ports, table_id=table_id, ruling_id=ruling_id) == "applied"


def test_the_audit_knows_a_ruling_that_is_in_the_journal_and_finds_one_that_is_not(ports, claim, monkeypatch):
    real = arenas.play_out

    def ruled_upon(table, mind, rng):
        first = table.spec.table_id == claim.tables[0].table_id
        return (_ruled if first else real)(table, mind, rng)

    monkeypatch.setattr(arenas, "play_out", ruled_upon)
    matches.finish(ports, claim, played(ports, claim))
    assert {finding.code for finding in audit.run(ports).findings} == {"ruling_unknown"}


def _ruled(table, _mind, _rng):
    """Instead of being played, the board is lost by a ruling."""
    for seat in range(4):
        table.joined(seat, 0)
    table.ruled(RefereeRuling(id="g1", seat=0, offence=Offence.SIGNAL, sanction=Sanction.LOSE_DEAL, reason=WHY), 0)


def test_a_ruling_in_the_journal_is_no_finding(ports, claim, monkeypatch):
    monkeypatch.setattr(arenas, "play_out", _ruled)
    for task in claim.tables:
        rule(ports, task.table_id)
    matches.finish(ports, claim, played(ports, claim))
    assert audit.run(ports).findings == ()


def test_the_page_of_a_replay_shows_who_was_ruled_upon_and_why(ports, claim, monkeypatch):
    monkeypatch.setattr(arenas, "play_out", _ruled)
    matches.finish(ports, claim, played(ports, claim))
    site = TestClient(create_app(ports))
    path = f"/replays/{claim.tables[0].table_id}"
    english, chinese = (site.get(path, headers={"accept-language": language}).text for language in ("en", "zh"))
    assert "gave signals: its side loses the deal" in english
    assert WHY in english
    assert "传递信号: 本副判负" in chinese


def test_the_command_says_what_can_be_ruled():
    told = CliRunner().invoke(app, ["table", "rule", "--help"], env={"COLUMNS": "200"})
    assert told.exit_code == 0
    for option in ("--seat", "--kind", "--reason", "--cards", "--previous-passed", "--leader"):
        assert option in told.output
    assert CliRunner().invoke(app, ["table", "rule", "t"]).exit_code == 2
