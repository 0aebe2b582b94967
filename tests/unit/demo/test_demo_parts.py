"""The demonstration's bots are whole, and its standings say what a reader needs."""

import io
import zipfile
from pathlib import Path

import pytest
from rich.console import Console

from demo.authors import BOTS
from demo.screen import NightProgress, standings_table
from guandan_proto.v1 import nights_pb2, table_pb2
from guandan_sdk.archive import pack
from guandan_sdk.loading import find_bot

NAMES = sorted(path.name for path in BOTS.iterdir() if path.is_dir())


def test_there_are_eight_bots() -> None:
    assert len(NAMES) == 8


@pytest.mark.parametrize("name", NAMES)
def test_a_bot_loads_and_packs_under_its_own_name(name: str) -> None:
    source = find_bot(str(BOTS / name))
    assert source.load().__doc__
    assert source.name == name
    _, archive = pack(Path(BOTS / name))
    assert {"bot.toml", "bot.py"} <= set(zipfile.ZipFile(io.BytesIO(archive)).namelist())


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def paper() -> Console:
    return Console(file=io.StringIO(), width=160, force_terminal=False)


def test_standings_show_ratings_points_faults_and_times() -> None:
    line = nights_pb2.Standing(
        place=1,
        entrant=nights_pb2.Entrant(bot="fox"),
        match_points=6,
        points=9,
        boards=12,
        wins=3,
        losses=1,
        elo_before_milli=1_500_000,
        elo_after_milli=1_523_400,
        faults=[nights_pb2.FaultCount(verdict=table_pb2.VERDICT_TIMED_OUT, tables=2)],
        decisions=nights_pb2.Decisions(count=100, p50_ms=3, p99_ms=41),
    )
    console = paper()
    console.print(standings_table([line]))
    for words in ("fox", "3-0-1", "+0.38", "1500.0", "1523.4", "+23.4", "2x timed_out", "41"):
        assert words in shown(console)


def test_without_a_terminal_each_ended_match_is_told_once() -> None:
    match = nights_pb2.Match(
        id="m1", round=1, score=4, state=nights_pb2.MATCH_STATE_DONE, a={"bot": "fox"}, b={"bot": "ox"}
    )
    console = paper()
    with NightProgress(console) as progress:
        for _ in range(3):
            progress.show([nights_pb2.Round(number=1, matches=[match])])
    assert shown(console).count("round 1: fox +4 ox") == 1
