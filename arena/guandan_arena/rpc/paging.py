"""Pages of a list: the token of the next page is the offset it starts at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from guandan_arena.errors import InvalidArgument

T = TypeVar("T")

DEFAULT_SIZE: Final = 50
LARGEST_SIZE: Final = 200
_LAST_OFFSET: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list is wanted."""

    offset: int
    size: int

    @classmethod
    def parse(cls, size: int, token: str) -> Page:
        """Read the two fields every list request has; more than the largest size gives the largest."""
        wanted = min(size or DEFAULT_SIZE, LARGEST_SIZE)
        if not token:
            return cls(0, wanted)
        if not (token.isascii() and token.isdigit() and len(token) <= 7 and int(token) <= _LAST_OFFSET):
            hint = "send next_page_token of the page before, or nothing for the first page"
            raise InvalidArgument("page_token_unknown", f"{token!r} is not a page token", hint)
        return cls(int(token), wanted)

    @property
    def fetch(self) -> int:
        """How many items to ask for: one more than wanted tells whether there is another page."""
        return self.size + 1

    def cut(self, items: Sequence[T]) -> tuple[Sequence[T], str]:
        """Return the items of this page and the token of the next, empty when this is the last."""
        if len(items) <= self.size:
            return items, ""
        return items[: self.size], str(self.offset + self.size)
