"""Matches for tests: bots written into folders, and specs of the boards they play."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from guandan_engine.board import TableTask
from guandan_engine.clock import Clocks
from guandan_engine.rules import load
from guandan_engine.shuffle import deal_secret
from guandan_runner.results import BotFiles, MatchSpec

PATIENT = Clocks(connect_ms=30_000, move_ms=10_000, bank_ms=30_000)
"""Clocks that a loaded machine does not exceed."""


def reference_bot(name: str, folder: Path) -> BotFiles:
    """One of the SDK's bots, started as a submitted one is."""
    return write_bot(name, f"from guandan_sdk.bots.{name} import {name.title()}Bot\nrun({name.title()}Bot)\n", folder)


def write_bot(name: str, source: str, folder: Path) -> BotFiles:
    """Write a bot whose file begins with the SDK's names."""
    home = folder / name
    home.mkdir(parents=True, exist_ok=True)
    home.chmod(0o755)
    (home / "bot.py").write_text("from guandan_sdk import *\n" + textwrap.dedent(source))
    return BotFiles(name, name.encode().hex().ljust(64, "0"), home, ("python", "bot.py"))


def tasks(boards: int, *, ways: Sequence[int] = (0, 1), seed: str = "test") -> tuple[TableTask, ...]:
    """Tables of boards that follow from a seed."""
    return tuple(
        TableTask(f"{seed}-{board}{'ab'[way]}", board, way, f"board/{board}", secret)
        for board in range(1, boards + 1)
        for secret in [deal_secret(seed.encode().ljust(32), f"board/{board}")]
        for way in ways
    )


def match(a: BotFiles, b: BotFiles, tables: tuple[TableTask, ...], *, clocks: Clocks = PATIENT) -> MatchSpec:
    return MatchSpec(match_id="m1", a=a, b=b, rules=load("standard"), clocks=clocks, tables=tables)
