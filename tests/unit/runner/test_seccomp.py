"""One list of allowed system calls, in two notations."""

from __future__ import annotations

import errno
import json
import struct

import pytest

from guandan_runner.sandbox import seccomp

PROFILE = json.loads(seccomp.docker_profile())


def answers(name: str) -> list[tuple[str, int]]:
    """What Docker is told of a call, whatever its arguments."""
    rules = [rule for rule in PROFILE["syscalls"] if name in rule["names"] and not rule["args"]]
    return [(rule["action"], rule.get("errnoRet", 0)) for rule in rules]


def test_what_no_list_names_does_not_exist_for_a_bot():
    assert PROFILE["defaultAction"] == "SCMP_ACT_ERRNO"
    assert PROFILE["defaultErrnoRet"] == errno.ENOSYS


def test_docker_is_told_every_allowed_and_every_denied_call():
    assert all(answers(name) == [("SCMP_ACT_ALLOW", 0)] for name in seccomp.allowed_calls())
    assert all(answers(name) == [("SCMP_ACT_ERRNO", errno.EPERM)] for name in seccomp.denied_calls())
    assert answers("clone3") == [("SCMP_ACT_ERRNO", errno.ENOSYS)]


def test_no_call_is_both_allowed_and_denied():
    assert not set(seccomp.allowed_calls()) & set(seccomp.denied_calls())


@pytest.mark.parametrize(
    "name", ["ptrace", "io_uring_setup", "bpf", "unshare", "mount", "userfaultfd", "keyctl", "sync"]
)
def test_what_reaches_past_a_bots_walls_is_not_allowed(name: str):
    assert name not in seccomp.allowed_calls()


def test_sockets_are_allowed_of_one_family_only():
    allowed = [rule for rule in PROFILE["syscalls"] if "socket" in rule["names"] and rule["action"] == "SCMP_ACT_ALLOW"]
    assert [rule["args"] for rule in allowed] == [[{"index": 0, "value": 1, "valueTwo": 0, "op": "SCMP_CMP_EQ"}]]


@pytest.mark.needs("sandbox:bubblewrap")
def test_the_bpf_program_is_whole_instructions_that_end_in_a_verdict() -> None:
    program = seccomp.bpf_program()
    assert len(program) % 8 == 0
    code, *_ = struct.unpack("<HBBI", program[-8:])
    assert code == 0x06  # BPF_RET
