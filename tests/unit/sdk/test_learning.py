"""The learning template: it trains, its bot plays what was learned, and it can be sent to the arena."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from guandan_sdk.archive import manifest_name, pack
from guandan_sdk.cli.app import app

LIMIT_BYTES = 10 * 1024 * 1024


def guandan(*args: str) -> Result:
    return CliRunner().invoke(app, list(args))


def python(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the bot's folder, on one core."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *args], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture(scope="module")
def learner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bot that has learned for three rounds of few games."""
    folder = tmp_path_factory.mktemp("bots")
    made = guandan("init", "learner", "--in", str(folder), "--template", "learning")
    assert made.exit_code == 0
    assert "train.py" in made.stderr
    train(folder / "learner", rounds=3, games=64)
    return folder / "learner"


def train(folder: Path, *, rounds: int, games: int) -> bytes:
    """Run the template's training and return the weights it writes."""
    done = python(folder, "train.py", "--rounds", str(rounds), "--games", str(games), "--seed", "1")
    assert done.returncode == 0, done.stderr
    return (folder / "weights.json").read_bytes()


def test_a_few_rounds_of_training_are_enough_to_beat_random_play(learner: Path) -> None:
    played = guandan("play", str(learner), "random", "-n", "10", "--seed", "7", "--format", "json")
    assert played.exit_code == 0, played.stderr
    result = json.loads(played.stdout)
    assert result["low"] > 0
    assert result["a_faults"] == 0


def test_the_tests_that_come_with_the_template_pass(learner: Path) -> None:
    done = python(learner, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", ".")
    assert done.returncode == 0, done.stdout


def test_the_trained_bot_needs_no_numpy_to_play(learner: Path) -> None:
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "from guandan_sdk.local import play_boards\n"
        "print(len(play_boards('.', 'greedy', boards=1, seed=1)))"
    )
    done = python(learner, "-c", code)
    assert done.stdout == "1\n", done.stderr


def test_the_trained_bot_is_packed_with_its_weights_for_upload(learner: Path) -> None:
    name, data = pack(learner)
    assert manifest_name(name, data) == "learner"
    assert b"weights.json" in data
    assert len(data) < LIMIT_BYTES


def test_the_same_seed_learns_the_same_weights(tmp_path: Path) -> None:
    guandan("init", "fresh", "--in", str(tmp_path), "--template", "learning")
    first, second = (train(tmp_path / "fresh", rounds=1, games=8) for _ in range(2))
    assert first == second


def test_a_bot_without_weights_says_how_to_make_them(learner: Path, tmp_path: Path) -> None:
    guandan("init", "fresh", "--in", str(tmp_path), "--template", "learning")
    played = guandan("play", str(tmp_path / "fresh"), "random", "-n", "1")
    assert played.exit_code == 1
    assert "python train.py" in played.stderr
