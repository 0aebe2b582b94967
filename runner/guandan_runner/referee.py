"""Where a referee speaks to a running table: whoever plays one says who is heard."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeAlias

from guandan_engine.conduct.rulings import RefereeRuling

__all__ = ["Carry", "NoReferee", "Referee"]

Carry: TypeAlias = Callable[[RefereeRuling], str]
"""Has a ruling carried out at a table and returns what became of it: ``APPLIED``, or why it was not."""


class Referee(Protocol):
    """Has rulings carried out between the moves of a table."""

    def hearing(self, table_id: str, carry: Carry) -> AbstractAsyncContextManager[None]:
        """Have every ruling on a table carried out while the block runs, each once, in their order."""
        ...


class NoReferee:
    """Hears nobody."""

    @contextlib.asynccontextmanager
    async def hearing(self, table_id: str, carry: Carry) -> AsyncIterator[None]:
        """Let the block run."""
        del table_id, carry
        yield
