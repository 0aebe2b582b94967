"""``guandan init``: a folder with a bot that already plays, or one that learns to."""

from __future__ import annotations

import sys
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

import typer

from guandan_proto.manifest import NAME, NAME_HINT
from guandan_sdk.errors import InvalidInput


class Template(StrEnum):
    """What the new folder starts from."""

    PYTHON = "python"
    LEARNING = "learning"


_FILES: Final = {
    Template.PYTHON: ("bot.py", "bot.toml", "README.md", "test_bot.py"),
    Template.LEARNING: ("bot.py", "bot.toml", "features.py", "README.md", "test_bot.py", "train.py"),
}
_NEXT: Final = {
    Template.PYTHON: "try it: guandan play {0} greedy -n 20",
    Template.LEARNING: "train it: python {0}/train.py",
}


def init(
    name: Annotated[str, typer.Argument(help="Name of the bot; also of the new folder.")],
    folder: Annotated[Path | None, typer.Option("--in", help="Where to make the folder.")] = None,
    template: Annotated[
        Template, typer.Option(help="A bot of rules of your own, or one that learns with NumPy.")
    ] = Template.PYTHON,
) -> None:
    """Make a folder with a bot, its manifest, a README and a test.

    Example: guandan init mybot && guandan play mybot greedy -n 20

    Example: guandan init learner --template learning && python learner/train.py
    """
    if not NAME.fullmatch(name):
        raise InvalidInput(f"{name!r} cannot be the name of a bot", NAME_HINT)
    target = (folder or Path()) / name
    if target.exists():
        raise InvalidInput(f"{target} is already there", "choose another name, or remove it first")
    target.mkdir(parents=True)
    source = files("guandan_sdk.templates") / template
    for file in _FILES[template]:
        text = (source / file).read_text("utf-8").replace("__NAME__", name)
        (target / file).write_text(text, "utf-8")
    print(f"made {target}; {_NEXT[template].format(target)}", file=sys.stderr)  # noqa: T201
