"""The client plays over a real socket, survives broken lines, and leaves its process cleanly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from guandan_engine.actions import Ask, Lay
from guandan_engine.cards import CARDS
from guandan_engine.shuffle import deal
from guandan_sdk.bot import Bot
from guandan_sdk.bots.greedy import GreedyBot
from guandan_sdk.bots.planner import PlannerBot
from guandan_sdk.bots.random import RandomBot
from guandan_sdk.client import Connection
from guandan_sdk.errors import ServerError
from guandan_sdk.local import LocalTable
from tests.unit.sdk.table_server import MATCH, SEAT, SPEC, TableServer, serving


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="gsdk-") as name:
        yield Path(name)


def local_events(bot: type[Bot], spec=SPEC) -> list[object]:
    seats = [GreedyBot] * 4
    seats[SEAT] = bot
    game = LocalTable(spec, tuple(seats), lambda n: deal(f"deal {n}".encode(), spec.rules), now=lambda: 0).play()
    return [record.event for record in game.records]


def run_bot(target: str, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "GUANDAN_TABLE": target},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("bot", [RandomBot, GreedyBot, PlannerBot])
def test_plays_over_the_wire_are_those_of_a_local_table(bot: type[Bot], folder: Path) -> None:
    service = TableServer()
    with serving(service, folder) as target:
        Connection(target, bot).play()
    assert [record.event for record in service.table.log] == local_events(bot)


def test_a_match_with_tributes_is_played_over_the_wire(folder: Path) -> None:
    service = TableServer(MATCH)
    with serving(service, folder) as target:
        Connection(target, PlannerBot).play()
    assert service.finished
    assert not service.table.evidence
    assert [record.event for record in service.table.log] == local_events(PlannerBot, MATCH)


def test_a_broken_stream_is_resumed_without_asking_or_telling_the_bot_twice(folder: Path) -> None:
    heard: list[object] = []

    class Listener(RandomBot):
        def event(self, view, event):
            heard.append(event)

    service = TableServer(drop_after=3)
    with serving(service, folder) as target:
        Connection(target, Listener).play()
    assert [hello.session_token for hello in service.hellos] == ["", "again"]
    assert [record.event for record in service.table.log] == local_events(RandomBot)
    assert len(heard) == len(service.table.log)


def test_notes_travel_with_answers_and_are_cut_at_one_kilobyte(folder: Path) -> None:
    class Noter(GreedyBot):
        def play(self, view, options):
            self.note(f"{len(options)} options")
            self.note("长" * 1000)
            return super().play(view, options)

    service = TableServer()
    with serving(service, folder) as target:
        Connection(target, Noter).play()
    assert all("options\n长" in note and len(note.encode()) <= 1024 for note in service.notes)


def test_an_illegal_answer_is_explained_and_replaced_by_a_legal_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Cheat(GreedyBot):
        def play(self, view, options):
            missing = next(card for card in CARDS if card not in view.hand)
            return Lay((missing,))

    service = TableServer()
    with serving(service, folder) as target:
        Connection(target, Cheat).play()
    assert service.finished
    assert not service.table.evidence, "the second answer is legal, so nothing is held against the seat"
    assert "refused: " in capsys.readouterr().err


def test_a_refusal_of_the_table_is_told_with_its_reason_and_hint(folder: Path) -> None:
    service = TableServer(refuse=("version_not_spoken", "the table speaks version 9", "update guandan-sdk"))
    with serving(service, folder) as target, pytest.raises(ServerError) as refused:
        Connection(target, GreedyBot).play()
    assert (refused.value.code, refused.value.reason) == ("version_not_spoken", "the table speaks version 9")
    assert refused.value.hint == "update guandan-sdk"


def test_a_table_that_is_not_there_is_given_up_after_ten_seconds(folder: Path) -> None:
    now = [0.0]

    def pause(seconds: float) -> None:
        now[0] += 4

    with pytest.raises(ServerError, match="cannot be reached"):
        Connection(f"unix:{folder / 'nobody'}", GreedyBot, clock=lambda: now[0], pause=pause).play()
    assert 10 < now[0] < 20


def test_a_bot_process_ends_by_itself_every_time_and_prints_nothing(folder: Path) -> None:
    for _ in range(5):
        service = TableServer()
        with serving(service, folder) as target:
            done = run_bot(target, "-m", "guandan_sdk.bots.greedy")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert service.finished


def test_an_exception_in_the_bot_is_a_traceback_on_stderr_and_exit_code_1(folder: Path) -> None:
    bot = folder / "bad.py"
    bot.write_text(
        "from guandan_sdk import Bot, run\n"
        "class Bad(Bot):\n"
        "    def play(self, view, options):\n"
        "        return {}['missing']\n"
        "run(Bad)\n"
    )
    with serving(TableServer(), folder) as target:
        done = run_bot(target, str(bot))
    assert done.returncode == 1
    assert done.stdout == ""
    assert "bad.py" in done.stderr
    assert "KeyError: 'missing'" in done.stderr


def test_a_bot_started_by_hand_says_how_to_play_instead() -> None:
    done = run_bot("", "-m", "guandan_sdk.bots.greedy")
    assert done.returncode == 2
    assert "guandan play" in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_ends_a_bot_quietly(folder: Path) -> None:
    bot = folder / "slow.py"
    bot.write_text(
        "import signal, os\n"
        "from guandan_sdk import Bot, run\n"
        "class Slow(Bot):\n"
        "    def play(self, view, options):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        signal.pause()\n"
        "run(Slow)\n"
    )
    with serving(TableServer(), folder) as target:
        done = run_bot(target, str(bot))
    assert done.returncode == 128 + signal.SIGINT
    assert done.stderr == ""


def test_what_is_asked_of_a_payer_comes_listed(folder: Path) -> None:
    asked: list[Ask] = []

    class Payer(GreedyBot):
        def pay(self, view, options):
            asked.append(Ask.PAY)
            return super().pay(view, options)

        def give_back(self, view, options):
            asked.append(Ask.RETURN)
            return super().give_back(view, options)

    service = TableServer(MATCH)
    with serving(service, folder) as target:
        Connection(target, Payer).play()
    assert asked
