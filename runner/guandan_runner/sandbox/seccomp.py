"""The system-call filter: one list of what is denied, rendered for Docker as JSON and for bubblewrap as BPF."""

from __future__ import annotations

import errno
import json
import platform
import socket
import tempfile
import tomllib
from importlib.resources import files
from typing import Any, Final

from guandan_runner.errors import SandboxUnavailable

NAMESPACE_FLAGS: Final = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)


def denied_calls() -> tuple[str, ...]:
    """Return the names of the system calls no bot may make."""
    return tuple(tomllib.loads((files("guandan_runner.sandbox") / "seccomp.toml").read_text())["denied"])


def docker_profile() -> str:
    """Return the filter as the JSON that Docker's ``seccomp=`` option takes."""

    def deny(names: list[str], code: int, *args: dict[str, Any]) -> dict[str, Any]:
        return {"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": code, "args": list(args)}

    not_unix = {"index": 0, "value": int(socket.AF_UNIX), "op": "SCMP_CMP_NE"}
    rules = [
        deny(list(denied_calls()), errno.EPERM),
        deny(["socket", "socketpair"], errno.EAFNOSUPPORT, not_unix),
        deny(["clone3"], errno.ENOSYS),
        *(
            deny(["clone"], errno.EPERM, {"index": 0, "value": f, "valueTwo": f, "op": "SCMP_CMP_MASKED_EQ"})
            for f in NAMESPACE_FLAGS
        ),
    ]
    return json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "architectures": [_docker_architecture()], "syscalls": rules})


def _docker_architecture() -> str:
    """Return this machine's only allowed architecture: calls of another one (32-bit) are not filtered but killed."""
    return {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}[platform.machine()]


def bpf_program() -> bytes:
    """Return the filter as the BPF program that bubblewrap's ``--seccomp`` takes; raise SandboxUnavailable."""
    try:
        import pyseccomp  # noqa: PLC0415 - fails at import where libseccomp is missing
    except RuntimeError as error:
        raise SandboxUnavailable("bubblewrap", "libseccomp.so.2 is missing (Debian package libseccomp2)") from error
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for name in denied_calls():
        _deny(rules, errno.EPERM, name)
    for name in ("socket", "socketpair"):
        _deny(rules, errno.EAFNOSUPPORT, name, pyseccomp.Arg(0, pyseccomp.NE, int(socket.AF_UNIX)))
    _deny(rules, errno.ENOSYS, "clone3")
    for flag in NAMESPACE_FLAGS:
        _deny(rules, errno.EPERM, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _deny(rules: Any, code: int, name: str, *args: Any) -> None:
    """Deny one call; one that this machine's architecture does not have needs no rule."""
    import pyseccomp  # noqa: PLC0415

    try:
        number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
    except ValueError:
        return
    if number >= 0:
        rules.add_rule(pyseccomp.ERRNO(code), number, *args)
