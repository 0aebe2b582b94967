"""``bot.toml``: what a bot is called and how it is started, read as hostile input."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Set
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from guandan_runner.errors import BadArchive

MANIFEST: Final = "bot.toml"
NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{1,30})[a-z0-9]")
NAME_HINT: Final = "use 3 to 32 lower-case letters, digits and dashes, neither beginning nor ending with a dash"
_MANIFEST_BYTES: Final = 64 * 1024
_RUNTIME: Final = re.compile(r"python-3\.\d{1,2}")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What ``bot.toml`` says."""

    name: str
    entry: tuple[str, ...]
    runtime: str


def read_manifest(text: bytes, paths: Set[str]) -> Manifest:
    """Read ``[bot]`` with name, entry and runtime; ``paths`` are the files of the archive. Raise BadArchive."""
    if len(text) > _MANIFEST_BYTES:
        raise _bad_manifest("it is larger than 64 KB")
    try:
        bot = tomllib.loads(text.decode())["bot"]
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _bad_manifest(str(error)) from error
    except KeyError as error:
        raise _bad_manifest("it has no [bot]") from error
    if not isinstance(bot, dict):
        raise _bad_manifest("bot is not a table")
    name = _text(bot, "name")
    if not NAME.fullmatch(name):
        raise BadArchive("bad_name", f"{name!r} cannot be the name of a bot", NAME_HINT)
    runtime = _text(bot, "runtime")
    if not _RUNTIME.fullmatch(runtime):
        raise BadArchive("unknown_runtime", f"{runtime[:40]!r} is not a runtime we have", 'write "python-3.11"')
    return Manifest(name, _entry(bot.get("entry"), paths), runtime)


def _text(bot: dict[str, Any], key: str) -> str:
    value = bot.get(key)
    if not isinstance(value, str) or not 1 <= len(value) <= 64:
        raise _bad_manifest(f"bot.{key} is {value!r:.80}, not a short text")
    return value


def _entry(value: object, paths: Set[str]) -> tuple[str, ...]:
    """Read the command: ``python`` with a file or ``-m module`` of the archive, then any arguments."""
    listed = value if isinstance(value, list) else []
    entry = tuple(word for word in listed if isinstance(word, str) and 1 <= len(word) <= 256 and word.isprintable())
    if len(entry) != len(listed) or not 2 <= len(entry) <= 32 or entry[0] not in ("python", "python3"):
        raise _bad_manifest(f'bot.entry is {value!r:.120}; write it as ["python", "bot.py"]')
    if entry[1] == "-m":
        module = entry[2].replace(".", "/") if len(entry) > 2 else ""
        wanted = {f"{module}.py", f"{module}/__main__.py"}
    else:
        wanted = {str(PurePosixPath(entry[1]))}
    if not wanted & paths:
        raise BadArchive(
            "no_entry", f"bot.entry starts {sorted(wanted)[0]!r}, which the archive does not hold", "correct bot.toml"
        )
    return entry


def _bad_manifest(reason: str) -> BadArchive:
    return BadArchive(
        "bad_manifest", f"{MANIFEST} cannot be read: {reason}", "compare it with the one that `guandan init` writes"
    )
