"""A loss is explained on the command line: verdict, facts, log and next step; nothing in them commands it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from guandan_engine import replay
from guandan_engine.replay import Header, SeatName
from guandan_engine.rules import load
from guandan_proto.v1 import bots_pb2, nights_pb2, table_pb2
from guandan_sdk.cli.app import app
from guandan_sdk.loading import find_bot
from guandan_sdk.local import NO_LIMIT, Series, play_pair
from tests.unit.sdk.arena_server import ArenaServer, serving_arena

HOSTILE = "\x1b]0;owned\x07\x1b[2J[red]<b>\u202e" + "x" * 1_000_000
UNSEEN = ("\x1b", "\x07", "\u202e")


def guandan(*args: str) -> Result:
    return CliRunner().invoke(app, list(args))


@pytest.fixture
def service() -> ArenaServer:
    return ArenaServer()


@pytest.fixture
def server(service: ArenaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("GUANDAN_CREDENTIALS", str(tmp_path / "credentials.json"))
    monkeypatch.delenv("GUANDAN_TOKEN", raising=False)
    with serving_arena(service) as address:
        monkeypatch.setenv("GUANDAN_SERVER", address)
        assert guandan("login", "--server", address, "--name", "ada").exit_code == 0
        yield address


@pytest.fixture
def fault(service: ArenaServer) -> nights_pb2.SeatReport:
    facts = nights_pb2.SeatFacts(exit_code=3, peak_memory_bytes=5_000_000, silent_ms=40, given_up=True, move=34)
    service.fault = nights_pb2.SeatReport(
        seat=1,
        verdict=table_pb2.VERDICT_CRASHED,
        sentence="its process or connection ended during play",
        evidence="process ended with exit code 3",
        facts=facts,
        next_step="read what it wrote: guandan logs m1; ask your bot the same again: guandan repro t0#34",
    )
    return service.fault


def test_a_loss_shows_verdict_evidence_facts_and_next_step(server: str, fault: nights_pb2.SeatReport) -> None:
    shown = guandan("match", "show", "m1").stdout
    assert "t0 seat 1, beta: its process or connection ended during play: process ended with exit code 3" in shown
    assert "shown by: exit code 3, used up to 5.0 MB of memory, last heard 40 ms before the end" in shown
    assert "lost the boards that remained" in shown
    assert "next: read what it wrote: guandan logs m1; ask your bot the same again: guandan repro t0#34" in shown


def test_json_tells_a_loss_whole_and_which_table_was_lost_beforehand(server: str, fault: nights_pb2.SeatReport) -> None:
    rows = json.loads(guandan("match", "show", "m1", "--format", "json").stdout)["seats"]
    crashed = rows[1]
    assert (crashed["verdict"], crashed["facts"]["move"]) == ("crashed", 34)
    assert {row["verdict"] for row in rows if row["table"] == "t1"} == {"not played"}
    assert {row["lost_by"] for row in rows} == {None, "beta"}


def test_logs_are_printed_by_table_and_seat_with_the_notes(server: str, service: ArenaServer) -> None:
    notes = [nights_pb2.SeatNote(move=7, text="I fear a bomb")]
    service.logs += [nights_pb2.SeatLog(table_id="t0", seat=1, output="hello\nbye\n", notes=notes)]
    service.logs += [nights_pb2.SeatLog(table_id="t0", seat=3)]
    shown = guandan("logs", "m1").stdout
    first, second = "--- table t0, seat 1\nhello\nbye\n", "--- table t0, seat 3\n(it wrote nothing)\n"
    assert shown == f"{first}note before move 8: I fear a bomb\n{second}"
    (only,) = json.loads(guandan("logs", "m1", "--seat", "1", "--format", "json").stdout)
    assert only == {"table": "t0", "seat": 1, "output": "hello\nbye\n", "notes": [{"move": 7, "text": "I fear a bomb"}]}
    assert guandan("logs", "v1").stdout.endswith("checked v1\n\n")


@pytest.mark.parametrize("style", ["table", "json", "csv"])
def test_what_a_bot_wrote_commands_no_terminal_even_when_the_server_lets_it_through(
    style: str, server: str, service: ArenaServer, fault: nights_pb2.SeatReport
) -> None:
    notes = [nights_pb2.SeatNote(move=7, text=HOSTILE)]
    service.logs += [nights_pb2.SeatLog(table_id="t0", seat=1, output=HOSTILE, notes=notes)]
    fault.evidence = HOSTILE
    for command in (("logs", "m1"), ("match", "show", "m1")):
        result = guandan(*command, "--format", style)
        assert result.exit_code == 0, result.output
        shown = result.stdout + result.stderr
        assert not [char for char in UNSEEN if char in shown]
        assert "[red]<b>" in shown
        assert len(shown) < 40_000


def submitted(tmp_path: Path) -> None:
    """Send a bot named slow."""
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.py").write_text("pass")
    (tmp_path / "bot" / "bot.toml").write_text(
        '[bot]\nname = "slow"\nentry = ["python", "bot.py"]\nruntime = "python-3.11"\n'
    )
    assert guandan("bot", "create", "slow").exit_code == 0
    assert guandan("submit", str(tmp_path / "bot"), "-m", "first").exit_code == 0


def test_a_bots_status_tells_its_decision_times_and_warns(server: str, service: ArenaServer, tmp_path: Path) -> None:
    submitted(tmp_path)
    for version in service.versions:
        version.state = 3
    shown = guandan("bot", "status", "slow")
    assert "following" in shown.stdout
    assert "warning: following: p99 900 ms of 1000 ms" in shown.stderr
    (row,) = json.loads(guandan("bot", "status", "slow", "--format", "json").stdout)
    assert [part["p95_ms"] for part in row["times"]] == [0, 700, 0, 700]


def test_a_replay_file_of_a_stranger_commands_no_terminal(tmp_path: Path) -> None:
    series = Series(a=find_bot("greedy"), b=find_bot("greedy"), rules=load("standard"), seed=1)
    game = play_pair(series, 1).games[0]
    names = tuple(SeatName(f"\x1b[2J\u202e{seat}") for seat in "abcd")
    header = Header(rules=series.rules, table="\x1b]0;owned\x07", seats=names, clocks=NO_LIMIT, board=1)  # type: ignore[arg-type]
    file = tmp_path / "game.gdr.jsonl"
    file.write_bytes(replay.write(header, game.records))
    shown = guandan("replay", "show", str(file)).stdout
    assert "seat 0  \\x1b[2J\\u202ea" in shown
    assert not [char for char in UNSEEN if char in shown]


def test_who_activates_a_suspended_version_is_told_that_it_is_checked_again(
    server: str, service: ArenaServer, tmp_path: Path
) -> None:
    submitted(tmp_path)
    service.versions[0].state = bots_pb2.VERSION_STATE_SUSPENDED
    result = guandan("bot", "activate", "slow")
    assert result.exit_code == 0, result.stderr
    assert "checked again and plays when that goes well: guandan bot status slow" in result.stderr
    service.versions[0].state = bots_pb2.VERSION_STATE_CHECKED
    assert "checked again" not in guandan("bot", "activate", "slow").stderr
