"""What an image says of itself: for which machine it is, how it is started, with which variables and where."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from guandan_runner.errors import BadArchive

__all__ = ["MOST_JSON_BYTES", "Config", "is_of_this_machine", "not_an_image", "parse_json", "require_machine"]

_ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64"}  # of machines, in the words of images
MOST_JSON_BYTES: Final = 1024 * 1024
_WORDS: Final = 64
_VARIABLES: Final = 200
_TEXT_BYTES: Final = 32 * 1024
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_HINT: Final = "write it with `docker save IMAGE -o image.tar`, `buildah push` or `skopeo copy` (oci-archive)"


@dataclass(frozen=True, slots=True)
class Config:
    """How an image's program is started: its command, its variables and the folder it starts in."""

    entry: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    folder: str

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Config:
        """Read the configuration of an image; raise BadArchive."""
        told = value.get("config") or {}
        if not isinstance(told, dict):
            raise not_an_image("its config is not a table")
        entry = (*_texts(told, "Entrypoint"), *_texts(told, "Cmd"))
        folder = told.get("WorkingDir") or "/"
        if not isinstance(folder, str) or not folder.startswith("/") or "\0" in folder:
            raise not_an_image(f"its WorkingDir is {folder!r:.120}")
        return cls(entry, tuple(map(_variable, _texts(told, "Env", most=_VARIABLES))), folder)

    def to_json(self) -> str:
        """Write it down beside the root it belongs to."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Config:
        """Read what ``to_json`` wrote."""
        value = json.loads(text)
        pairs = tuple((name, text) for name, text in value["environment"])
        return cls(tuple(value["entry"]), pairs, value["folder"])


def require_machine(value: Mapping[str, Any]) -> None:
    """Raise BadArchive when a configuration or a platform is not of this kind of machine."""
    if is_of_this_machine(value):
        return
    there = f"{value.get('os')}/{value.get('architecture')}"[:80]
    raise BadArchive(
        "image_other_machine",
        f"the image is for {there!r}, not for linux/{_architecture()}",
        f"build it with --platform linux/{_architecture()}",
    )


def is_of_this_machine(value: Mapping[str, Any]) -> bool:
    """Whether a configuration or a platform is of this kind of machine."""
    return (value.get("os"), value.get("architecture")) == ("linux", _architecture())


def _architecture() -> str:
    machine = os.uname().machine
    return _ARCHITECTURES.get(machine, machine)


def parse_json(data: bytes, what: str) -> Any:
    """Read a small JSON text of an image; raise BadArchive."""
    if len(data) > MOST_JSON_BYTES:
        raise not_an_image(f"{what} is larger than {MOST_JSON_BYTES // 1024} KB")
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise not_an_image(f"{what} is not JSON: {str(error)[:120]}") from error


def not_an_image(reason: str) -> BadArchive:
    """Say what is wrong with an image."""
    return BadArchive("not_an_image", f"bot.image is no image that can be read: {reason}", _HINT)


def _texts(told: Mapping[str, Any], key: str, *, most: int = _WORDS) -> tuple[str, ...]:
    value = told.get(key) or []
    if not isinstance(value, list) or not all(isinstance(item, str) and "\0" not in item for item in value):
        raise not_an_image(f"its {key} is {value!r:.120}, not a list of texts")
    if len(value) > most or sum(map(len, value)) > _TEXT_BYTES:
        raise not_an_image(f"its {key} is too long")
    return tuple(value)


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not _VARIABLE.fullmatch(name):
        raise not_an_image(f"its Env holds {text[:80]!r}, which is no NAME=VALUE")
    return name, value
