"""Finding a bot by name, file or folder, and making fresh instances of it."""

from __future__ import annotations

import importlib
import inspect
import itertools
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

from guandan_proto.manifest import MANIFEST, BadManifest, Manifest, parse_manifest
from guandan_sdk.bot import Bot
from guandan_sdk.bots import REFERENCE_BOTS
from guandan_sdk.errors import BotNotFound, BotNotLoaded, SdkError

__all__ = ["BotSource", "find_bot", "read_manifest"]

_COPIES: Final = itertools.count(1)
_USE: Final = f"use one of {', '.join(REFERENCE_BOTS)}, a .py file, or a folder with bot.toml"


@dataclass(frozen=True, slots=True)
class BotSource:
    """Where a bot comes from: a module by name, or a file; ``class_name`` when the author named it.

    A bot that is not Python is a ``command``, its program found, to be started in ``folder``.
    """

    name: str
    module: str = ""
    file: Path | None = None
    class_name: str = ""
    command: tuple[str, ...] = ()
    folder: Path = Path()

    def make(self) -> Bot:
        """Make a fresh instance, with its own copy of its module so that seats share nothing."""
        return self.load()()

    def load(self) -> type[Bot]:
        """Run the bot's file, or import its module, and return its class; a command has none."""
        if self.command:
            raise BotNotLoaded(f"{self.name} is not Python: {self.command[0]} starts it", "play it with: guandan play")
        module = importlib.import_module(self.module) if self.file is None else _run_file(self.file)
        return _bot_class(module, self)


def find_bot(text: str) -> BotSource:
    """Find a bot by reference name, by ``file.py`` or ``file.py:Class``, or by folder; raise BotNotFound otherwise."""
    if text in REFERENCE_BOTS:
        return BotSource(text, module=REFERENCE_BOTS[text])
    path_text, _, class_name = text.partition(":") if ".py:" in text else (text, "", "")
    path = Path(path_text)
    if path.is_dir():
        return _from_folder(path)
    if path.suffix == ".py":
        if not path.is_file():
            raise BotNotFound(f"there is no file {path}", _USE)
        return BotSource(class_name or _title(path), file=path.resolve(), class_name=class_name)
    raise BotNotFound(f"there is no bot {text!r}", _USE)


def _title(file: Path) -> str:
    return file.resolve().parent.name if file.stem == "bot" else file.stem


def _from_folder(folder: Path) -> BotSource:
    manifest = folder / "bot.toml"
    name, entry = folder.resolve().name, ["python", "bot.py"]
    if manifest.is_file():
        read = read_manifest(manifest.read_bytes(), str(manifest))
        name, entry = read.name, list(read.entry) or entry
        if read.image:
            raise BotNotLoaded(f"{name} plays inside its image {read.image}", f"play it with: guandan check {folder}")
    elif not (folder / "bot.py").is_file():
        raise BotNotFound(f"{folder} holds neither bot.toml nor bot.py", "make one with: guandan init NAME")
    python = entry[0] in ("python", "python3")
    if python and "-m" in entry[:-1]:
        return BotSource(name, module=entry[entry.index("-m") + 1])
    script = next((word for word in entry if word.endswith(".py")), None)
    if script is None and python:
        raise BotNotLoaded(f"{manifest}: entry {entry} names no .py file", 'write it as ["python", "bot.py"]')
    if script is None:
        return BotSource(name, command=(_program(entry[0], folder, manifest), *entry[1:]), folder=folder.resolve())
    if not (folder / script).is_file():
        raise BotNotFound(f"{manifest}: entry names {script}, which is not in {folder}", "correct entry in bot.toml")
    return BotSource(name, file=(folder / script).resolve())


def _program(word: str, folder: Path, manifest: Path) -> str:
    """Find the program that starts a bot: a file of its folder, or one of this machine's."""
    found = shutil.which(str((folder / word).resolve()) if "/" in word else word)
    if found is None:
        hint = f"put it there and make it executable: chmod +x {folder / word}" if "/" in word else f"install {word}"
        raise BotNotFound(f"{manifest}: entry starts {word}, and there is no such program", hint)
    return found


def read_manifest(data: bytes, title: str = MANIFEST) -> Manifest:
    """Read a ``bot.toml`` as the arena does; raise BotNotLoaded saying what is wrong with it."""
    try:
        return parse_manifest(data)
    except BadManifest as error:
        raise BotNotLoaded(f"{title}: {error.reason}", error.hint) from None


def _run_file(file: Path) -> ModuleType:
    """Run a bot's file as a module of its own; its neighbours can be imported and are forgotten afterwards."""
    module = ModuleType(f"guandan_bot_{next(_COPIES)}")
    module.__file__ = str(file)
    sys.modules[module.__name__] = module  # dataclasses and pickle look modules up by name
    try:
        with _neighbours(file.parent):
            exec(_compiled(file), module.__dict__)  # noqa: S102 - running the author's own bot is the purpose
    except SdkError:
        raise
    except Exception as error:
        raise BotNotLoaded(f"{file} cannot be loaded: {type(error).__name__}: {error}", _where(error, file)) from error
    return module


_CODE: Final[dict[tuple[Path, int], CodeType]] = {}


def _compiled(file: Path) -> CodeType:
    key = file, file.stat().st_mtime_ns
    if key not in _CODE:
        _CODE[key] = compile(file.read_bytes(), str(file), "exec")
    return _CODE[key]


def _where(error: BaseException, file: Path) -> str:
    """Name the line of the bot's own file where loading failed."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}"
    lines = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(file):
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f"line {lines[-1]}" if lines else ""


@contextmanager
def _neighbours(folder: Path) -> Iterator[None]:
    """Let modules beside the bot be imported while it loads, each seat getting its own copies."""
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file and Path(file).is_relative_to(folder):
                del sys.modules[name]


def _bot_class(module: ModuleType, source: BotSource) -> type[Bot]:
    """Return the one bot class a module defines."""
    classes = [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, Bot) and value.__module__ == module.__name__
    ]
    where = source.file or source.module
    if source.class_name:
        classes = [cls for cls in classes if cls.__name__ == source.class_name]
        if not classes:
            raise BotNotLoaded(f"{where} defines no bot class {source.class_name}", "")
    leaves = [cls for cls in classes if not any(other is not cls and issubclass(other, cls) for other in classes)]
    whole = [cls for cls in leaves if not inspect.isabstract(cls)]
    if len(whole) == 1:
        return whole[0]
    if whole:
        names = ", ".join(cls.__name__ for cls in whole)
        raise BotNotLoaded(f"{where} defines several bots: {names}", f"name one: {where}:{whole[0].__name__}")
    if leaves:
        raise BotNotLoaded(f"{where}: {leaves[0].__name__} has no method play", "add: def play(self, view, options)")
    raise BotNotLoaded(f"{where} defines no bot", "define a class that derives from guandan_sdk.Bot")
