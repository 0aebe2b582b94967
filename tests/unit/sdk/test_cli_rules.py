"""``guandan rules``: what a player reads about rule sets, and what an organiser is told about a wrong file."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from guandan_engine.rules import load, presets
from guandan_sdk.cli.app import app


def guandan(*args: str) -> Result:
    return CliRunner().invoke(app, list(args))


@pytest.fixture
def club(tmp_path: Path) -> Path:
    return tmp_path / "club.toml"


def test_the_list_names_every_rule_set_with_its_title_and_begins_with_the_house_rules() -> None:
    lines = guandan("rules", "list").stdout.splitlines()
    assert lines[1].split()[0] == "standard"
    assert sorted(line.split()[0] for line in lines[1:]) == sorted(presets())
    assert "扬州" in guandan("rules", "list", "--lang", "zh").stdout


def test_show_tells_every_parameter_and_marks_what_is_unlike_the_house_rules() -> None:
    lines = {line.split()[0]: line for line in guandan("rules", "show", "yangzhou").stdout.splitlines()}
    assert "from 3 times a level up or down" in lines["streak"]
    assert lines["streak"].rstrip().endswith("*")
    assert not lines["max_bomb"].rstrip().endswith("*")
    assert json.loads(guandan("rules", "show", "yangzhou", "--format", "json").stdout) == load("yangzhou").as_dict()


def test_diff_tells_a_player_what_is_played_differently() -> None:
    shown = guandan("rules", "diff", "standard", "digest_004").stdout.splitlines()
    assert shown[0].split() == ["parameter", "meaning", "standard", "digest_004"]
    assert len(shown) == 12
    (line,) = [line for line in shown if line.startswith("sf_tie")]
    assert line.split("  ")[0] == "sf_tie"
    assert "Straight flushes of the same ranks" in line
    assert line.index("are equal") < line.index("hearts beat the others")
    assert "红桃最大" in guandan("rules", "diff", "standard", "digest_004", "--lang", "zh").stdout


def test_diff_is_also_for_programs() -> None:
    found = json.loads(guandan("rules", "diff", "standard", "huaian_folk", "--format", "json").stdout)
    assert [(row["parameter"], row["standard"], row["huaian_folk"]) for row in found] == [
        ("tie_lead", "payer_of_first", "next_of_first")
    ]
    rows = list(csv.DictReader(io.StringIO(guandan("rules", "diff", "standard", "maanshan", "--format", "csv").stdout)))
    assert {row["parameter"] for row in rows} == {"tie_lead", "return_to", "return_max_opponent", "return_max_partner"}


def test_a_rule_set_does_not_differ_from_itself() -> None:
    assert guandan("rules", "diff", "yangzhou", "yangzhou").stdout.split() == ["parameter", "meaning", "yangzhou"]


def test_a_file_of_ones_own_is_shown_compared_and_found_sound(club: Path) -> None:
    club.write_text('name = "club"\nbase = "huaian_folk"\nmax_bomb = 8\n')
    sound = guandan("rules", "validate", str(club), "--format", "json")
    assert sound.exit_code == 0
    assert json.loads(sound.stdout) == {"file": str(club), "sound": True, "name": "club", "differences": 2}
    assert len(guandan("rules", "diff", "huaian_folk", str(club)).stdout.splitlines()) == 2
    assert guandan("play", "random", "random", "-n", "1", "--seed", "1", "--rules", str(club)).exit_code == 0


def test_a_wrong_file_is_refused_with_the_line_and_what_is_allowed(club: Path) -> None:
    club.write_text('name = "club"\n\nmax_bomb = 11  # more than there are\n')
    refused = guandan("rules", "validate", str(club))
    assert refused.exit_code == 1
    assert refused.stdout == ""
    assert "line 3: max_bomb = 11 is not allowed; allowed: a whole number from 8 to 10" in refused.stderr
    assert guandan("rules", "show", str(club)).exit_code == 2


def test_contradicting_lines_are_refused_with_both(club: Path) -> None:
    club.write_text('name = "club"\nfixed_level = "2"\n')
    refused = guandan("rules", "validate", str(club))
    assert refused.exit_code == 1
    assert 'line 2: fixed_level = "2" and unit = "levels" contradict each other' in refused.stderr


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a" * 70_000], ids=["not text", "too long"])
def test_what_is_no_rule_file_is_refused(club: Path, data: bytes) -> None:
    club.write_bytes(data)
    assert guandan("rules", "validate", str(club)).exit_code == 2


@pytest.mark.parametrize("name", ["nonsense", "../standard", "nothing.toml"])
def test_an_unknown_rule_set_is_refused_with_what_there_is(name: str) -> None:
    refused = guandan("rules", "show", name)
    assert refused.exit_code == 2
    assert "error: " in refused.stderr


def test_a_replay_tells_in_what_its_rules_differ(tmp_path: Path) -> None:
    game = tmp_path / "game.gdr.jsonl"
    played = guandan("play", "random", "random", "-n", "1", "--seed", "1", "--rules", "huaian_folk", "-o", str(game))
    assert played.exit_code == 0
    (replay, _) = sorted(tmp_path.glob("game-*.gdr.jsonl"))
    shown = guandan("rules", "diff", "standard", str(replay)).stdout.splitlines()
    assert [line.split()[0] for line in shown[1:]] == ["tie_lead"]
    assert guandan("rules", "diff", "huaian_folk", str(replay)).stdout.count("\n") == 1
