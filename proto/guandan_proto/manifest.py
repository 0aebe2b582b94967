"""``bot.toml``: what a bot is called, how it is started and what it wishes, read as hostile input.

The manifest is a contract between author and arena as the messages are, so its one reader stands here, where both the
SDK and the runner can see it. What takes more than the text (is the entry in the archive, is the runtime offered, are
the dependencies there) is the runner's.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

__all__ = ["MANIFEST", "NAME", "NAME_HINT", "REMOTE", "BadManifest", "Manifest", "parse_manifest"]

MANIFEST: Final = "bot.toml"
REMOTE: Final = "remote"
"""The runtime of a bot that its author starts, elsewhere: the arena gets no code of it."""
NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{1,30})[a-z0-9]")
NAME_HINT: Final = "use 3 to 32 lower-case letters, digits and dashes, neither beginning nor ending with a dash"
MOST_BYTES: Final = 64 * 1024
MOST_WORDS: Final = 32
MOST_DEPENDENCIES: Final = 40
MEMORY_MB: Final = (16, 65_536)
CPUS: Final = (0.1, 64.0)
_HINT: Final = "compare it with the one that `guandan init` writes"
_RUNTIME: Final = re.compile(r"[a-z][a-z0-9.-]{0,39}")
# A name and what its version must be; never an address, a path or an option of the installer.
_DEPENDENCY: Final = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9._,\s-]+\])?"
    r"(?:\s*(?:===|~=|==|!=|<=|>=|<|>)\s*[A-Za-z0-9.*+!_-]+(?:\s*,\s*(?:===|~=|==|!=|<=|>=|<|>)\s*[A-Za-z0-9.*+!_-]+)*)?"
)
_KEYS: Final = frozenset({"name", "entry", "runtime", "image", "dependencies", "batch", "resources"})
_RESOURCES: Final = frozenset({"memory_mb", "cpus"})


class BadManifest(ValueError):
    """A ``bot.toml`` cannot be used. ``code`` for machines, ``hint`` says what to do."""

    def __init__(self, reason: str, *, code: str = "bad_manifest", hint: str = _HINT) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Manifest:
    """What ``bot.toml`` says. ``batch``: one process may answer for several tables at once.

    ``image``: a file of the archive, the container image that the bot sees as its machine; then ``entry`` may be empty,
    which means what the image starts by itself.
    ``memory_mb`` and ``cpus`` are what the bot wishes for each process; None leaves it to the arena. The ``entry`` of a
    remote bot is for its author's machine, and may be empty.
    """

    name: str
    entry: tuple[str, ...]
    runtime: str
    dependencies: tuple[str, ...] = ()
    batch: bool = False
    memory_mb: int | None = None
    cpus: float | None = None
    image: str = ""

    @property
    def is_remote(self) -> bool:
        """Whether the bot stays on its author's machine."""
        return self.runtime == REMOTE


def parse_manifest(text: bytes) -> Manifest:
    """Read the ``[bot]`` table of a manifest; raise BadManifest saying which key is wrong and how to write it."""
    bot = _table(text)
    _known(bot, _KEYS, "bot")
    resources = bot.get("resources", {})
    if not isinstance(resources, dict):
        raise BadManifest("bot.resources is not a table", hint="write [bot.resources] and below it memory_mb or cpus")
    _known(resources, _RESOURCES, "bot.resources")
    if remote := bot.get("runtime") == REMOTE:
        _nothing_to_build(bot)
    return Manifest(
        name=_name(bot),
        entry=() if (remote or "image" in bot) and "entry" not in bot else _entry(bot.get("entry")),
        runtime=_runtime(bot),
        dependencies=_dependencies(bot.get("dependencies", [])),
        batch=_flag(bot, "batch"),
        memory_mb=_memory(resources.get("memory_mb")),
        cpus=_cpus(resources.get("cpus")),
        image=_image(bot) if "image" in bot else "",
    )


