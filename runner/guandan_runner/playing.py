"""Tables played to their end, with what goes on beside them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, Final

from guandan_runner.errors import HarnessFault

__all__ = ["MARGIN_S", "play_out"]

MARGIN_S: Final = 60.0  # what a table may take beyond all the time that its seats have


async def play_out(
    tables: Sequence[Coroutine[Any, Any, None]], beside: Iterable[asyncio.Task[None]], *, limit_ms: int, name: str
) -> None:
    """Play tables until all have ended; what breaks at one or beside them ends them all.

    Raise HarnessFault when it takes longer than ``limit_ms``, which is all the time that the seats have, and a margin.
    """
    limit_s = limit_ms / 1000 + MARGIN_S
    playing = [asyncio.create_task(table) for table in tables]
    under_way = {*playing, *beside}
    try:
        async with asyncio.timeout(limit_s) as limit:
            while not all(table.done() for table in playing):
                done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise HarnessFault(f"{name} stood still: no end after {limit_s:g} s") from error
    finally:
        for table in playing:
            table.cancel()
