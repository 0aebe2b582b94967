"""One list of denied system calls, in two notations."""

from __future__ import annotations

import json
import struct

import pytest

from guandan_runner.sandbox import seccomp


def test_docker_is_told_every_denied_call_and_that_sockets_are_unix_only() -> None:
    profile = json.loads(seccomp.docker_profile())
    denied = {name for rule in profile["syscalls"] if not rule["args"] for name in rule["names"]}
    assert set(seccomp.denied_calls()) | {"clone3"} == denied
    sockets = next(rule for rule in profile["syscalls"] if "socket" in rule["names"])
    assert sockets["args"] == [{"index": 0, "value": 1, "op": "SCMP_CMP_NE"}]


@pytest.mark.needs("sandbox:bubblewrap")
def test_the_bpf_program_is_whole_instructions_that_end_in_a_verdict() -> None:
    program = seccomp.bpf_program()
    assert len(program) % 8 == 0
    code, *_ = struct.unpack("<HBBI", program[-8:])
    assert code == 0x06  # BPF_RET
