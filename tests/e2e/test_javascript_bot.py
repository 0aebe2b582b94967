"""The bot in JavaScript, built as its README says: it plays at a local table and a rated night in a sandbox."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from guandan_engine import replay
from guandan_engine.board import TableTask
from guandan_engine.rules import load
from guandan_proto.v1 import nights_pb2, table_pb2
from guandan_runner.match import run_match
from guandan_runner.results import BotFiles, MatchSpec
from guandan_runner.sandbox import choose, load_policy
from guandan_runner.sandbox.roots import Roots
from guandan_sdk.archive import packed_files
from guandan_sdk.loading import find_bot
from guandan_sdk.local import NO_LIMIT, Series, deal_secret, play_pairs, table_name
from tests import conftest
from tests.house import eventually, house, submit_reference_bots

pytestmark = pytest.mark.needs("language:node")

ROOT = Path(__file__).parents[2]
PATIENT = {"GUANDAN_CLOCK_CONNECT_MS": "60000", "GUANDAN_CLOCK_MOVE_MS": "10000"}
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


@pytest.fixture(scope="module")
def bundle(bot: Path) -> Iterator[Path]:
    """What is sent to the arena, and nothing beside it: readable by the users that sandboxes run bots as."""
    folder = Path(tempfile.mkdtemp(prefix="gajs-"))
    folder.chmod(0o755)
    for name in ("bot.js", "bot.toml"):
        shutil.copy(bot / name, folder)
    yield folder
    shutil.rmtree(folder)


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


@pytest.mark.parametrize(
    "kind", [pytest.param(name, marks=pytest.mark.needs(f"sandbox:{name}")) for name in ("docker", "bubblewrap")]
)
def test_it_plays_the_same_in_a_sandbox_as_at_a_local_table(bundle: Path, kind: str, runtime_cache: Path) -> None:
    policy = load_policy()
    choice = choose(wanted=kind, production=False, cache=runtime_cache, policy=policy)
    series = Series(a=find_bot(str(bundle)), b=find_bot(str(bundle)), rules=load("standard"), seed=7)
    walled = BotFiles("javascript", "", bundle, ("node", "bot.js"), Roots(runtime_cache).root("node"))
    secret = deal_secret(series, 1, None)
    tables = tuple(TableTask(table_name(series, 1, way), 1, way, series.label(1), secret) for way in (0, 1))
    spec = MatchSpec(match_id="walls", a=walled, b=walled, rules=series.rules, clocks=NO_LIMIT, tables=tables)
    try:
        there = run_match(spec, sandbox=choice.sandbox, policy=policy)
    finally:
        choice.sandbox.close()
    (here,) = play_pairs(series, 1)
    for table, game in zip(there.tables, here.games, strict=True):
        assert [seat.verdict for seat in table.seats] == ["ok"] * 4, table.seats
        assert [r.event for r in replay.read(table.replay).records] == [r.event for r in game.records]


@pytest.mark.needs("broker:valkey", "database:sqlite", "sandbox:bubblewrap")
def test_it_is_submitted_and_plays_a_rated_night_in_a_sandbox(bot: Path, tmp_path: Path, runtime_cache: Path) -> None:
    (tmp_path / "arena").mkdir(mode=0o700)
    (tmp_path / "arena" / "runtime").symlink_to(runtime_cache)  # built once for all tests
    with house(tmp_path / "arena", GUANDAN_SANDBOX="bubblewrap", **PATIENT) as arena:
        submit_reference_bots(arena, tmp_path / "bots", {"pull": "greedy"})
        author = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
        guandan("login", "--server", arena.grpc, "--name", "ada", env=author)
        guandan("submit", str(bot), "-m", "first", "--wait", env=author)
        night = arena.run("night", "--rounds", "1", "--boards", "2").strip()
        eventually(lambda: arena.event(night).event.state == nights_pb2.EVENT_STATE_OVER, "the end of the night")
        with arena.client() as client:
            (listed,) = client.matches(event=night)
            match = client.match(listed.id)
            rated = {row.bot: row.elo_milli - row.elo_before_milli for row in client.ladder(10)}
        assert {match.a.bot, match.b.bot} == {"javascript", "pull"}
        verdicts = {seat.verdict for table in match.tables for seat in table.seats}
        assert (len(match.tables), verdicts) == (4, {table_pb2.VERDICT_OK}), arena.story()
        assert rated["javascript"] == -rated["pull"] != 0
        assert "clean" in arena.run("audit")


def guandan(*words: str, env: Mapping[str, str]) -> None:
    done = subprocess.run([GUANDAN, *words], env=env, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"


def test_its_archive_holds_the_bundle_and_nothing_else(bot: Path) -> None:
    assert [path.name for path in packed_files(bot)] == ["bot.js", "bot.toml"]
