"""An organiser's own rules, from the file to the page: a night by them, its replays, and what visitors see of them."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from guandan_engine.replay import verify
from guandan_engine.rules import parse
from guandan_proto.v1 import nights_pb2
from tests import machine
from tests.house import House, eventually, house, submit_reference_bots

pytestmark = pytest.mark.needs("broker:valkey", "database:sqlite")

OWN = 'name = "our_club"\nbase = "yangzhou"\ngains = [5, 2, 1]\n'
PATIENT = {"GUANDAN_CLOCK_CONNECT_MS": "60000", "GUANDAN_CLOCK_MOVE_MS": "10000"}


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("rules")
    sandbox = "process" if machine.missing("sandbox:bubblewrap") else "bubblewrap"
    with house(folder / "arena", GUANDAN_SANDBOX=sandbox, **PATIENT) as arena:
        submit_reference_bots(arena, folder / "bots", {"pull": "greedy", "coin": "random"})
        yield arena


def page(arena: House, path: str) -> str:
    web = json.loads((arena.data / "run" / "ports.json").read_text())["web"]
    address = web if web.startswith("http") else f"http://{web}"
    with urllib.request.urlopen(f"{address.rstrip('/')}{path}") as answer:
        return answer.read().decode()


@pytest.mark.parametrize("rules", ["yangzhou", "club.toml"])
def test_a_night_by_rules_of_ones_choice(arena: House, rules: str, tmp_path: Path) -> None:
    file = tmp_path / rules
    file.write_text(OWN)
    chosen = str(file) if rules.endswith(".toml") else rules
    event = arena.run("night", "--rules", chosen, "--rounds", "1", "--boards", "1").strip()
    eventually(lambda: arena.event(event).event.state == nights_pb2.EVENT_STATE_OVER, "the end of the night")
    with arena.client() as client:
        match = client.matches(event=event)[0]
        tables = client.match(match.id).tables
        replays = [verify(client.replay(table.table_id)) for table in tables]
    name = "our_club" if rules.endswith(".toml") else rules
    assert {replay.header.rules.name for replay in replays} == {name}
    if name == "our_club":
        assert all(replay.header.rules == parse(OWN) for replay in replays)
    assert f"{name} <span" in page(arena, f"/events/{event}")
    assert "First or last several times running" in page(arena, f"/replays/{tables[0].table_id}")
    assert "clean" in arena.run("audit")


def test_what_is_no_rule_set_opens_no_night(arena: House) -> None:
    arena.run("night", "--rules", "yangzho", code=2)
