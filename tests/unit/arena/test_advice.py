"""What an author is told to do next after each verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guandan_arena.services.advice import next_step
from guandan_arena.services.records import Match, Side, TableResult
from guandan_arena.services.states import MatchState
from guandan_engine.conduct import Verdict
from guandan_runner.manifest import Manifest
from guandan_runner.results import SeatFacts

SIDE = Side("v1", "ada", "fox", 1, "0" * 64, Manifest("fox", ("python", "bot.py"), "python-3.11"), 1_500_000, 0)
MATCH = Match(
    "m1", "e1", 1, 1, SIDE, replace(SIDE, version_id="v2", bot="owl"),
    MatchState.DONE, 1, None, None, None, 0, 0, 0, None,
)  # fmt: skip


def told(verdict: Verdict, *, seat: int = 1, move: int | None = 34, match: Match = MATCH) -> tuple[str, str]:
    verdicts, facts = [Verdict.OK] * 4, [SeatFacts()] * 4
    verdicts[seat], facts[seat] = verdict, SeatFacts(move=move)
    table = TableResult("m1-1-1a", 1, 0, 3, (0, 1, 2, 3), tuple(verdicts), "0", facts=tuple(facts))  # type: ignore[arg-type]
    return next_step(match, table, seat)


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_but_ok_has_a_next_step_in_both_languages(verdict: Verdict) -> None:
    english, chinese = told(verdict)
    assert bool(english) is bool(chinese) is (verdict is not Verdict.OK)


def test_the_commands_name_match_move_seat_and_bot() -> None:
    assert told(Verdict.CRASHED)[0] == (
        "read what it wrote: guandan logs m1; ask your bot the same again: guandan repro m1-1-1a#34 --seat 1 PATH"
    )
    assert told(Verdict.TIMED_OUT)[1].endswith("guandan bot status owl")
    assert told(Verdict.TIMED_OUT, seat=2)[1].endswith("guandan bot status fox")


def test_the_author_of_a_remote_bot_is_sent_to_no_log_or_check_of_the_arena() -> None:
    away = replace(MATCH, b=replace(SIDE, bot="owl", manifest=Manifest("owl", (), "remote")))
    for verdict in Verdict:
        steps = told(verdict, match=away)[0]
        assert "guandan logs" not in steps
        assert "guandan check" not in steps
    assert told(Verdict.NEVER_CONNECTED, match=away)[0].startswith("attend while the event runs: guandan connect PATH")


def test_nobody_is_sent_to_a_move_that_never_was() -> None:
    assert told(Verdict.CRASHED, move=None)[0] == told(Verdict.CRASHED, move=0)[0]
    assert "repro" not in told(Verdict.CRASHED, move=0)[0]