def _table(text: bytes) -> dict[str, Any]:
    if len(text) > MOST_BYTES:
        raise BadManifest(f"{MANIFEST} is larger than {MOST_BYTES // 1024} KB")
    try:
        bot = tomllib.loads(text.decode())["bot"]
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadManifest(f"{MANIFEST} is not TOML: {str(error)[:200]}") from error
    except KeyError as error:
        raise BadManifest(f"{MANIFEST} has no [bot]") from error
    if not isinstance(bot, dict):
        raise BadManifest("bot is not a table", hint="begin with a line [bot]")
    return bot


def _known(table: dict[str, Any], keys: frozenset[str], title: str) -> None:
    for key in table:
        if key not in keys:
            raise BadManifest(f"{title} has no key {key[:40]!r}", hint=f"its keys are {', '.join(sorted(keys))}")


def _name(bot: dict[str, Any]) -> str:
    name = _text(bot, "name")
    if not NAME.fullmatch(name):
        raise BadManifest(f"{name!r} cannot be the name of a bot", code="bad_name", hint=NAME_HINT)
    return name


def _runtime(bot: dict[str, Any]) -> str:
    runtime = _text(bot, "runtime")
    if not _RUNTIME.fullmatch(runtime):
        raise BadManifest(
            f"{runtime[:40]!r} cannot be the name of a runtime", code="unknown_runtime", hint='write "python-3.11"'
        )
    return runtime


def _nothing_to_build(bot: dict[str, Any]) -> None:
    for key in ("dependencies", "image", "resources"):
        if key in bot:
            raise BadManifest(f"bot.{key} is for bots that the arena starts", hint=f"a remote bot has no {key}")


def _text(bot: dict[str, Any], key: str) -> str:
    if key not in bot:
        raise BadManifest(f"bot.{key} is missing")
    value = bot[key]
    if not isinstance(value, str) or not 1 <= len(value) <= 64:
        raise BadManifest(f"bot.{key} is {value!r:.80}, not a short text")
    return value


def _image(bot: dict[str, Any]) -> str:
    path = PurePosixPath(_text(bot, "image"))
    if path.is_absolute() or ".." in path.parts or not path.name:
        raise BadManifest(f"bot.image is {str(path)!r}", hint='name a file beside bot.toml: image = "image.tar"')
    return str(path)


def _entry(value: object) -> tuple[str, ...]:
    if value is None:
        raise BadManifest("bot.entry is missing", hint='write it as ["python", "bot.py"]')
    words = value if isinstance(value, list) else []
    entry = tuple(word for word in words if isinstance(word, str) and 1 <= len(word) <= 256 and word.isprintable())
    if len(entry) != len(words) or not 1 <= len(entry) <= MOST_WORDS:
        raise BadManifest(f"bot.entry is {value!r:.120}, not a list of words", hint='write it as ["python", "bot.py"]')
    return entry


def _dependencies(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MOST_DEPENDENCIES:
        raise BadManifest(
            f"bot.dependencies is {value!r:.80}, not a list of at most {MOST_DEPENDENCIES}",
            hint='write it as ["numpy>=1.26"]',
        )
    for item in value:
        if not isinstance(item, str) or len(item) > 120 or not _DEPENDENCY.fullmatch(item):
            raise BadManifest(
                f"bot.dependencies holds {item!r:.120}, which is no name with versions",
                code="bad_dependency",
                hint='write a name and, if you like, versions: "numpy>=1.26,<3"; no address, path or marker',
            )
    return tuple(value)


def _flag(bot: dict[str, Any], key: str) -> bool:
    value = bot.get(key, False)
    if not isinstance(value, bool):
        raise BadManifest(f"bot.{key} is {value!r:.80}", hint=f"write {key} = true or {key} = false")
    return value


def _memory(value: object) -> int | None:
    least, most = MEMORY_MB
    if value is not None and (type(value) is not int or not least <= value <= most):
        raise BadManifest(
            f"bot.resources.memory_mb is {value!r:.80}", hint=f"write whole megabytes from {least} to {most}"
        )
    return value if isinstance(value, int) else None


def _cpus(value: object) -> float | None:
    least, most = CPUS
    if value is None:
        return None
    if type(value) not in (int, float) or not least <= float(str(value)) <= most:
        raise BadManifest(
            f"bot.resources.cpus is {value!r:.80}", hint=f"write a number of processors from {least:g} to {most:g}"
        )
    return float(str(value))
