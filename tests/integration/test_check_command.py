"""``guandan check`` as an author runs it: the same moves everywhere, what was not the same, and nothing left behind."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from guandan_engine.rules import load
from guandan_runner.checking import Row, Stage
from guandan_runner.checking.boards import moves_of
from guandan_sdk.loading import find_bot
from guandan_sdk.local import Series, play_pair, replay_of

GUANDAN = Path(sys.executable).with_name("guandan")
CHANCE = """from guandan_sdk import Bot, run

class Chance(Bot):
    def play(self, view, options):
        return self.random.choice(options)

if __name__ == "__main__":
    run(Chance)
"""
MANIFEST = '[bot]\nname = "chance"\nentry = ["python", "bot.py"]\nruntime = "python-{}.{}"\n'


@pytest.fixture
def chance(tmp_path: Path) -> Path:
    """A folder with a bot that plays by the seed it is given."""
    folder = tmp_path / "chance"
    folder.mkdir()
    (folder / "bot.py").write_text(CHANCE)
    (folder / "bot.toml").write_text(MANIFEST.format(*sys.version_info))
    return folder


def check(folder: Path, cache: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [GUANDAN, "check", folder, "-n", "1", *words]
    environment = os.environ | {"XDG_CACHE_HOME": str(cache)} | variables
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, env=environment)


def local_moves(folder: Path, seed: int) -> str:
    """The moves of the board that ``guandan play`` deals from this seed, in this process."""
    series = Series(a=find_bot(str(folder)), b=find_bot("greedy"), rules=load("standard"), seed=seed)
    pair = play_pair(series, 1)
    return moves_of(replay_of(series, 1, way, game) for way, game in enumerate(pair.games))


SANDBOXES = [
    pytest.param(name, marks=pytest.mark.needs(f"sandbox:{name}")) for name in ("docker", "bubblewrap", "process")
]


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_the_same_version_and_seed_make_the_same_moves_in_every_sandbox_as_locally(
    sandbox: str, chance: Path, runtime_cache: Path
) -> None:
    done = check(chance, runtime_cache, "--seed", "7", "--sandbox", sandbox, "--format", "json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["sandbox"] == sandbox
    assert report["boards"]["moves"] == local_moves(chance, 7)
    assert report["boards"]["moves"] != local_moves(chance, 8)
    assert report["rows_met"] == [str(row) for row in Row if row is not Row.BATCH]
    assert [stage["stage"] for stage in report["stages"]] == [str(stage) for stage in Stage]
    assert report["times_ms"]["count"] > 0
    peak, limit = report["memory"]["peak_bytes"], report["memory"]["limit_bytes"]
    assert sandbox != "docker" or 0 < peak < limit
    assert f"Sandbox {sandbox}: " in done.stderr
    assert ("NO SANDBOX" in done.stderr) == (sandbox == "process")
    assert "not the same as on a server: " in done.stderr
    assert f"next: guandan submit {chance} -m" in done.stderr


def test_a_bot_that_fails_ends_with_1_the_stage_and_the_end_of_its_output(chance: Path, tmp_path: Path) -> None:
    (chance / "bot.py").write_text("raise SystemExit('where are my \\x1b[31mweights')\n")
    done = check(chance, tmp_path, "--sandbox", "process")
    assert done.returncode == 1
    assert re.search(r"started +failed", done.stdout)
    assert "exit code 1" in done.stdout
    assert "where are my \\x1b[31mweights" in done.stderr
    assert f"next: correct it, then: guandan check {chance} -n 1" in done.stderr


def test_an_archive_without_manifest_is_refused_before_anything_is_started(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = check(tmp_path / "empty", tmp_path, "--sandbox", "process")
    assert done.returncode == 2
    assert "has no bot.toml" in done.stderr


def test_a_runtime_that_no_arena_offers_fails_the_first_stage(chance: Path, tmp_path: Path) -> None:
    (chance / "bot.toml").write_text(MANIFEST.format(2, 7))
    done = check(chance, tmp_path, "--sandbox", "process")
    assert done.returncode == 1
    assert "'python-2.7' is not a runtime of this arena" in done.stdout


@pytest.mark.needs("sandbox:bubblewrap")
def test_a_runtime_that_only_this_machine_lacks_is_no_fault_of_the_bot(chance: Path, runtime_cache: Path) -> None:
    other = next(minor for minor in (11, 12, 13, 14) if minor != sys.version_info.minor)
    (chance / "bot.toml").write_text(MANIFEST.format(3, other))
    done = check(chance, runtime_cache, "--sandbox", "bubblewrap")
    assert done.returncode == 2
    assert f"error: the runtime python-3.{other} is not built" in done.stderr
    assert "hint: check it on a machine that has this runtime" in done.stderr
    assert done.stdout == ""


@pytest.mark.needs("sandbox:bubblewrap")
def test_without_a_daemon_bubblewrap_is_taken_and_both_are_said(
    chance: Path, tmp_path: Path, runtime_cache: Path
) -> None:
    (chance / "bot.py").write_text("def play(:\n")  # fails before anything is started
    done = check(chance, runtime_cache, "--format", "json", DOCKER_HOST=f"unix://{tmp_path}/nobody.sock")
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    assert (report["sandbox"], report["stages"][-1]["stage"]) == ("bubblewrap", "static")
    assert f"Not docker: no Docker daemon answers at unix://{tmp_path}/nobody.sock" in report["sandbox_why"]
    assert any("no container" in line for line in report["not_the_same"])


def test_ctrl_c_leaves_nothing_behind(chance: Path, tmp_path: Path) -> None:
    """Neither processes nor folders, whichever stage is under way."""
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "TMPDIR": tempfile.mkdtemp(prefix="gat-", dir="/tmp")}
    checking = subprocess.Popen(
        [GUANDAN, "check", chance, "-n", "20", "--sandbox", "process"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    assert checking.stderr is not None
    for line in checking.stderr:
        if line.startswith("boards 4/40"):
            break
    checking.send_signal(signal.SIGINT)
    checking.communicate(timeout=60)
    assert checking.returncode == 130
    assert processes_of(chance) == []
    assert os.listdir(environment["TMPDIR"]) == []
    os.rmdir(environment["TMPDIR"])


def processes_of(folder: Path) -> list[str]:
    """The command lines of processes that run in a bot's folder."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        found = [
            str(process) for process in Path("/proc").glob("[0-9]*/cwd") if _target(process).startswith(str(folder))
        ]
        if not found:
            return []
    return found


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""
