"""A new author's way from nothing to a ranked match, by the commands of docs/howto/first-bot.md as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from guandan_arena.services.states import EventState
from tests import machine
from tests.house import House, eventually, house, submit_reference_bots

pytestmark = pytest.mark.needs("broker:valkey", "database:sqlite")

ROOT = Path(__file__).parents[2]
FIVE_MINUTES_S = 300
SHORT = {"GUANDAN_CLOCK_CONNECT_MS": "60000", "GUANDAN_CLOCK_MOVE_MS": "10000"}


@dataclass(frozen=True)
class Step:
    """A command of the page, and what the page says that it writes."""

    command: str
    written: tuple[str, ...]


def steps() -> tuple[Step, ...]:
    page = (ROOT / "docs/howto/first-bot.md").read_text("utf-8")
    block = re.search(r"```console\n(.*?)```", page, re.DOTALL)
    assert block is not None
    told = [part.splitlines() for part in re.split(r"^\$ ", block[1], flags=re.MULTILINE)[1:]]
    return tuple(Step(lines[0], tuple(lines[1:])) for lines in told)


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[House]:
    sandbox = "process" if machine.missing("sandbox:bubblewrap") else "bubblewrap"
    with house(tmp_path / "arena", GUANDAN_SANDBOX=sandbox, **SHORT) as arena:
        submit_reference_bots(arena, tmp_path / "bots", {"house": "greedy"})
        yield arena


def test_six_commands_lead_from_nothing_to_a_ranked_match(arena: House, tmp_path: Path) -> None:
    author = Author(tmp_path, arena.grpc)
    *before, last = steps()
    assert len(before) + 1 == 6
    for step in before:
        author.follow(step)
    night = arena.run("night", "--rounds", "1", "--boards", "1").strip()  # as the beat does each day
    eventually(lambda: over(arena, night), "the end of the night", patience_s=FIVE_MINUTES_S)
    listed = author.follow(last)
    assert "mybot/1" in listed
    assert "house/1" in listed
    assert re.search(r"\bplayed\b", listed), listed


def over(arena: House, night: str) -> bool:
    with arena.store() as store, store.snapshot() as tx:
        return tx.events.get(night).state is EventState.OVER


class Author:
    """An empty machine with Python and a checkout, on which nothing of the tests can be seen."""

    def __init__(self, home: Path, server: str) -> None:
        self.checkout = home / "checkout"
        self.checkout.mkdir()
        for member in ("engine", "proto", "sdk"):
            (self.checkout / member).symlink_to(ROOT / member)
        venv.create(home / "env", with_pip=True)
        kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "http", "HTTP"))}
        self.environ = {
            **kept,
            "PATH": f"{home}/env/bin:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home),
            "GUANDAN_SERVER": server,
        }

    def follow(self, step: Step) -> str:
        """Type a command of the page; what the page shows of its output must be in it. Return what it wrote."""
        done = subprocess.run(
            ["bash", "-c", step.command],
            cwd=self.checkout,
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=FIVE_MINUTES_S,
            check=False,
        )
        assert done.returncode == 0, f"$ {step.command}\n{done.stdout}\n{done.stderr}"
        for line in step.written:
            assert line in done.stdout.splitlines()
        return done.stdout
