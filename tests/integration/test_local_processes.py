"""`guandan play` with bots that are commands: real processes at real sockets, and none of them left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from guandan_engine.rules import load
from guandan_sdk.errors import BotBroken
from guandan_sdk.loading import find_bot
from guandan_sdk.local import Game, Pair, Series, play_pairs
from tests.house import eventually, processes_of

GUANDAN = str(Path(sys.executable).with_name("guandan"))
STANDARD = load("standard")
# Closes nothing, answers nothing, and does not end when it is asked to.
STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open("sits", "w").close()
time.sleep(600)
"""


def command(folder: Path, program: str) -> str:
    """The folder of a bot that is a program of its own, of which the SDK knows only that it can be started."""
    folder.mkdir()
    (folder / "bot.toml").write_text(f'[bot]\nname = "{folder.name}"\nentry = ["./bot"]\nruntime = "any"\n')
    (folder / "bot").write_text(program)
    (folder / "bot").chmod(0o755)
    return str(folder)


def python(code: str) -> str:
    return f"#!{sys.executable}\n{code}\n"


def reference(name: str) -> str:
    return f"#!/bin/sh\nexec {sys.executable} -m guandan_sdk.bots.{name}\n"


def series(a: str, b: str, *, classic: bool = False) -> Series:
    return Series(a=find_bot(a), b=find_bot(b), rules=STANDARD, seed=7, classic=classic)


def what_happened(game: Game) -> list[object]:
    return [record.event for record in game.records]


def same(one: Pair, other: Pair) -> bool:
    told = [[what_happened(game) for game in pair.games] for pair in (one, other)]
    return told[0] == told[1] and one.points == other.points and one.number == other.number


def test_a_bot_plays_the_same_as_a_process_and_in_this_one(tmp_path: Path) -> None:
    outside = command(tmp_path / "outside", reference("random"))
    as_processes = list(play_pairs(series(outside, "greedy"), 2, jobs=2))
    in_this_one = list(play_pairs(series("random", "greedy"), 2))
    assert all(map(same, as_processes, in_this_one))
    assert {str(verdict) for pair in as_processes for game in pair.games for verdict in game.verdicts} == {"ok"}
    assert all(spent for pair in as_processes for game in pair.games for spent in game.times)


def test_a_bot_that_crashes_is_named_with_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = command(tmp_path / "broken", python("import sys\nsys.exit('no weights here')"))
    with pytest.raises(BotBroken) as told:
        list(play_pairs(series("greedy", broken), 1))
    assert "broken in seat 1 of table local/7/board/1/0" in told.value.reason
    assert "exit code 1" in told.value.reason
    assert "no weights here" in capsys.readouterr().err


def test_ctrl_c_leaves_no_process_behind(tmp_path: Path) -> None:
    folder = Path(command(tmp_path / "stubborn", python(STUBBORN)))
    words = [GUANDAN, "play", str(folder), "random", "--seed", "7", "-n", "5", "-j", "2"]
    playing = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    eventually((folder / "sits").exists, "a bot that sits at its table")
    assert processes_of(str(playing.pid))
    playing.send_signal(signal.SIGINT)
    output, _ = playing.communicate(timeout=60)
    assert playing.returncode == 130, output
    assert processes_of(f"ga-{playing.pid}-") == []
