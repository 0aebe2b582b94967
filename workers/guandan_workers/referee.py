"""The ear of a running table: it has referees' rulings carried out between moves, and says what became of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

import structlog

from guandan_arena.errors import InvalidArgument, Unavailable
from guandan_arena.ports import Rulings
from guandan_arena.services import rulings as services
from guandan_runner.referee import Carry

LOG = structlog.get_logger(__name__)
EVERY_S: Final = 0.5


class ArenaReferee:
    """Polls in the background, in a thread: a slow server must not hold up a table."""

    def __init__(self, rulings: Rulings) -> None:
        self._rulings = rulings

    @contextlib.asynccontextmanager
    async def hearing(self, table_id: str, carry: Carry) -> AsyncIterator[None]:
        """Have every ruling on a table carried out while the block runs, each once, in their order."""
        listener = asyncio.create_task(self._listen(table_id, carry, self._rulings))
        try:
            yield
        finally:
            listener.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listener

    async def _listen(self, table_id: str, carry: Carry, rulings: Rulings) -> None:
        heard, silent = "0", False
        while True:
            await asyncio.sleep(EVERY_S)
            try:
                for entry in await asyncio.to_thread(rulings.read, table_id, after=heard):
                    heard = entry.id
                    await self._carried(table_id, entry.line, carry, rulings)
                silent = False
            except Unavailable as error:
                if not silent:
                    LOG.warning("no rulings are heard", table=table_id, reason=error.reason)
                silent = True

    async def _carried(self, table_id: str, text: str, carry: Carry, rulings: Rulings) -> None:
        try:
            ruling = services.read(text)
        except InvalidArgument as error:
            LOG.warning("a ruling that is none", table=table_id, reason=error.reason)
            return
        answer = carry(ruling)
        LOG.info("a referee has ruled", table=table_id, ruling=ruling.id, answer=answer)
        await asyncio.to_thread(rulings.answer, table_id, ruling.id, answer)
