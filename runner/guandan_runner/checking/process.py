"""One process of the bot in its sandbox, which is ended whatever happens to the check."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Executor
from contextlib import asynccontextmanager

from guandan_runner.sandbox.seat import Sandbox, SeatProcess, SeatSpec

__all__ = ["started"]


@asynccontextmanager
async def started(spec: SeatSpec, *, sandbox: Sandbox, threads: Executor) -> AsyncIterator[SeatProcess]:
    """Start a process and end it after the block; one whose start is under way when we are cancelled is ended too."""
    loop = asyncio.get_running_loop()
    starting = loop.run_in_executor(threads, sandbox.start, spec)
    try:
        process = await asyncio.shield(starting)
    except asyncio.CancelledError:
        process = await starting
        await loop.run_in_executor(threads, process.end)
        raise
    try:
        yield process
    finally:
        await loop.run_in_executor(threads, process.end)
