"""Boards of a round: the same for all its matches, and all of them follow from the event's secret."""

from __future__ import annotations

import re
from typing import Final

from guandan_arena.errors import NotFound
from guandan_engine.board import TableTask
from guandan_engine.shuffle import deal_secret

_BOARD: Final = re.compile(r"[0-9]{1,4}[ab]")


def label_of(round: int, board: int) -> str:  # noqa: A002 - the game's word
    """Name the deal of a board (from 1) of a round (from 1) under the event's secret."""
    return f"round/{round}/board/{board}"


def table_id(match_id: str, fence: int, board: int, way: int) -> str:
    """Name a table of an attempt, so that two attempts never write to the same live stream."""
    return f"{match_id}-{fence}-{board}{'ab'[way]}"


def attempt_of(table_id: str) -> tuple[str, int]:
    """Return the match and the attempt of a table's name; raise NotFound when it names none."""
    match_id, _, rest = table_id.partition("-")
    fence, _, board = rest.partition("-")
    if not (match_id and fence.isascii() and fence.isdigit() and _BOARD.fullmatch(board)):
        raise NotFound("no_table", f"{table_id[:80]!r} is not the table of a match", "take it from the live page")
    return match_id, int(fence)


def tables_of(match_id: str, fence: int, *, round: int, boards: int, secret: bytes) -> tuple[TableTask, ...]:  # noqa: A002
    """Return the tables of a match's attempt: each board both ways."""
    return tuple(
        _table(table_id(match_id, fence, board, way), board, way, label_of(round, board), secret)
        for board in range(1, boards + 1)
        for way in (0, 1)
    )


def _table(table: str, board: int, way: int, label: str, secret: bytes) -> TableTask:
    return TableTask(table, board, way, label, deal_secret(secret, label))
