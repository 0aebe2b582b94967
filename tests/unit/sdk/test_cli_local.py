"""The command line without a server: init, play, replay, version."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from guandan_sdk.cli.app import app
from guandan_sdk.loading import find_bot


def guandan(*args: str) -> Result:
    return CliRunner().invoke(app, list(args))


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_init_makes_a_bot_that_plays() -> None:
    made = guandan("init", "mybot")
    assert made.exit_code == 0
    assert made.stdout == ""
    assert sorted(path.name for path in Path("mybot").iterdir()) == ["README.md", "bot.py", "bot.toml", "test_bot.py"]
    assert find_bot("mybot").name == "mybot"
    played = guandan("play", "mybot", "greedy", "-n", "2", "--seed", "7")
    assert played.exit_code == 0
    assert "mybot minus greedy: " in played.stdout
    assert "seed 7" in played.stdout
    assert "0 faults" in played.stdout


def test_the_test_that_init_writes_passes() -> None:
    guandan("init", "mybot")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=mybot", "mybot"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["My Bot", "x", "../evil", "a" * 40])
def test_init_refuses_a_name_the_arena_would_refuse(name: str) -> None:
    refused = guandan("init", name)
    assert refused.exit_code == 2
    assert "hint: " in refused.stderr


def test_init_never_overwrites() -> None:
    guandan("init", "mybot")
    refused = guandan("init", "mybot")
    assert refused.exit_code == 2
    assert "already there" in refused.stderr


def test_results_are_data_on_stdout_and_progress_on_stderr() -> None:
    played = guandan("play", "greedy", "random", "-n", "2", "--seed", "5", "--format", "json")
    result = json.loads(played.stdout)
    assert (result["a"], result["b"], result["boards"], result["seed"]) == ("greedy", "random", 2, 5)
    assert result["low"] <= result["points_per_board"] <= result["high"]
    assert "2/2" in played.stderr


def test_csv_has_a_head_and_a_line() -> None:
    played = guandan("play", "greedy", "random", "-n", "1", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(played.stdout)))
    assert len(rows) == 1
    assert rows[0]["a_faults"] == "0"


def test_a_seed_that_was_made_up_can_be_used_again() -> None:
    first = json.loads(guandan("play", "random", "random", "-n", "2", "--format", "json").stdout)
    again = guandan("play", "random", "random", "-n", "2", "--seed", str(first["seed"]), "--format", "json")
    assert json.loads(again.stdout)["points_per_board"] == first["points_per_board"]


def test_what_a_bot_prints_stays_out_of_the_data() -> None:
    Path("loud.py").write_text(
        "from guandan_sdk import Bot\nclass Loud(Bot):\n    def play(self, view, options):\n"
        "        print('thinking')\n        return options[0]\n"
    )
    played = guandan("play", "loud.py", "random", "-n", "1", "--format", "json")
    assert json.loads(played.stdout)["a"] == "loud"
    assert "thinking" in played.stderr


def test_a_bot_that_breaks_shows_its_traceback_and_exits_1() -> None:
    Path("bad.py").write_text(
        "from guandan_sdk import Bot\nclass Bad(Bot):\n    def play(self, view, options):\n        return {}['gone']\n"
    )
    played = guandan("play", "bad.py", "random", "-n", "1")
    assert played.exit_code == 1
    assert "bad.py" in played.stderr
    assert "error: Bad in seat" in played.stderr


def test_illegal_answers_are_counted_as_faults_and_told() -> None:
    Path("cheat.py").write_text(
        "from guandan_sdk import Bot, Lay\nclass Cheat(Bot):\n    def play(self, view, options):\n"
        "        return Lay(tuple(view.hand))\n"
    )
    played = guandan("play", "cheat.py", "random", "-n", "1")
    assert played.exit_code == 0
    assert "refused: " in played.stderr


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("gredy", "greedy"), "there is no bot 'gredy'"),
        (("greedy", "greedy", "--rules", "nowhere"), "nowhere"),
        (("greedy", "greedy", "-o", "game.txt"), "does not end in .gdr.jsonl"),
        (("greedy", "greedy", "-o", "no/x.gdr.jsonl"), "there is no folder no"),
        (("greedy", "greedy", "-n", "0"), "--boards"),
    ],
)
def test_wrong_usage_exits_2_with_a_reason(args: tuple[str, ...], reason: str) -> None:
    refused = guandan("play", *args)
    assert refused.exit_code == 2
    assert reason in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize("ending", ["gdr.jsonl", "gdr.jsonl.zst"])
def test_replays_are_written_verified_and_shown(ending: str) -> None:
    assert guandan("play", "planner", "greedy", "-n", "1", "--seed", "7", "-o", f"g.{ending}").exit_code == 0
    file = f"g-b1w1.{ending}"
    verified = guandan("replay", "verify", file, "--format", "json")
    assert verified.exit_code == 0
    assert [row["verified"] for row in json.loads(verified.stdout)] == [True]
    shown = guandan("replay", "show", file)
    assert "seat 0  greedy" in shown.stdout
    assert "seat 3 holds" in shown.stdout
    assert "wins, points" in shown.stdout


def test_a_replay_shown_for_a_seat_hides_the_other_hands() -> None:
    guandan("play", "greedy", "greedy", "-n", "1", "--seed", "7", "-o", "g.gdr.jsonl")
    shown = guandan("replay", "show", "g-b1w0.gdr.jsonl", "--seat", "1", "--move", "12").stdout
    assert "seat 1 holds" in shown
    assert "seat 0 holds" not in shown
    assert "  12  " in shown
    assert "  13  " not in shown


def test_whole_matches_are_played_and_shown_with_their_tributes() -> None:
    played = guandan("play", "greedy", "random", "-n", "1", "--seed", "7", "--classic", "-o", "m.gdr.jsonl")
    assert "points per match" in played.stdout
    assert "matches won" in played.stdout
    assert "(2_1_0)" in played.stdout
    shown = guandan("replay", "show", "m-m1w0.gdr.jsonl").stdout
    assert " pays " in shown
    assert " returns " in shown
    assert "passed_final" in shown


def test_a_changed_replay_fails_to_verify_with_exit_code_1() -> None:
    guandan("play", "greedy", "greedy", "-n", "1", "--seed", "7", "-o", "g.gdr.jsonl")
    file = Path("g-b1w0.gdr.jsonl")
    lines = file.read_text().splitlines(keepends=True)
    lines[5], lines[6] = lines[6], lines[5]
    file.write_text("".join(lines))
    refused = guandan("replay", "verify", str(file), "g-b1w1.gdr.jsonl", "--format", "json")
    assert refused.exit_code == 1
    changed, whole = json.loads(refused.stdout)
    assert changed["reason"].startswith("line ")
    assert (changed["verified"], whole["verified"]) == (False, True)


@pytest.mark.parametrize("content", [b"", b"not a replay\n", b"\x28\xb5\x2f\xfdbroken", b"{}\n"])
def test_a_file_that_is_no_replay_is_refused(content: bytes) -> None:
    Path("x.gdr.jsonl").write_bytes(content)
    refused = guandan("replay", "show", "x.gdr.jsonl")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("error: x.gdr.jsonl is not a whole")


def test_version_names_all_three_packages_and_the_kernel_that_runs() -> None:
    assert set(json.loads(guandan("version", "--format", "json").stdout)) == {
        "guandan-sdk",
        "guandan-engine",
        "guandan-proto",
        "kernel",
    }


@pytest.mark.parametrize(
    "command",
    [("play",), ("init",), ("replay", "show"), ("replay", "verify"), ("replay", "get"), ("login",), ("submit",),
     ("bot", "create"), ("bot", "list"), ("bot", "status"), ("ladder",), ("match", "list"), ("match", "show")],
)  # fmt: skip
def test_every_command_helps_with_an_example(command: tuple[str, ...]) -> None:
    assert f"Example: guandan {command[0]}" in " ".join(guandan(*command, "--help").stdout.split())


def test_the_installed_command_runs_and_a_bot_need_not_import_grpc_or_rich() -> None:
    command = Path(sys.executable).with_name("guandan")
    plain = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(
        [command, "play", "greedy", "random", "-n", "2", "--seed", "7"],
        capture_output=True, text=True, timeout=60, check=True, env=plain,
    )  # fmt: skip
    assert "greedy minus random: " in done.stdout
    assert "\x1b" not in done.stdout
    light = (
        "import sys, guandan_sdk.bots.greedy as g; print([m for m in ('grpc', 'rich', 'typer') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", light], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"
