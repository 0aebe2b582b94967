"""Every preset through the real runner: a board and a short classic match with real bot processes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from guandan_engine import replay
from guandan_engine.board import TableTask
from guandan_engine.conduct import Verdict
from guandan_engine.events import DealStarted, MatchEnd
from guandan_engine.rules import load, presets
from guandan_engine.shuffle import deal_label, deal_secret
from guandan_runner.match import run_match
from guandan_runner.sandbox import load_policy
from guandan_runner.sandbox.process import ProcessSandbox
from tests.seating import match, reference_bot, tasks

POLICY = load_policy()
DEALS = 2


@pytest.fixture(autouse=True)
def short_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The path of a socket may have 108 bytes; the bots stay in ``tmp_path``."""
    with tempfile.TemporaryDirectory(prefix="gap-", dir="/tmp") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield


def classic(name: str) -> TableTask:
    secret = name.encode().ljust(32)
    deals = tuple(deal_secret(secret, deal_label("match/1", n)) for n in range(1, DEALS + 1))
    return TableTask(f"{name}-classic", 1, 0, "match/1", deal_secret(secret, "match/1"), deals)


@pytest.mark.parametrize("name", presets())
def test_a_board_and_a_classic_match_of_a_preset(name: str, tmp_path: Path) -> None:
    a, b = reference_bot("greedy", tmp_path), reference_bot("random", tmp_path)
    tables = (*tasks(1, ways=(0,), seed=name), classic(name))
    spec = replace(match(a, b, tables), rules=load(name))
    board, whole = run_match(spec, sandbox=ProcessSandbox(POLICY), policy=POLICY).tables
    for table in (board, whole):
        assert [seat.verdict for seat in table.seats] == [Verdict.OK] * 4
        assert replay.verify(table.replay).header.rules == load(name)
    assert board.end.reason is MatchEnd.BOARD_PLAYED
    read = replay.read(whole.replay)
    assert read.header.board is None
    deals = [record.event for record in read.records if isinstance(record.event, DealStarted)]
    assert len(deals) == len(read.secrets) == (1 if name == "botzone_single" else DEALS)
    assert whole.end.reason in (MatchEnd.DEAL_LIMIT, MatchEnd.PASSED_FINAL)
