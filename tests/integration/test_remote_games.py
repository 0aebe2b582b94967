"""What a worker does with the game of a remote bot: a real door, real bot processes, a lounge in dictionaries."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard
from structlog.testing import capture_logs

from guandan_arena.ports import Lounge, Ports
from guandan_arena.services import accounts, bots, checks, lounge, versions
from guandan_arena.services.lounge import RemoteGame
from guandan_arena.services.records import Account
from guandan_arena.settings import Settings
from guandan_engine import replay as replays
from guandan_engine.conduct import Verdict
from guandan_runner.sandbox import load_policy
from guandan_runner.sandbox.process import ProcessSandbox
from guandan_workers import remote
from guandan_workers.worker import Worker, roots_of, shelf_of
from tests.arena import MANIFEST, archive, ports_on
from tests.databases import fresh_store, sqlite_template
from tests.fakes.lounge import FakeLounge

GREEDY = "from guandan_sdk.bots.greedy import GreedyBot\nfrom guandan_sdk import run\nrun(GreedyBot)\n"


class Attended(FakeLounge):
    """Starts a bot for every invitation, as ``guandan connect`` does."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[subprocess.Popen[bytes]] = []

    def tell(self, game_id: str, notice: str) -> None:
        super().tell(game_id, notice)
        told = json.loads(notice)
        if told["notice"] == "invitation":
            environ = os.environ | {"GUANDAN_TABLE": told["address"], "GUANDAN_TICKET": told["ticket"]}
            command = [sys.executable, "-m", "guandan_sdk.bots.greedy"]
            self.processes.append(subprocess.Popen(command, env=environ))


class Forgetful(FakeLounge):
    """Loses the first game as soon as it is held again; the next one of its account is under way by then."""

    def hold(self, account_id: str, game_id: str, *, expire_ms: int) -> bool:
        self.release(account_id, game_id)
        self.open(account_id, "g2", "{}", expire_ms=expire_ms)
        return super().hold(account_id, game_id, expire_ms=expire_ms)


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[Ports]:
    settings = Settings(data_dir=tmp_path, remote_host="127.0.0.1", remote_ports="42340-42349", lease_renew_ms=20)
    with fresh_store(sqlite_template(tmp_path)) as store:
        yield ports_on(store, tmp_path, settings)


def worker_with(ports: Ports, lounge: Lounge) -> Worker:
    policy, with_lounge = load_policy(), replace(ports, lounge=lounge)
    return Worker("w1", with_lounge, ProcessSandbox(policy), policy, shelf_of(ports), roots_of(ports.settings))


@pytest.fixture
def ada(ports: Ports) -> Account:
    """Somebody with a bot that plays."""
    account = accounts.register(ports, name="ada").account
    bots.create(ports, caller=account, name="ada-bot")
    packed = archive({"bot.toml": MANIFEST, "bot.py": GREEDY})
    version = versions.submit(ports, caller=account, bot="ada-bot", archive=packed).version
    checks.finish(ports, checks.claim(ports, version_id=version.id, worker="w1"), verdict=Verdict.OK)
    return account


def ask(worker: Worker, caller: Account) -> RemoteGame:
    return lounge.ask(worker.ports, caller=caller, name="ada-dev", against="ada-bot", boards=1)


def blobs(ports: Ports) -> set[Path]:
    return {path for path in (ports.settings.data_dir / "blobs").rglob("*") if path.is_file()}


def test_a_worker_whose_hold_is_lost_stops_and_leaves_the_next_game_alone(ports: Ports, ada: Account) -> None:
    worker = worker_with(ports, Forgetful())
    game = ask(worker, ada)
    with capture_logs() as logged:
        remote.play(worker, game.id)
    assert [entry["event"] for entry in logged if entry["log_level"] != "info"] == ["remote game dropped"]
    assert worker.ports.lounge.is_held(ada.id, "g2")


def test_the_replays_of_a_game_travel_with_its_notices_and_stay_nowhere(ports: Ports, ada: Account) -> None:
    worker = worker_with(ports, attended := Attended())
    before = blobs(ports)
    game = ask(worker, ada)
    remote.play(worker, game.id)
    assert [process.wait(timeout=30) for process in attended.processes] == [0] * 4
    told = [notice for notice in lounge.notices(worker.ports, game) if notice is not None]
    assert [notice["notice"] for notice in told] == ["invitation"] * 4 + ["table"] * 2 + ["over"]
    for notice in told[4:6]:
        read = replays.verify(zstandard.ZstdDecompressor().decompressobj().decompress(notice["replay"]))
        assert (read.header.table, read.header.way) == (notice["table_id"], notice["way"])
    assert blobs(ports) == before
