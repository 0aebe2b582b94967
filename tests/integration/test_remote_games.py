"""What a worker does with the game of a remote bot: a real door, a faked lounge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from guandan_arena.ports import Ports
from guandan_arena.services import lounge
from guandan_arena.services.lounge import RemoteGame
from guandan_arena.settings import Settings
from guandan_runner.sandbox import load_policy
from guandan_runner.sandbox.process import ProcessSandbox
from guandan_workers import remote
from guandan_workers.worker import Worker, roots_of, shelf_of
from tests.arena import Author, author, ports_on
from tests.databases import fresh_store, sqlite_template


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[Ports]:
    settings = Settings(data_dir=tmp_path, remote_host="127.0.0.1", remote_ports="42340-42349", lease_renew_ms=20)
    with fresh_store(sqlite_template(tmp_path)) as store:
        yield ports_on(store, tmp_path, settings)


@pytest.fixture
def worker(ports: Ports) -> Worker:
    policy = load_policy()
    return Worker("w1", ports, ProcessSandbox(policy), policy, shelf_of(ports), roots_of(ports.settings))


@pytest.fixture
def ada(ports: Ports) -> Author:
    author(ports, "bob")
    return author(ports, "ada")


def ask(ports: Ports, ada: Author) -> RemoteGame:
    return lounge.ask(ports, caller=ada.account, name="ada-dev", against="bob-bot", boards=1)


def test_a_worker_whose_hold_is_lost_stops_and_leaves_the_next_game_alone(worker: Worker, ada: Author) -> None:
    class Lost(type(worker.ports.lounge)):  # type: ignore[misc]  # the fake, which forgets a game as a server may
        def hold(self, account_id: str, game_id: str, *, expire_ms: int) -> bool:
            self.release(account_id, game_id)
            self.open(account_id, "g2", "{}", expire_ms=expire_ms)
            return super().hold(account_id, game_id, expire_ms=expire_ms)  # type: ignore[no-any-return]

    ports = replace(worker.ports, lounge=Lost())
    game = ask(ports, ada)
    with capture_logs() as logged:
        remote.play(replace(worker, ports=ports), game.id)
    assert [entry["event"] for entry in logged if entry["log_level"] != "info"] == ["remote game dropped"]
    assert ports.lounge.is_held(ada.account.id, "g2")
