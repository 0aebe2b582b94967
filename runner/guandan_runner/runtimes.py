"""The runtimes a version may name: data that ships with the runner and that an operator may extend."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from guandan_proto.manifest import REMOTE
from guandan_runner.errors import RunnerError

__all__ = ["PATH", "RUNTIMES", "InvalidRuntimes", "Runtime", "RuntimeRoot", "load_runtimes", "parse_runtimes"]

PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_NAME: Final = re.compile(r"[a-z][a-z0-9.-]{0,39}")
_KEYS: Final = frozenset({"kind", "version", "packages", "offered", "image", "commands"})
_COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {"python": ("python", "python3"), "node": ("node",), "program": ()}
_EXAMPLES: Final = {"python": '["python", "bot.py"]', "node": '["node", "bot.js"]', "program": '["./bot"]'}


class InvalidRuntimes(RunnerError, ValueError):
    """A list of runtimes names an unknown kind or key."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """How bots of one kind are started. ``version`` of Python; ``packages`` from the operator's wheels.

    ``image``: a container image of the operator's, instead of a root made of this machine's files.
    ``commands``: what an entry may begin with; none when it must begin with a file of the archive.
    """

    name: str
    kind: str
    version: str = ""
    packages: tuple[str, ...] = ()
    image: str = ""
    commands: tuple[str, ...] = ()

    @property
    def takes_wheels(self) -> bool:
        """Whether a bot's dependencies can be installed from the operator's wheels."""
        return self.kind == "python" and not self.image

    @property
    def takes_images(self) -> bool:
        """Whether a bot may bring an image of its own."""
        return self.kind == "program" and not self.image

    @property
    def example(self) -> str:
        """An entry as it is written in ``bot.toml``."""
        if self.kind == "program" and self.commands:
            return f'["{self.commands[0]}", "bot"]'
        return _EXAMPLES[self.kind]


@dataclass(frozen=True, slots=True)
class RuntimeRoot:
    """The root folder of a runtime. ``path_variable`` is the PATH inside it; ``digest`` names its content.

    ``image``: the id of a container image that is the root, in place of the folder.
    ``brought``: the author's own image, laid out; nothing in it may be trusted to hold a bot back. Then ``entry`` is
    what it starts when the author says nothing else, in ``folder`` ("" is the bot's own), and ``environment`` are its
    variables.
    """

    path: Path
    digest: str
    path_variable: str = PATH
    image: str = ""
    brought: bool = False
    entry: tuple[str, ...] = ()
    folder: str = ""
    environment: tuple[tuple[str, str], ...] = ()


def load_runtimes(path: Path | None = None) -> Mapping[str, Runtime]:
    """Return the runtimes by name: those that ship, then what an operator's file changes; raise InvalidRuntimes."""
    found = dict(RUNTIMES)
    if path is None:
        return found
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRuntimes(f"{path} cannot be read: {error}") from error
    for name, runtime in parse_runtimes(text, title=str(path)).items():
        if runtime is None:
            found.pop(name, None)
        else:
            found[name] = runtime
    return found


def parse_runtimes(text: str, *, title: str = "the list of runtimes") -> Mapping[str, Runtime | None]:
    """Read runtimes from TOML; None stands for one that is not offered."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidRuntimes(f"{title} is not TOML: {error}") from error
    return {name: _runtime(name, table, title) for name, table in tables.items()}


def _runtime(name: str, table: Any, title: str) -> Runtime | None:
    if not _NAME.fullmatch(name) or not isinstance(table, dict):
        raise InvalidRuntimes(f"{title}: {name!r} is no runtime; write a table [name] with kind")
    if name == REMOTE:
        raise InvalidRuntimes(f"{title}: {name} is the name for bots that are not started here; choose another")
    if wrong := sorted(table.keys() - _KEYS):
        raise InvalidRuntimes(f"{title}: {name} has no key {wrong[0]!r}; there are {', '.join(sorted(_KEYS))}")
    if table.get("offered", True) is False:
        return None
    kind, version, packages = str(table.get("kind")), table.get("version", ""), table.get("packages", [])
    if kind not in _COMMANDS:
        raise InvalidRuntimes(f"{title}: {name}.kind is {kind!r}, none of {', '.join(_COMMANDS)}")
    if not isinstance(version, str) or (kind == "python") != bool(re.fullmatch(r"3\.\d{1,2}", version)):
        raise InvalidRuntimes(f"{title}: {name}.version is {version!r}; Python has one as 3.11, others have none")
    if not isinstance(packages, list) or not all(isinstance(item, str) for item in packages):
        raise InvalidRuntimes(f"{title}: {name}.packages is {packages!r}, not a list of names")
    image, commands = table.get("image", ""), table.get("commands", [])
    if not isinstance(image, str) or (packages and (kind != "python" or image)):
        raise InvalidRuntimes(f"{title}: {name}.packages is for Python without an image, whose name is a text")
    if not isinstance(commands, list) or not all(isinstance(item, str) for item in commands):
        raise InvalidRuntimes(f"{title}: {name}.commands is {commands!r}, not a list of names")
    if commands and not (kind == "program" and image):
        raise InvalidRuntimes(f"{title}: {name}.commands is for programs in an image")
    return Runtime(name, kind, version, tuple(packages), image, tuple(commands) or _COMMANDS[kind])


def _shipped() -> Mapping[str, Runtime]:
    text = (files("guandan_runner") / "runtimes.toml").read_text("utf-8")
    return MappingProxyType({name: item for name, item in parse_runtimes(text).items() if item is not None})


RUNTIMES: Final = _shipped()
