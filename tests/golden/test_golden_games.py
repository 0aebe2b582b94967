"""Games kept for ever: each is played again from its own actions, to the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from guandan_engine.actions import Give, Lay, Pass
from guandan_engine.board import Board
from guandan_engine.combos import Reading
from guandan_engine.conduct import Fault, Verdict
from guandan_engine.dealing import Dealt
from guandan_engine.events import (
    AntiTribute,
    CardOffered,
    Chose,
    DealStarted,
    DealVoided,
    LeadPassed,
    Passed,
    Played,
    Resisted,
    Ruling,
    Sanctioned,
    TributePaid,
    TributeReturned,
    TrickWon,
)
from guandan_engine.exchange import Answer, AskSeat, TableSpec
from guandan_engine.replay import read, verify, write
from guandan_engine.replay.chain import canonical
from guandan_engine.table import Table

FOLDER = Path(__file__).parent
GAMES = ["board", "classic", "faults", "conduct", "choices", "resisted", "voided"]


def game(name: str) -> bytes:
    return (FOLDER / f"{name}.gdr.jsonl").read_bytes()


def bare(data: bytes) -> list[bytes]:
    """The lines without their hashes, the header's rules without parameters that are younger than the golden games."""
    lines = [json.loads(line) for line in data.splitlines()]
    known = json.loads(game("board").splitlines()[0])["rules"]
    lines[0]["rules"] = {key: value for key, value in lines[0]["rules"].items() if key in known}
    return [canonical({key: value for key, value in line.items() if key not in ("h", "chain")}) for line in lines]


@pytest.mark.parametrize("name", GAMES)
def test_a_golden_game_verifies(name):
    replay = verify(game(name))
    assert bare(write(replay.header, replay.records, secrets=replay.secrets)) == bare(game(name))


@pytest.mark.parametrize("name", ["board", "classic"])
def test_a_golden_game_played_again_at_a_table_is_the_same_to_the_byte(name):
    replay = read(game(name))
    table = _table(replay)
    _replay_at(table, replay)
    assert bare(write(replay.header, table.log, secrets=replay.secrets)) == bare(game(name))
    assert table.verdicts == (Verdict.OK,) * 4


def test_the_faulty_golden_game_shows_what_the_table_did_for_its_seats():
    replay = read(game("faults"))
    faults = {record.event.fault for record in replay.records if isinstance(record.event, Ruling)}
    assert faults == {Fault.ILLEGAL, Fault.TIMEOUT, Fault.CRASHED}


def test_the_classic_golden_game_has_tribute_and_return_between_its_two_deals():
    events = [record.event for record in read(game("classic")).records]
    assert sum(isinstance(event, DealStarted) for event in events) == 2
    assert any(isinstance(event, TributePaid) for event in events)
    assert any(isinstance(event, TributeReturned) for event in events)
    assert not any(isinstance(event, AntiTribute) for event in events)
    assert any(isinstance(event, TrickWon) and event.jiefeng for event in events)


def test_the_golden_game_of_conduct_shows_what_the_rules_and_a_referee_did():
    events = [record.event for record in read(game("conduct")).records]
    sanctions = [event for event in events if isinstance(event, Sanctioned)]
    assert {"slow", "unannounced"} <= {event.offence for event in sanctions if not event.referee}
    assert any(event.referee and event.reason for event in sanctions)
    assert any(isinstance(event, LeadPassed) for event in events)
    assert any(isinstance(event, Ruling) and event.fault == Fault.SKIPPED for event in events)


def test_golden_games_show_what_rule_sets_leave_to_players_and_to_time():
    def kinds(name):
        return {type(record.event) for record in read(game(name)).records}

    assert {CardOffered, Chose} <= kinds("choices")
    assert {Resisted, AntiTribute} <= kinds("resisted")
    assert DealVoided in kinds("voided")
    assert {read(game(name)).header.rules.name for name in ("choices", "resisted", "voided")} == {
        "freecard_531_bo3",
        "elim40_531",
        "library_shift3",
    }


def _table(replay) -> Table:
    deals = [record.event for record in replay.records if isinstance(record.event, DealStarted)]
    header, first = replay.header, deals[0]
    board = None if header.board is None else Board(first.hands, first.level, first.leader)
    spec = TableSpec(header.table, header.rules, header.clocks, board=board, deal_limit=header.deal_limit)
    return Table(spec, lambda n: Dealt(deals[n - 1].hands, deals[n - 1].leader))


def _replay_at(table, replay):
    """Four seats that answer as they once did, after the same time."""
    given = {seat: [] for seat in range(4)}
    for record in replay.records:
        if isinstance(record.event, Played | Passed | TributePaid | TributeReturned):
            given[record.event.seat].append(record)
    effects = [effect for seat in range(4) for effect in table.joined(seat, 0)]
    now = 0
    while not table.ended:
        asked = [effect for effect in effects if isinstance(effect, AskSeat)]
        effects = []
        for ask in asked:
            table.sent(ask.seat, ask.request.id, now)
        for ask, record in sorted(((ask, given[ask.seat].pop(0)) for ask in asked), key=lambda pair: pair[1].ms):
            effects += table.answered(ask.seat, ask.request.id, Answer(_action(record.event)), now + record.ms)
        now += 100_000


def _action(event):
    if isinstance(event, Passed):
        return Pass()
    if isinstance(event, Played):
        return Lay(event.play.cards, Reading(event.play.combo.kind, event.play.combo.rank))
    return Give(event.card)
