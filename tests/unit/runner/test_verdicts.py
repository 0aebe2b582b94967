"""From the end of a process to the verdict on a seat."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guandan_engine.conduct import Fault, Verdict
from guandan_runner.sandbox.process import split_status
from guandan_runner.sandbox.seat import Evidence
from guandan_runner.sandbox.verdict import fault_of, final_verdict

ENDED = Evidence(0, None, killed=False, memory_exceeded=False, output_exceeded=False, log="", started_ms=1)


@pytest.mark.parametrize(
    ("changes", "fault", "said"),
    [
        ({"exit_code": 3, "log": "a\nb\n"}, Fault.CRASHED, "process ended with exit code 3"),
        ({"exit_code": None, "signal": 11}, Fault.CRASHED, "process ended by signal SIGSEGV"),
        ({"exit_code": None, "signal": 9, "memory_exceeded": True}, Fault.MEMORY_EXCEEDED, "its use of memory"),
        ({"exit_code": None, "signal": 9, "output_exceeded": True}, Fault.OUTPUT_EXCEEDED, "more output"),
        ({"exit_code": 0}, Fault.CRASHED, "exit code 0"),
    ],
)
def test_the_end_of_a_process_in_play_has_one_fault_and_a_sentence(
    changes: dict[str, object], fault: Fault, said: str
) -> None:
    found, sentence = fault_of(replace(ENDED, **changes))
    assert found is fault
    assert said in sentence


def test_what_a_bot_wrote_is_no_part_of_the_sentence_for_everyone() -> None:
    _, sentence = fault_of(replace(ENDED, exit_code=1, log="my secret weights\n"))
    assert "weights" not in sentence


def test_a_limit_that_was_passed_outweighs_what_the_table_saw() -> None:
    assert final_verdict(Verdict.CRASHED, replace(ENDED, memory_exceeded=True)) is Verdict.MEMORY_EXCEEDED
    assert final_verdict(Verdict.OK, replace(ENDED, output_exceeded=True)) is Verdict.OUTPUT_EXCEEDED


def test_being_ended_after_the_table_is_no_fault() -> None:
    assert final_verdict(Verdict.OK, replace(ENDED, exit_code=None, signal=9, killed=True)) is Verdict.OK


@pytest.mark.parametrize(
    ("status", "reports_signals", "told"),
    [
        (0, False, (0, None)),
        (-9, False, (None, 9)),
        (137, True, (None, 9)),
        (137, False, (137, None)),
        (1, True, (1, None)),
    ],
)
def test_a_status_is_an_exit_code_or_a_signal(
    status: int, reports_signals: bool, told: tuple[int | None, int | None]
) -> None:
    assert split_status(status, reports_signals=reports_signals) == told
