"""Reading rule sets: presets by name, TOML text, plain dictionaries; refusing what is not allowed, on its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from guandan_engine.errors import InvalidRules
from guandan_engine.rules.contradictions import contradiction
from guandan_engine.rules.parameter import NotAllowed, domain_of, written
from guandan_engine.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from pathlib import Path

BASE: Final = "base"
TITLES: Final = ("title", "title_zh")


def presets() -> tuple[str, ...]:
    """Return the names of the rule sets shipped with the engine."""
    return tuple(sorted(path.stem for path in _folder().glob("*.toml")))


@cache
def _folder() -> Path:
    from pathlib import Path  # noqa: PLC0415  (slow to import; the engine is imported in places that load no rules)

    return Path(__file__).parent / "presets"


@cache
def load(name: str) -> RuleSet:
    """Return a preset; raise InvalidRules when there is none of that name."""
    return parse(preset_text(name))


def preset_text(name: str) -> str:
    """Return the file of a preset; raise InvalidRules when there is none of that name."""
    if name not in presets():
        raise InvalidRules(f"there is no rule set {name!r}; the presets are {', '.join(presets())}")
    return (_folder() / f"{name}.toml").read_text(encoding="utf-8")


@cache
def titles(name: str) -> tuple[str, str]:
    """Return what a preset is called in English and in Chinese."""
    table = tomllib.loads(preset_text(name))
    return (str(table.get(TITLES[0], name)), str(table.get(TITLES[1], name)))


def parse(text: str) -> RuleSet:
    """Read a rule set from TOML. Parameters left out are those of the ``base`` it names, else of ``standard``."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidRules(f"not TOML: {error}") from error
    given = {key: value for key, value in table.items() if key not in (BASE, *TITLES)}
    for key in TITLES:
        if not isinstance(table.get(key, ""), str):
            raise InvalidRules(f"{_line(text, (key,))}{key} = {written(table[key])} is not allowed; allowed: a text")
    try:
        return _build(given, _base(table.get(BASE)))
    except _Refusal as refusal:
        raise InvalidRules(f"{_line(text, refusal.path)}{refusal}") from None


def from_dict(table: Mapping[str, object]) -> RuleSet:
    """Build a rule set from plain values; raise InvalidRules for an unknown key or a value that is not allowed."""
    try:
        return _build(table, RuleSet())
    except _Refusal as refusal:
        raise InvalidRules(str(refusal)) from None


class _Refusal(Exception):
    """A rule set is refused because of the value at ``path``."""

    def __init__(self, path: tuple[str, ...], reason: str) -> None:
        super().__init__(reason)
        self.path = path


def _base(name: object) -> RuleSet:
    if name is None:
        return RuleSet()
    if name not in presets():
        allowed = ", ".join(presets())
        raise _Refusal((BASE,), f"{BASE} = {name!r} is not allowed; allowed: {allowed}")
    return load(str(name))


def _build(table: Mapping[str, object], base: RuleSet) -> RuleSet:
    known = {f.name: f for f in fields(RuleSet)}
    values: dict[str, Any] = {name: getattr(base, name) for name in known}
    for key, given in table.items():
        if key not in known:
            raise _Refusal((key,), _unknown(key, known))
        try:
            values[key] = domain_of(known[key]).read(given)
        except NotAllowed as error:
            path = (key, *error.path)
            raise _Refusal(path, f"{'.'.join(path)} = {error}") from None
    rules = RuleSet(**values)
    broken = contradiction(rules)
    if broken:
        blamed = next((key for key in broken.keys if key in table), broken.keys[0])
        raise _Refusal((blamed,), broken.text(rules))
    return rules


def _unknown(key: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  (slow to import, and needed only here)

    near = get_close_matches(key, known, n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    return f"unknown parameter {key!r}{meant}; the parameters are {', '.join(known)}"


def _line(text: str, path: tuple[str, ...]) -> str:
    """Return ``line 7: `` for the line where a key stands, '' when it stands nowhere."""
    key, section = path[-1], path[:-1]
    current: tuple[str, ...] = ()
    fallback = ""
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.fullmatch(r"\s*\[\s*([\w.-]+)\s*\]\s*(#.*)?", line)
        if header:
            current = tuple(header[1].split("."))
            if current == path:
                return f"line {number}: "
        elif current == section and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return f"line {number}: "
        elif not current and section and re.match(rf"\s*{re.escape(section[0])}(\.[\w.]+)?\s*=", line):
            fallback = fallback or f"line {number}: "
    return fallback
