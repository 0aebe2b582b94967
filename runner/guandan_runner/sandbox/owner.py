"""Naming a process for good: numbers come again, a number with its time of start does not."""

from __future__ import annotations

from pathlib import Path

__all__ = ["is_alive", "process_name"]


def process_name(pid: int) -> str:
    """Name a process of this machine by its number and when it was started."""
    try:
        started = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        started = "gone"
    return f"{pid}.{started}"


def is_alive(name: str) -> bool:
    """Whether the process that ``process_name`` named so still lives."""
    pid = name.partition(".")[0]
    return pid.isdigit() and process_name(int(pid)) == name
