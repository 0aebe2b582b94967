"""What a parameter of a rule set may be: closed domains that read plain values, write them and describe themselves.

A plain value is what a TOML file, a replay header or a protocol message can hold: text, whole numbers, flags, lists and
tables of these. What is absent is written ``"none"``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass
from enum import Enum
from typing import Any, Protocol, TypeAlias, TypeVar, cast, get_args

from guandan_engine.cards import Rank

T = TypeVar("T")
Plain: TypeAlias = "bool | int | str | list[Plain] | dict[str, Plain]"

NONE = "none"


class NotAllowed(ValueError):
    """A value outside its domain; ``path`` leads to it inside a structured value, outermost key first."""

    def __init__(self, given: object, allowed: str, path: tuple[str, ...] = ()) -> None:
        super().__init__(f"{given!r} is not allowed; allowed: {allowed}")
        self.given = given
        self.allowed = allowed
        self.path = path


class Domain(Protocol):
    """The values a parameter may have."""

    def read(self, given: object) -> object:
        """Return the value written as ``given``; raise NotAllowed."""

    def allowed(self) -> str:
        """Describe the values in one line, as they are written in a file."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a few values."""

    values: tuple[Any, ...]

    def read(self, given: object) -> object:
        """Return the value written as ``given``; raise NotAllowed."""
        for value in self.values:
            if type(plain(value)) is type(given) and plain(value) == given:
                return value
        raise NotAllowed(given, self.allowed())

    def allowed(self) -> str:
        """Describe the values as they are written in a file."""
        return ", ".join(written(value) for value in self.values)


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within limits."""

    least: int
    most: int

    def read(self, given: object) -> object:
        """Return the value written as ``given``; raise NotAllowed."""
        if type(given) is not int or not self.least <= given <= self.most:
            raise NotAllowed(given, self.allowed())
        return given

    def allowed(self) -> str:
        """Describe the values as they are written in a file."""
        return f"a whole number from {self.least} to {self.most}"


@dataclass(frozen=True, slots=True)
class OrNone:
    """A domain, or none."""

    inner: Domain

    def read(self, given: object) -> object:
        """Return the value written as ``given``; raise NotAllowed."""
        if given == NONE:
            return None
        try:
            return self.inner.read(given)
        except NotAllowed as error:
            raise NotAllowed(error.given, error.allowed if error.path else self.allowed(), error.path) from None

    def allowed(self) -> str:
        """Describe the values as they are written in a file."""
        return f'"{NONE}", {self.inner.allowed()}'


@dataclass(frozen=True, slots=True)
class Several:
    """A list of values of one domain, none twice unless ``repeats``; a set is put in the order of its domain."""

    values: tuple[Any, ...]
    least: int = 0
    ordered: bool = False
    repeats: bool = False

    def read(self, given: object) -> object:
        """Return the value written as ``given``; raise NotAllowed."""
        if not isinstance(given, list | tuple):
            raise NotAllowed(given, self.allowed())
        one = OneOf(self.values)
        read = [one.read(item) for item in given]
        if len(read) < self.least or (not self.repeats and len(set(read)) < len(read)):
            raise NotAllowed(given, self.allowed())
        return tuple(read) if self.ordered else tuple(value for value in self.values if value in read)

    def allowed(self) -> str:
        """Describe the values as they are written in a file."""
        few = f"at least {self.least}" if self.least else "any"
        kind = "a list, in order, of" if self.ordered else "a list of"
        again = "" if self.repeats else ", each once"
        return f"{kind} {few} of {OneOf(self.values).allowed()}{again}"


@dataclass(frozen=True, slots=True)
class Numbers:
    """A fixed number of whole numbers within limits."""

    count: int
    least: int
    most: int

    def read(self, given: object) -> object:
        """Return the value written as ``given``; raise NotAllowed."""
        if not isinstance(given, list | tuple) or len(given) != self.count:
            raise NotAllowed(given, self.allowed())
        return tuple(Whole(self.least, self.most).read(item) for item in given)

    def allowed(self) -> str:
        """Describe the values as they are written in a file."""
        return f"{self.count} whole numbers from {self.least} to {self.most}"


@dataclass(frozen=True, slots=True)
class Table:
    """A structured value: a table whose every key is a parameter of its own; keys left out take their defaults."""

    of: type[Any]

    def read(self, given: object) -> object:
        """Return the value written as ``given``; raise NotAllowed."""
        if not isinstance(given, Mapping):
            raise NotAllowed(given, self.allowed())
        known = {f.name: f for f in fields(self.of)}
        values = {}
        for key, value in given.items():
            if key not in known:
                raise NotAllowed(key, f"the keys {', '.join(known)}", (str(key),))
            try:
                values[key] = domain_of(known[key]).read(value)
            except NotAllowed as error:
                raise NotAllowed(error.given, error.allowed, (key, *error.path)) from None
        return self.of(**values)

    def allowed(self) -> str:
        """Describe the values as they are written in a file."""
        parts = (f"{f.name} = {domain_of(f).allowed()}" for f in fields(self.of))
        return f"a table with {'; '.join(parts)}"


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a rule set."""

    def read(self, given: object) -> object:
        """Return the value written as ``given``; raise NotAllowed."""
        if isinstance(given, str) and given.isidentifier() and given.isascii() and len(given) <= 40:
            return given
        raise NotAllowed(given, self.allowed())

    def allowed(self) -> str:
        """Describe the values as they are written in a file."""
        return "at most 40 letters, digits and _, a letter first"


def parameter(default: T, domain: Domain) -> T:
    """Declare a parameter of a rule set: its default, which is that of ``standard``, and what it may be."""
    return field(default=default, metadata={"domain": domain})


def choice(default: T, literal: object) -> T:
    """Declare a parameter that is one of the values of a ``Literal``."""
    return parameter(default, OneOf(get_args(literal)))


def flag(default: bool) -> bool:
    """Declare a parameter that is true or false."""
    return parameter(default, OneOf((True, False)))


def domain_of(of: Field[Any]) -> Domain:
    """Return what a declared parameter may be."""
    return cast("Domain", of.metadata["domain"])


def plain(value: object) -> Plain:
    """Return the plain form of a parameter's value."""
    if value is None:
        return NONE
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, bool | int | str):
        return value
    if is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    raise TypeError(f"{value!r} cannot stand in a rule set")


def written(value: object) -> str:
    """Return a value as it is written in a rule file."""
    return _toml(plain(value))


def _toml(value: Plain) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(part)}' for key, part in value.items())} }}"
    return str(value)


PLAIN_RANKS = tuple(Rank)[: Rank.ACE + 1]
