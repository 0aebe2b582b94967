"""``guandan init``: a folder with a bot that already plays."""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

import typer

from guandan_proto.manifest import NAME, NAME_HINT
from guandan_sdk.errors import InvalidInput

_FILES: Final = ("bot.py", "bot.toml", "README.md", "test_bot.py")


def init(
    name: Annotated[str, typer.Argument(help="Name of the bot; also of the new folder.")],
    folder: Annotated[Path | None, typer.Option("--in", help="Where to make the folder.")] = None,
) -> None:
    """Make a folder with a bot, its manifest, a README and a test.

    Example: guandan init mybot && guandan play mybot greedy -n 20
    """
    if not NAME.fullmatch(name):
        raise InvalidInput(f"{name!r} cannot be the name of a bot", NAME_HINT)
    target = (folder or Path()) / name
    if target.exists():
        raise InvalidInput(f"{target} is already there", "choose another name, or remove it first")
    target.mkdir(parents=True)
    source = files("guandan_sdk.templates") / "python"
    for file in _FILES:
        text = (source / file).read_text("utf-8").replace("__NAME__", name)
        (target / file).write_text(text, "utf-8")
    print(f"made {target}; try it: guandan play {target} greedy -n 20", file=sys.stderr)  # noqa: T201
