"""What parameters and their values are called, in English and Chinese; the words stand in ``words.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from guandan_engine.rules.parameter import Plain
from guandan_engine.rules.ruleset import RuleSet

__all__ = ["Language", "differences", "parameter_text", "value_text"]

Language: TypeAlias = Literal["en", "zh"]
_COMMAS: Final = {"en": ", ", "zh": "、"}


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def parameter_text(parameter: str, language: Language = "en") -> str:
    """Return what a parameter is called."""
    return _in(_words()[parameter]["name"], language)


def value_text(parameter: str, value: Plain, language: Language = "en") -> str:
    """Return what a value, as ``RuleSet.as_dict`` gives it, means to a player."""
    words = _words()[parameter]
    if isinstance(value, dict):
        parts = {key: _value(words.get(key, {}), part, language) for key, part in value.items()}
        rest = [part for part in list(value.values())[1:] if isinstance(part, int)]
        form = "short" if "short" in words and not any(rest) else "parts"
        return _in(words[form], language).format(**parts)
    if isinstance(value, list) and "n" in words:
        return _in(words["n"], language).format(*value)
    if isinstance(value, list):
        shown = _COMMAS[language].join(_value(words, item, language) for item in value)
        return shown or _in(words["empty"], language)
    return _value(words, value, language)


def _value(words: dict[str, Any], value: Plain, language: Language) -> str:
    """Return the words for one value; a rank or a number without words is written as it is."""
    key = str(value).lower() if isinstance(value, bool) else str(value)
    if key in words:
        return _in(words[key], language)
    return _in(words["n"], language).format(value) if "n" in words else key


def _in(both: list[str], language: Language) -> str:
    return both[language == "zh"]


def differences(a: RuleSet, b: RuleSet) -> tuple[tuple[str, Plain, Plain], ...]:
    """Return the parameters in which two rule sets differ, with both plain values; names aside."""
    left, right = a.as_dict(), b.as_dict()
    return tuple((key, left[key], right[key]) for key in left if key != "name" and left[key] != right[key])
