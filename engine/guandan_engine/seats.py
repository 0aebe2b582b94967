"""Values of the four seats, in the order of their numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, TypeVar

T = TypeVar("T")

__all__ = ["Four", "four", "put"]

Four: TypeAlias = tuple[T, T, T, T]


def four(values: Iterable[T]) -> Four[T]:
    """Return exactly four values as a tuple."""
    a, b, c, d = values
    return (a, b, c, d)


def put(values: Four[T], seat: int, value: T) -> Four[T]:
    """Return the four values with that of one seat replaced."""
    changed = list(values)
    changed[seat] = value
    return four(changed)
