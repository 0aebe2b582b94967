"""``guandan version``."""

from __future__ import annotations

from importlib.metadata import version as installed

from guandan_engine import compiled
from guandan_sdk.cli.output import Format, FormatOption, write_record


def version(style: FormatOption = Format.TABLE) -> None:
    """Print the versions of this command and of the engine it plays with, and which kernel that runs."""
    names = ("guandan-sdk", "guandan-engine", "guandan-proto")
    kernel = "compiled" if compiled else "source, slower: install the engine where there is a C compiler"
    write_record({**{name: installed(name) for name in names}, "kernel": kernel}, style)
