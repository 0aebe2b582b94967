from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from guandan_arena.cli import screen, status
from guandan_arena.cli.child import Child, Part, State
from guandan_arena.cli.commands import app
from guandan_arena.cli.display import Display
from guandan_arena.cli.nights import STANDING_COLUMNS, standing_rows
from guandan_arena.cli.parts import choose_addresses
from guandan_arena.cli.screen import Format
from guandan_arena.errors import InvalidArgument
from guandan_arena.services.records import Entrant, Faults, RatingFit, Standing
from guandan_arena.settings import Settings
from guandan_engine.conduct import Verdict
from guandan_engine.decisions import Decisions, DecisionTimes

ROWS = [{"bot": "ada/逢人配/1", "elo": 1512.8}, {"bot": "bob/x/2", "elo": 1487.2}]


def written(capsys: pytest.CaptureFixture[str], form: Format) -> str:
    screen.write(ROWS, columns=("bot", "elo"), title="Ladder", form=form)
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def commands(group: typer.Typer, *before: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of every command."""
    for found in group.registered_commands:
        assert found.callback is not None
        yield (*before, found.name or found.callback.__name__)
    for inner in group.registered_groups:
        assert inner.typer_instance is not None
        yield from commands(inner.typer_instance, *before, str(inner.name))


@pytest.mark.parametrize("command", tuple(commands(app)), ids=" ".join)
def test_the_help_of_every_command_shows_an_example(command: tuple[str, ...]) -> None:
    shown = " ".join(CliRunner().invoke(app, [*command, "--help"]).stdout.split())
    assert " ".join(("guandan-arena", *command)) in shown.partition("Example:")[2]


def test_an_answer_is_a_table_json_or_csv(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(written(capsys, Format.JSON)) == ROWS
    assert list(csv.DictReader(io.StringIO(written(capsys, Format.CSV)))) == [
        {"bot": "ada/逢人配/1", "elo": "1512.8"},
        {"bot": "bob/x/2", "elo": "1487.2"},
    ]
    assert "ada/逢人配/1" in written(capsys, Format.TABLE)


def test_a_name_that_looks_like_markup_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    screen.write([{"bot": "[red]x[/red]"}], columns=("bot",), title="Ladder", form=Format.TABLE)
    assert "[red]x[/red]" in capsys.readouterr().out


def test_the_standings_tell_elo_before_and_after_points_per_board_faults_and_times() -> None:
    entrant = Entrant("e", "v1", "ada", "planner", 2, 1, 1_500_000, 0)
    line = Standing(
        place=1,
        entrant=entrant,
        match_points=5,
        points=9,
        boards=6,
        wins=2,
        draws=1,
        losses=0,
        elo_before_milli=1_500_000,
        elo_after_milli=1_538_250,
        faults=Faults({Verdict.TIMED_OUT: 2, Verdict.CRASHED: 0}),
        decisions=DecisionTimes(following=Decisions.of([3] * 60 + [15] * 40)),
        fit=RatingFit("v1", 1_540_500, 1_490_000, 1_591_000, 1, 2, 6),
    )
    (row,) = standing_rows((line,))
    assert tuple(row) == STANDING_COLUMNS
    assert row == {
        "place": 1,
        "bot": entrant.title,
        "match_points": 5,
        "won_drawn_lost": "2-1-0",
        "points_per_board": 0.75,
        "elo_before": 1500.0,
        "elo_after": 1538.25,
        "fit": 1540.5,
        "fit_low": 1490.0,
        "fit_high": 1591.0,
        "faults": "2x timed_out",
        "p50_ms": 3,
        "p99_ms": 15,
    }


def test_every_command_explains_itself() -> None:
    run = ["up", "serve", "worker", "beat", "migrate", "status"]
    names = [*run, "night", "stop", "pause", "resume", "operator", "audit", "ratings", "table"]
    listed = CliRunner().invoke(app, ["--help"])
    assert listed.exit_code == 0
    for name in names:
        assert name in listed.output
        assert CliRunner().invoke(app, [name, "--help"]).exit_code == 0


def test_an_unknown_option_is_wrong_usage() -> None:
    assert CliRunner().invoke(app, ["night", "--colour"]).exit_code == 2


def test_the_supervisor_comes_without_grpc() -> None:
    """Forking beside gRPC is not safe, and `up` starts processes."""
    code = "import guandan_arena.cli.up, sys; sys.exit('grpc' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_status_of_a_folder_without_an_arena_is_not_well(tmp_path: Path) -> None:
    found = status.read(tmp_path)
    assert not found.well
    assert "no arena is up" in found.title


def test_what_a_killed_supervisor_left_is_not_taken_for_an_arena(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "lock").touch()
    (run / "state.json").write_text(json.dumps({"pid": 1, "parts": [{"name": "server", "state": "ready"}]}))
    assert not status.read(tmp_path).well


def test_ports_are_those_set_or_those_of_the_last_time(tmp_path: Path) -> None:
    assert choose_addresses(Settings(data_dir=tmp_path, grpc_port=5001, web_port=5002)).grpc == "127.0.0.1:5001"
    first = choose_addresses(Settings(data_dir=tmp_path))
    assert first.grpc_port != first.web_port
    (tmp_path / "run").mkdir()
    ports = {"grpc_port": first.grpc_port, "web_port": first.web_port}
    (tmp_path / "run" / "ports.json").write_text(json.dumps(ports))
    assert choose_addresses(Settings(data_dir=tmp_path)) == first


def display_of(child: Child, *, terminal: bool) -> str:
    said = io.StringIO()
    display = Display(out=Console(file=io.StringIO()), err=Console(file=said, force_terminal=terminal, width=100))
    with display:
        display.show([child])
        display.show([child])
    return said.getvalue()


def test_parts_are_lines_when_nobody_watches_and_a_table_on_a_terminal() -> None:
    part = Part("valkey", lambda: None, lambda: True, lambda: True)  # type: ignore[arg-type,return-value]
    child = Child(part, state=State.WAITING, restarts=2, note="killed by SIGKILL")
    assert display_of(child, terminal=False) == "valkey: waiting (last: killed by SIGKILL)\n"
    assert "restarts" in display_of(child, terminal=True)


def test_a_terminal_keeps_addresses_and_sandbox_in_sight_and_lines_leave_the_table_whole() -> None:
    said = io.StringIO()
    terminal = Console(file=said, force_terminal=True, width=100, color_system=None)
    part = Part("valkey", lambda: None, lambda: True, lambda: True)  # type: ignore[arg-type,return-value]
    with Display(out=terminal, err=terminal) as display:
        display.show([Child(part, state=State.READY)])
        display.ready(grpc="host:1", web="http://host:2", sandboxes=["Sandbox process: DEVELOPMENT ONLY"])
        display.say("interrupted")
    last = said.getvalue().rpartition("interrupted")[2]
    for words in ("│ valkey │ ready", "gRPC host:1", "site http://host:2", "Sandbox process: DEVELOPMENT ONLY"):
        assert words in last
    assert "[" not in last.replace("\x1b[", "")


def test_numbers_of_a_column_have_the_same_places_and_no_rows_are_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    screen.write([{"elo_after": 1500.0}, {"elo_after": 1498.25}], columns=["elo_after"], title="t", form=Format.TABLE)
    written = capsys.readouterr().out
    assert "elo after" in written
    assert "1500.0 " in written
    assert "1498.2 " in written
    screen.write([], columns=["elo_after"], title="nothing", form=Format.TABLE)
    assert capsys.readouterr().out == "nothing\n"


def test_a_worker_for_remote_bots_that_has_no_door_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GUANDAN_REMOTE_PORTS", raising=False)
    refused = CliRunner().invoke(app, ["worker", "--remote"]).exception
    assert isinstance(refused, InvalidArgument)
    assert (refused.code, "remote_ports" in refused.hint) == ("no_remote_ports", True)
