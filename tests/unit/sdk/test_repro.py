"""A request of a match is put again to a local bot, with everything it knew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from guandan_engine import replay
from guandan_engine.replay import Replay, requests_to
from guandan_engine.rules import load
from guandan_engine.view import cut, view_of
from guandan_sdk.cli.app import app
from guandan_sdk.errors import BotBroken, InvalidInput
from guandan_sdk.loading import find_bot
from guandan_sdk.local import Series, play_pair, replay_of
from guandan_sdk.repro import reproduce, request_at

BROKEN = """
from guandan_sdk import Bot

class Broken(Bot):
    def play(self, view, options):
        if len(view.hand) < 20:
            raise RuntimeError("no plan")
        return options[0]
"""
CHEAT = """
from guandan_sdk import Bot, Lay

class Cheat(Bot):
    def play(self, view, options):
        self.note("mine: " + " ".join(map(str, view.hand)))
        return Lay((next(iter(view.hand)),) * 5)
"""


def guandan(*args: str) -> Result:
    return CliRunner().invoke(app, list(args))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    series = Series(a=find_bot("random"), b=find_bot("greedy"), rules=load("standard"), seed=5)
    path = tmp_path_factory.mktemp("replays") / "game.gdr.jsonl"
    path.write_bytes(replay_of(series, 1, 1, play_pair(series, 1).games[1]))
    return path


@pytest.fixture(scope="module")
def game(file: Path) -> Replay:
    return replay.read(file.read_bytes())


def test_a_bot_of_chance_answers_as_it_did_for_it_has_its_seed_and_all_that_came_before(game: Replay) -> None:
    asked = list(requests_to(game, 3))
    for past in (asked[0], asked[len(asked) // 2], asked[-1]):
        found = reproduce(game, find_bot("random"), past)
        assert (found.answer, found.illegal, found.seeded) == (found.played, "", True)


def test_the_bot_sees_exactly_what_its_seat_saw(game: Replay) -> None:
    past = list(requests_to(game, 0))[4]
    found = reproduce(game, find_bot("greedy"), past)
    known = view_of(0, game.header.rules, (cut(record.event, 0) for record in game.records[: past.n]))
    assert found.view == known
    assert {len(event.hands[1] or ()) for event in known.history if hasattr(event, "hands")} == {0}


def test_the_seat_that_is_asked_at_a_move_is_found(game: Replay) -> None:
    past = list(requests_to(game, 2))[3]
    assert request_at(game, past.n).seat == 2
    later = request_at(game, past.n, seat=1)
    assert later == next(other for other in requests_to(game, 1) if other.n > past.n)
    with pytest.raises(InvalidInput, match="seat 1 was asked at or after move"):
        request_at(game, len(game.records), seat=1)
    with pytest.raises(InvalidInput, match="there is no move 100000"):
        request_at(game, 100_000)


def test_a_bot_that_breaks_is_told_with_the_move_at_which_it_did(game: Replay, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BROKEN)
    past = list(requests_to(game, 1))[-1]
    with pytest.raises(BotBroken, match="RuntimeError: no plan, asked at move"):
        reproduce(game, find_bot(str(tmp_path / "bot.py")), past)


def test_the_command_prints_the_observation_and_both_answers(file: Path, game: Replay) -> None:
    past = list(requests_to(game, 3))[5]
    result = guandan("repro", f"{file}#{past.n}", "random", "--seat", "3", "--format", "json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["move"], told["seat"], told["same"]) == (0, past.n, 3, True)
    assert len(told["hand"].split()) == len(past.sitting.deal.hands[3])
    assert told["answered_by"] == "the seat"


def test_an_answer_that_the_table_would_refuse_fails_with_the_reason(file: Path, game: Replay, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(CHEAT)
    past = next(requests_to(game, 0))
    result = guandan("repro", f"{file}#{past.n}", str(tmp_path / "bot.py"))
    assert result.exit_code == 1
    assert "the table would refuse this answer" in result.stderr
    assert "mine: " in result.stdout


@pytest.mark.parametrize("where", ["game", "game#", "#3", "game#x"])
def test_a_place_without_a_move_is_a_mistake_of_usage(where: str) -> None:
    result = guandan("repro", where)
    assert (result.exit_code, "write MATCH#MOVE" in result.stderr) == (2, True)
