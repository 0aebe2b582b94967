"""The bot in JavaScript, built as its README says: it plays at a local table and a rated night in a sandbox."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import conftest

pytestmark = pytest.mark.needs("language:node")

ROOT = Path(__file__).parents[2]
GUANDAN = str(Path(sys.executable).with_name("guandan"))


def npm(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["npm", *words], cwd=folder, capture_output=True, text=True, timeout=240, check=False)


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's folder, as in a fresh checkout and then built."""
    checkout = tmp_path_factory.mktemp("checkout")
    built = shutil.ignore_patterns("node_modules", "bot.js")
    folder = shutil.copytree(ROOT / "examples/javascript", checkout / "examples/javascript", ignore=built)
    shutil.copytree(ROOT / "proto/guandan_proto/v1", checkout / "proto/guandan_proto/v1")
    installed = npm("ci", "--no-audit", "--no-fund", folder=folder)
    if installed.returncode != 0:
        (pytest.fail if conftest.CI else pytest.skip)(f"npm cannot install the bot's packages: {installed.stderr}")
    done = npm("run", "build", folder=folder)
    assert done.returncode == 0, done.stderr
    return folder


def play(bot: Path, *words: str) -> dict[str, object]:
    command = [GUANDAN, "play", str(bot), "greedy", "--seed", "7", "--format", "json", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_it_plays_boards_at_a_local_table_without_a_fault(bot: Path) -> None:
    played = play(bot, "-n", "3", "-j", "2")
    assert (played["a"], played["boards"], played["a_faults"], played["b_faults"]) == ("javascript", 3, 0, 0)
    assert played["points_per_board"] > 0  # type: ignore[operator]  # it is no match for these three boards


def test_it_answers_whatever_a_whole_match_asks(bot: Path) -> None:
    played = play(bot, "-n", "1", "--classic", "--rules", "freecard_531_bo3")
    assert (played["a_faults"], played["b_faults"]) == (0, 0)


def test_its_bundle_needs_nothing_beside_it(bot: Path, tmp_path: Path) -> None:
    for name in ("bot.js", "bot.toml"):
        shutil.copy(bot / name, tmp_path)
    assert play(tmp_path, "-n", "1")["a_faults"] == 0
