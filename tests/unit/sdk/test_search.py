"""The bot that searches: reproducible, legal everywhere, the same compiled or not; and the page that teaches it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from guandan_engine.rules import load
from guandan_sdk.bots.search import SearchBot
from guandan_sdk.errors import InvalidInput
from guandan_sdk.loading import BotSource, find_bot
from guandan_sdk.local import Pair, Series, play_pair

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "search.md"


def events(pair: Pair) -> list[object]:
    return [record.event for game in pair.games for record in game.records]


def board(name: str, against: str, *, rules: str = "standard", number: int = 1, classic: bool = False) -> Pair:
    """A board, both ways round, that ``search`` plays with few playouts."""
    series = Series(a=find_bot(name), b=find_bot(against), rules=load(rules), seed=5, classic=classic)
    return play_pair(series, number)


@pytest.fixture(autouse=True)
def few_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GUANDAN_SEARCH_PLAYOUTS", "40")


def test_the_same_seed_and_number_of_playouts_give_the_same_plays() -> None:
    assert events(board("search", "greedy")) == events(board("search", "greedy"))


@pytest.mark.parametrize("rules", ["digest_004", "library_shift3", "huaian_2017"])
def test_it_plays_by_any_rules_without_a_fault(rules: str) -> None:
    pair = board("search", "random", rules=rules, number=2)
    assert not any(game.evidence for game in pair.games)


def test_compiled_and_uncompiled_playouts_come_to_the_same_plays() -> None:
    told = []
    for pure in ("0", "1"):
        command = [sys.executable, "-m", "guandan_sdk", "play", "search", "greedy", "-n", "1", "--seed", "3"]
        environment = os.environ | {"GUANDAN_PURE": pure, "GUANDAN_SEARCH_PLAYOUTS": "12"}
        done = subprocess.run(
            [*command, "--format", "json"], env=environment, capture_output=True, text=True, check=True
        )
        told.append(re.sub(r'"._p\d\d_ms": [^,]*,', "", done.stdout))
    assert told[0] == told[1]


def test_a_budget_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GUANDAN_SEARCH_MS", "fast")
    with pytest.raises(InvalidInput, match="GUANDAN_SEARCH_MS"):
        SearchBot()


def test_the_bot_of_the_page_plays_as_it_is_written(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    file = tmp_path / "lookahead.py"
    file.write_text(code.replace("WORLDS = 8", "WORLDS = 1").replace("PLAYOUTS = 10", "PLAYOUTS = 1"), encoding="utf-8")
    series = Series(a=BotSource("lookahead", file=file), b=find_bot("random"), rules=load("standard"), seed=5)
    pair = play_pair(series, 1)
    assert not any(game.evidence for game in pair.games)
