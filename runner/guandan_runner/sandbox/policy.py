"""What a seat may use, read from data."""

from __future__ import annotations

import itertools
import secrets
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from importlib.resources import files
from pathlib import Path
from typing import Final

from guandan_runner.errors import RunnerError

__all__ = ["InvalidPolicy", "Policy", "load_policy", "parse_policy", "seat_uids"]

KINDS: Final = {"cpus": (int, float), "hostname": (str,), "docker_runtime": (str,), "docker_init": (bool,)}


class InvalidPolicy(RunnerError, ValueError):
    """A sandbox policy names an unknown limit, lacks one, or gives one that is not a positive number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Limits of one seat's sandbox; the comments in ``policy.toml`` say what each is for."""

    memory_bytes: int
    address_space_bytes: int
    cpus: float
    cpu_seconds: int
    processes: int
    open_files: int
    file_bytes: int
    tmp_bytes: int
    log_bytes: int
    output_bytes: int
    uid_first: int
    uid_count: int
    tables_ahead: int
    hostname: str
    docker_runtime: str
    docker_init: bool


def seat_uids(policy: Policy) -> Iterator[int]:
    """Yield a user number for each seat, none again before all have been given; each process begins elsewhere."""
    begin = secrets.randbelow(policy.uid_count)
    return (policy.uid_first + n % policy.uid_count for n in itertools.count(begin))


def load_policy(path: Path | None = None) -> Policy:
    """Read a policy file, by default the one shipped with the workers; raise InvalidPolicy."""
    try:
        text = (path or files("guandan_runner.sandbox") / "policy.toml").read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidPolicy(f"the sandbox policy cannot be read: {error}") from error
    return parse_policy(text)


def parse_policy(text: str) -> Policy:
    """Read a policy from TOML text; every limit must be there and nothing else."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidPolicy(f"the sandbox policy is not TOML: {error}") from error
    names = {field.name for field in fields(Policy)}
    if values.keys() != names:
        wrong = sorted(values.keys() ^ names)
        raise InvalidPolicy(f"the sandbox policy lacks or does not know {', '.join(wrong)}")
    for name, value in values.items():
        if type(value) not in KINDS.get(name, (int,)) or (not isinstance(value, str) and value < 0):
            raise InvalidPolicy(f"the sandbox policy's {name} = {value!r} is not allowed")
    return Policy(**values)
