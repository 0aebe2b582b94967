"""``guandan version``."""

from __future__ import annotations

from importlib.metadata import version as installed

from guandan_sdk.cli.output import Format, FormatOption, write_record


def version(style: FormatOption = Format.TABLE) -> None:
    """Print the versions of this command and of the engine it plays with."""
    names = ("guandan-sdk", "guandan-engine", "guandan-proto")
    write_record({name: installed(name) for name in names}, style)
