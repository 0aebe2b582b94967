"""Control groups of version 2, on plain files of the same names: what is limited, and what is read of a seat's use."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from guandan_runner.sandbox.cgroup import ControlGroup, ControlGroups, Usage
from guandan_runner.sandbox.owner import process_name
from guandan_runner.sandbox.policy import load_policy

POLICY = load_policy()


@pytest.fixture
def group(tmp_path: Path) -> ControlGroup:
    return ControlGroups({"": tmp_path}).open("seat", POLICY, own_processes=2)


@pytest.fixture
def folder(group: ControlGroup, tmp_path: Path) -> Path:
    return tmp_path / f"{process_name(os.getpid())}-seat"


def test_a_seat_gets_the_policys_limits_and_room_for_the_sandbox_itself(folder: Path):
    written = {file.name: file.read_text() for file in folder.iterdir()}
    assert written == {"memory.max": str(POLICY.memory_bytes), "cpu.max": "100000 100000", "pids.max": "66"}


def test_what_was_used_is_read_in_our_units(group: ControlGroup, folder: Path):
    (folder / "memory.peak").write_text("123456789\n")
    (folder / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 2000000\nnr_throttled 3\nthrottled_usec 40999\n")
    (folder / "memory.events").write_text("low 0\nhigh 0\nmax 12\noom 1\noom_kill 1\n")
    assert group.usage() == Usage(123_456_789, 2_500, 40, out_of_memory=True)


def test_what_an_older_kernel_does_not_tell_is_unknown(group: ControlGroup):
    assert group.usage() == Usage(None, None, None, out_of_memory=False)


def test_groups_of_processes_that_are_gone_are_swept_and_those_of_the_living_stay(tmp_path: Path):
    with subprocess.Popen(["sleep", "60"]) as gone:
        left = tmp_path / f"{process_name(gone.pid)}-seat"
        gone.kill()
    ours = tmp_path / f"{process_name(os.getpid())}-seat"
    for made in (left / "container", ours):
        made.mkdir(parents=True)
    ControlGroups({"": tmp_path})
    assert [path for path in (left, ours) if path.exists()] == [ours]


def test_a_group_that_is_there_already_is_another_seats_and_left_alone(tmp_path: Path):
    groups = ControlGroups({"": tmp_path})
    groups.open("seat", POLICY, only=())
    with pytest.raises(FileExistsError):
        groups.open("seat", POLICY, only=())
    assert len(list(tmp_path.iterdir())) == 1


def test_seats_together_weigh_as_much_as_so_many_processes(tmp_path: Path):
    (tmp_path / "cpu.weight").write_text("100")
    groups = ControlGroups({"": tmp_path})
    opened = [groups.open(name, POLICY, only=()) for name in ("a", "b", "c")]
    assert (tmp_path / "cpu.weight").read_text() == "300"
    opened[0].close()
    assert (tmp_path / "cpu.weight").read_text() == "200"
