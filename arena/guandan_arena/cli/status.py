"""What the supervisor wrote about the arena that is up in a data folder."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from guandan_arena.cli.child import State

COLUMNS: Final = ("name", "state", "pid", "restarts", "note")


@dataclass(frozen=True, slots=True)
class Status:
    """The parts as rows, a line about the whole, and whether all is well."""

    title: str
    parts: Sequence[Mapping[str, object]]
    well: bool


def read(data_dir: Path) -> Status:
    """Read the state of the arena in a data folder."""
    run = data_dir / "run"
    if not _is_held(run / "lock"):
        return Status(f"no arena is up in {data_dir}", (), well=False)
    state, ports = _json(run / "state.json"), _json(run / "ports.json")
    parts = state.get("parts", [])
    title = f"gRPC {ports.get('grpc', '-')}, site {ports.get('web', '-')}, supervisor {state.get('pid', '-')}"
    return Status(title, parts, well=bool(parts) and all(part["state"] == State.READY for part in parts))


def _is_held(lock: Path) -> bool:
    """Whether a running supervisor holds the folder; its files alone may be left from one that was killed."""
    try:
        with lock.open() as held:
            fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _json(path: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        found = json.loads(path.read_text())
        if isinstance(found, dict):
            return found
    return {}
