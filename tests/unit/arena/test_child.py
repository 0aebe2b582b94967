from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from guandan_arena.cli.child import Child, Part, State
from guandan_arena.cli.parts import Pulse
from guandan_arena.errors import Unavailable

Make = Callable[..., Child]


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[Child] = []

    def child(program: str = "import time; time.sleep(600)", **questions: Callable[[], bool]) -> Child:
        part = Part(
            "part",
            lambda: subprocess.Popen([sys.executable, "-c", program], start_new_session=True),
            questions.get("is_ready", lambda: True),
            questions.get("is_well", lambda: True),
        )
        made.append(Child(part))
        return made[-1]

    yield child
    for one in made:
        one.kill()


def killed(child: Child) -> None:
    assert child.process is not None
    child.process.send_signal(signal.SIGKILL)
    child.process.wait()


def test_a_child_is_started_then_greeted_then_left_in_peace(make: Make) -> None:
    child = make()
    seen = []
    for second in (0, 1, 2):
        changed = child.look(second, ask=True)
        seen.append((changed, child.state))
    assert seen == [(True, State.STARTING), (True, State.READY), (False, State.READY)]
    assert child.restarts == 0


def test_pauses_between_starts_double_up_to_ten_seconds(make: Make) -> None:
    child, now, pauses = make(), 0.0, []
    for _ in range(8):
        child.look(now, ask=False)
        killed(child)
        child.look(now, ask=False)
        died = now
        while child.state is State.WAITING:
            now += 0.125
            child.look(now, ask=False)
        pauses.append(now - died)
    assert pauses == [0.25, 0.5, 1, 2, 4, 8, 10, 10]


def test_a_child_that_ran_for_long_is_started_again_soon(make: Make) -> None:
    child = make()
    for now in (0.0, 0.0, 0.25, 0.25):
        child.look(now, ask=False)
        if child.state is State.READY:
            killed(child)
            child.look(now, ask=False)
    child.look(1.0, ask=False)
    child.look(1.0, ask=False)
    child.look(40.0, ask=True)
    killed(child)
    child.look(40.0, ask=False)
    assert child.state is State.WAITING
    child.look(40.25, ask=False)
    assert child.state is State.STARTING


def test_a_child_that_is_not_ready_in_time_is_killed(make: Make) -> None:
    child = make(is_ready=lambda: False)
    child.look(0, ask=False)
    child.look(119, ask=False)
    assert child.state is State.STARTING
    child.look(121, ask=False)
    assert child.state is State.WAITING
    assert child.note == "was not ready within 120 s"
    assert not child.was_ready


def test_a_child_is_asked_only_now_and_then_whether_it_is_well(make: Make) -> None:
    child = make(is_well=lambda: False)
    child.look(0, ask=False)
    child.look(1, ask=False)
    assert not child.look(2, ask=False)
    assert child.look(3, ask=True)
    assert child.note == "gave no sign of life"


def test_a_part_that_cannot_be_started_says_why() -> None:
    def start() -> subprocess.Popen[bytes]:
        raise Unavailable("data_in_use", "another Valkey uses it")

    child = Child(Part("part", start, lambda: True, lambda: True))
    child.look(0, ask=False)
    assert child.state is State.WAITING
    assert child.note == "another Valkey uses it"


def test_a_child_told_to_stop_is_not_started_again(make: Make) -> None:
    child = make()
    child.look(0, ask=False)
    child.ask_to_stop(signal.SIGTERM)
    assert child.process is not None
    child.process.wait()
    assert child.has_ended()
    assert not child.look(99, ask=True)
    assert child.state is State.STOPPED


def test_a_pulse_forgives_silence_but_not_a_long_no() -> None:
    time, answers = [0.0], iter([True, False, None, False, False, False])
    pulse = Pulse(lambda: next(answers), patience_s=10, clock=lambda: time[0])
    seen = []
    for time[0] in (1.0, 9.0, 20.0, 29.0, 31.0):
        seen.append(pulse())
    assert seen == [True, True, True, True, False]
    pulse.begin()
    assert pulse(), "a new life begins without the old one's silence"
