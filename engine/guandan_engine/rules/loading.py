"""Reading rule sets: presets by name, TOML text, plain dictionaries; refusing what the engine cannot play."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import Field, fields
from functools import cache
from importlib.resources import files
from typing import Any

from guandan_engine.errors import InvalidRules
from guandan_engine.rules.ruleset import RuleSet, plain


def presets() -> tuple[str, ...]:
    """Return the names of the rule sets shipped with the engine."""
    folder = files("guandan_engine.rules").joinpath("presets")
    return tuple(sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml")))


@cache
def load(name: str) -> RuleSet:
    """Return a preset; raise InvalidRules when there is none of that name."""
    if name not in presets():
        raise InvalidRules(f"there is no rule set {name!r}; the presets are {', '.join(presets())}")
    return parse(files("guandan_engine.rules").joinpath("presets", f"{name}.toml").read_text(encoding="utf-8"))


def parse(text: str) -> RuleSet:
    """Read a rule set from TOML: a flat table, parameters left out take the value of ``standard``."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidRules(f"not TOML: {error}") from error
    return from_dict(table)


def from_dict(table: Mapping[str, object]) -> RuleSet:
    """Build a rule set from plain values; raise InvalidRules for an unknown key or a value that is not allowed."""
    known = {f.name: f for f in fields(RuleSet)}
    for key in table:
        if key not in known:
            raise InvalidRules(f"unknown parameter {key!r}; the parameters are {', '.join(known)}")
    values: dict[str, Any] = {key: _value(known[key], given) for key, given in table.items()}
    return RuleSet(**values)


def _value(parameter: Field[Any], given: object) -> object:
    """Return the allowed value that is written as ``given``."""
    if parameter.name == "name":
        return _name(given)
    allowed = parameter.metadata["allowed"]
    for value in allowed:
        if _alike(plain(value), given):
            return value
    listed = ", ".join(repr(plain(value)) for value in allowed)
    raise InvalidRules(f"{parameter.name} = {given!r} is not allowed; allowed: {listed}")


def _alike(a: object, b: object) -> bool:
    """Whether two plain values are equal and of equal types: true is not 1."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_alike, a, b))
    return type(a) is type(b) and a == b


def _name(given: object) -> str:
    if isinstance(given, str) and given.isidentifier() and given.isascii() and len(given) <= 40:
        return given
    raise InvalidRules(f"name = {given!r} is not allowed; allowed: at most 40 letters, digits and _, a letter first")
