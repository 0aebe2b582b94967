"""What a fault at one table does to the tables after it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from guandan_engine.cards import Rank
from guandan_engine.conduct import Verdict
from guandan_engine.events import MatchEnded
from guandan_engine.match import MatchEnd as Reason
from guandan_engine.pace import Pace
from guandan_runner.results import BotFiles, MatchSpec, SeatEnd, SeatFacts, TableEnd, end_of
from tests.seating import match, tasks

BOT = BotFiles("bot", "0" * 64, Path(), ("python", "bot.py"))
SPEC = match(BOT, BOT, tasks(2))


def played(spec: MatchSpec, *given_up: tuple[int, ...]) -> list[TableEnd]:
    """Tables from the first on, with the seats given up at each."""
    return [
        TableEnd(
            task,
            MatchEnded(0, (1, 0), (Rank.TWO, Rank.TWO), Reason.BOARD_PLAYED),
            1,
            (0, 1, 2, 3),
            tuple(SeatEnd(Verdict.OK, "", "", (), SeatFacts(given_up=seat in seats)) for seat in range(4)),  # type: ignore[arg-type]
            b"",
            Pace(),
        )
        for task, seats in zip(spec.tables, given_up, strict=False)
    ]


def test_without_a_fault_all_tables_count() -> None:
    end = end_of(SPEC, played(SPEC, (), (), (), ()))
    assert (len(end.tables), end.lost, end.score) == (4, (), 4)


@pytest.mark.parametrize(
    ("first", "by", "points"),
    [((0,), (True, False), -3), ((1, 3), (False, True), 3), ((0, 3), (True, True), 0)],
)
def test_what_remains_after_a_fault_is_lost_at_full_points(
    first: tuple[int, ...], by: tuple[bool, bool], points: int
) -> None:
    end = end_of(SPEC, played(SPEC, first))
    assert len(end.tables) == 1
    assert [(lost.task, lost.by, lost.points) for lost in end.lost] == [(task, by, points) for task in SPEC.tables[1:]]
    assert end.score == 1 + 3 * points


def test_the_way_of_the_board_says_whose_seat_it_was() -> None:
    end = end_of(SPEC, played(SPEC, (), (0,)))
    assert {lost.by for lost in end.lost} == {(False, True)}


def test_a_table_that_had_begun_before_the_fault_was_seen_does_not_count() -> None:
    end = end_of(SPEC, played(SPEC, (0,), (), (1,)))
    assert len(end.tables) == 1
    assert {lost.by for lost in end.lost} == {(True, False)}


def test_a_fault_at_the_last_table_loses_nothing_more() -> None:
    assert end_of(SPEC, played(SPEC, (), (), (), (2,))).lost == ()


def test_a_match_that_is_to_be_played_on_counts_every_table() -> None:
    spec = replace(SPEC, ends_at_fault=False)
    assert len(end_of(spec, played(spec, (0,), (), (), ())).tables) == 4
