"""The system-call filter: one list of what is allowed, rendered for Docker as JSON and for bubblewrap as BPF."""

from __future__ import annotations

import errno
import functools
import json
import platform
import socket
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from guandan_runner.errors import SandboxUnavailable

__all__ = ["allowed_calls", "bpf_program", "denied_calls", "docker_profile"]

NAMESPACE_FLAGS: Final = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
NO_SUCH_CALL: Final = errno.ENOSYS


@dataclass(frozen=True, slots=True)
class Rule:
    """What happens to one call: allowed when ``code`` is 0, else refused with that error.

    ``argument`` restricts it to calls whose first argument compares so with a value (and, of a masked comparison, so
    much of it): eq, ne or masked.
    """

    name: str
    code: int = 0
    argument: tuple[str, int, int] | None = None


@functools.cache
def _lists() -> dict[str, list[str]]:
    return tomllib.loads((files("guandan_runner.sandbox") / "seccomp.toml").read_text())


def allowed_calls() -> tuple[str, ...]:
    """Return the names of the system calls a bot may make whatever their arguments."""
    return tuple(_lists()["allowed"])


def denied_calls() -> tuple[str, ...]:
    """Return the names of the system calls that are refused; those in no list do not exist for a bot."""
    return tuple(_lists()["denied"])


def rules() -> Iterator[Rule]:
    """Yield the filter's rules; what none of them names ends with ``NO_SUCH_CALL``."""
    yield from (Rule(name) for name in allowed_calls())
    yield from (Rule(name, errno.EPERM) for name in denied_calls())
    for name in ("socket", "socketpair"):
        yield Rule(name, 0, ("eq", int(socket.AF_UNIX), 0))
        yield Rule(name, errno.EAFNOSUPPORT, ("ne", int(socket.AF_UNIX), 0))
    yield Rule("clone", 0, ("masked", sum(NAMESPACE_FLAGS), 0))
    yield from (Rule("clone", errno.EPERM, ("masked", flag, flag)) for flag in NAMESPACE_FLAGS)


def docker_profile() -> str:
    """Return the filter as the JSON that Docker's ``seccomp=`` option takes."""
    return json.dumps(
        {
            "defaultAction": "SCMP_ACT_ERRNO",
            "defaultErrnoRet": NO_SUCH_CALL,  # daemons before 23 do not know it and answer EPERM
            "architectures": [_docker_architecture()],
            "syscalls": [*map(_docker_rule, rules()), _docker_rule(Rule("clone3", NO_SUCH_CALL))],
        }
    )


def _docker_rule(rule: Rule) -> dict[str, Any]:
    args = []
    if rule.argument:
        kind, value, masked = rule.argument
        words = {"eq": "SCMP_CMP_EQ", "ne": "SCMP_CMP_NE", "masked": "SCMP_CMP_MASKED_EQ"}
        args = [{"index": 0, "value": value, "valueTwo": masked, "op": words[kind]}]
    answer = {"action": "SCMP_ACT_ERRNO", "errnoRet": rule.code} if rule.code else {"action": "SCMP_ACT_ALLOW"}
    return {"names": [rule.name], **answer, "args": args}


def _docker_architecture() -> str:
    """Return this machine's only allowed architecture: calls of another one (32-bit) are not filtered but killed."""
    return {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}[platform.machine()]


def bpf_program() -> bytes:
    """Return the filter as the BPF program that bubblewrap's ``--seccomp`` takes; raise SandboxUnavailable."""
    try:
        import pyseccomp  # noqa: PLC0415 - fails at import where libseccomp is missing
    except RuntimeError as error:
        raise SandboxUnavailable("bubblewrap", "libseccomp.so.2 is missing (Debian package libseccomp2)") from error
    program = pyseccomp.SyscallFilter(pyseccomp.ERRNO(NO_SUCH_CALL))
    for rule in rules():
        _add(program, rule)
    with tempfile.TemporaryFile() as file:
        program.export_bpf(file)
        file.seek(0)
        return file.read()


def _add(program: Any, rule: Rule) -> None:
    """Add one rule; a call that this machine's architecture does not have needs none."""
    import pyseccomp  # noqa: PLC0415

    try:
        number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, rule.name)
    except ValueError:
        return
    if number < 0:
        return
    args = []
    if rule.argument:
        kind, value, masked = rule.argument
        operator = {"eq": pyseccomp.EQ, "ne": pyseccomp.NE, "masked": pyseccomp.MASKED_EQ}[kind]
        args = [pyseccomp.Arg(0, operator, value, *((masked,) if kind == "masked" else ()))]
    program.add_rule(pyseccomp.ERRNO(rule.code) if rule.code else pyseccomp.ALLOW, number, *args)
