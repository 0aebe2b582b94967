"""The rules of a night: a preset by name, or an organiser's own from a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from guandan_arena.cli.commands import app
from guandan_arena.cli.rulefile import rules_named
from guandan_arena.errors import InvalidArgument
from guandan_arena.ports import Ports
from guandan_arena.services import audit, events, matches, replays
from guandan_engine.replay import read
from guandan_engine.rules import RuleSet, load, presets
from tests.arena import author, ports_on, work
from tests.databases import fresh_store

OWN = 'name = "our_club"\nbase = "yangzhou"\ngains = [4, 2, 1]\n'


@pytest.fixture
def ports(sqlite_template: str, tmp_path: Path):
    with fresh_store(sqlite_template) as store:
        made = ports_on(store, tmp_path)
        for name in ("ada", "bob"):
            author(made, name)
        made.queue.waiting.clear()
        yield made


def test_a_preset_is_known_by_its_name_and_a_file_by_its_ending(tmp_path: Path) -> None:
    file = tmp_path / "club.toml"
    file.write_text(OWN)
    assert rules_named(None) is None
    assert rules_named("yangzhou") == "yangzhou"
    assert rules_named(str(file)) == replace(load("yangzhou"), name="our_club", gains=(4, 2, 1))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("yangzho", "no rule set 'yangzho'"),
        ("missing.toml", "No such file"),
        ("wrong.toml", "gains"),
        ("binary.toml", "not UTF-8"),
        ("long.toml", "more than 64000 bytes"),
    ],
)
def test_what_is_no_rule_set_is_refused_with_the_reason(text, reason, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wrong.toml").write_text("gains = 3\n")
    Path("binary.toml").write_bytes(b"\xff\xfe")
    Path("long.toml").write_text("#" * 64_001)
    with pytest.raises(InvalidArgument, match=reason):
        rules_named(text)
    assert CliRunner().invoke(app, ["night", "--rules", text]).exit_code != 0


@pytest.mark.parametrize("name", presets())
def test_a_night_of_every_preset_is_played_and_audited(ports: Ports, name: str) -> None:
    event = events.open_night(ports, rules=name, rounds=1)
    assert event.rules == load(name).as_dict()
    work(ports)
    match = matches.browse(ports, event_id=event.id)[0]
    for table in matches.get(ports, match_id=match.id).tables:
        assert read(replays.get(ports, table_id=table.id).lines).header.rules == load(name)
    assert audit.run(ports).findings == ()


def test_a_night_of_an_organisers_own_rules(ports: Ports) -> None:
    own = replace(RuleSet(), name="our_club", gains=(4, 2, 1))
    event = events.open_night(ports, rules=own, rounds=1)
    work(ports)
    assert events.get(ports, event_id=event.id).rules == own.as_dict()
    assert audit.run(ports).findings == ()


def test_rules_of_ones_own_do_not_bear_the_name_of_others(ports: Ports) -> None:
    with pytest.raises(InvalidArgument, match="names a rule set of the arena"):
        events.open_night(ports, rules=replace(RuleSet(), gains=(4, 2, 1)))
    assert events.open_night(ports, rules=RuleSet(), rounds=1).rules["name"] == "standard"
