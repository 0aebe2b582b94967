"""An operator rules at a table that a whole arena plays: the replay shows it, the audit knows it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from guandan_arena.services.states import MatchState
from guandan_engine.events import Sanctioned
from guandan_engine.replay import verify
from guandan_proto.v1 import nights_pb2
from tests import machine
from tests.house import COMMAND, PATIENCE_S, House, eventually, house, submit, wait_for_checks, write_bot

pytestmark = pytest.mark.needs("broker:valkey", "database:sqlite")

SETTINGS = {"GUANDAN_CLOCK_CONNECT_MS": "60000", "GUANDAN_CLOCK_MOVE_MS": "10000", "GUANDAN_WORKERS": "1"}
WHY = "signals to the partner"
DAWDLER = """
import time

from guandan_sdk import run
from guandan_sdk.bots.greedy import GreedyBot


class Dawdler(GreedyBot):
    def play(self, view, options):
        time.sleep(0.1)
        return super().play(view, options)


run(Dawdler)
"""


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("referee")
    sandbox = "process" if machine.missing("sandbox:bubblewrap") else "bubblewrap"
    with house(folder / "arena", GUANDAN_SANDBOX=sandbox, **SETTINGS) as arena:
        homes = {bot: write_bot(folder / bot, bot=bot, code=f"# {bot}{DAWDLER}") for bot in ("slow-one", "slow-two")}
        wait_for_checks(arena, {submit(arena, bot, home) for bot, home in homes.items()})
        yield arena


def table_that_plays(arena: House) -> str | None:
    """The first table of the match that is being played, once there is one."""
    with arena.store() as store, store.snapshot() as tx:
        found = [match for match in tx.pairings.browse(limit=10) if match.state is MatchState.PLAYING]
    return f"{found[0].id}-{found[0].fence}-1a" if found else None


def rule(arena: House, table: str, *words: str) -> int:
    """Rule at a table and return the exit code."""
    command = [COMMAND, "table", "rule", table, *words]
    ended = subprocess.run(command, env=arena.environ, capture_output=True, timeout=PATIENCE_S, check=False)
    return ended.returncode


def test_a_ruling_reaches_the_table_its_replay_and_the_journal(arena: House) -> None:
    night = arena.run("night", "--rounds", "1", "--boards", "1").strip()
    table = eventually(lambda: table_that_plays(arena), "a match that is being played")
    words = ("--seat", "1", "--kind", "warn", "--reason", WHY)
    eventually(lambda: rule(arena, table, *words) == 0, "a ruling that is carried out")

    def over() -> bool:
        return arena.event(night).event.state == nights_pb2.EVENT_STATE_OVER

    eventually(over, "the end of the night")
    with arena.client() as client:
        replay = verify(client.replay(table))
    told = [record.event for record in replay.records if isinstance(record.event, Sanctioned)]
    assert [(event.seat, event.sanction, event.referee, event.reason) for event in told] == [(1, "warn", True, WHY)]
    assert "clean" in arena.run("audit")
    assert rule(arena, table, *words) == 1


def test_what_cannot_be_a_ruling_is_wrong_usage_or_refused(arena: House) -> None:
    assert rule(arena, "m1-1-1a", "--seat", "7", "--kind", "warn", "--reason", "no such seat") == 2
    assert rule(arena, "m1-1-1a", "--seat", "1", "--kind", "shout", "--reason", "no such kind") == 2
    assert rule(arena, "m1-1-1a", "--seat", "1", "--kind", "warn", "--reason", "no such table") == 1
