"""Working under a lease: it is renewed in the background, and losing it ends the work."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import structlog
import uvloop

from guandan_arena import errors
from guandan_runner.errors import InfrastructureFault
from guandan_workers.errors import LeaseLost

T = TypeVar("T")
LOG = structlog.get_logger(__name__)


def work_under_lease(
    work: Callable[[], Coroutine[Any, Any, T]],
    renew: Callable[[], object],
    *,
    every_ms: int,
    lease_ms: int,
    limit_ms: int,
) -> T:
    """Run a coroutine to its end in a fresh event loop, calling ``renew`` in a thread meanwhile.

    Raises LeaseLost when another attempt has begun or the lease could not be renewed while it lasted, and
    InfrastructureFault when the work takes longer than ``limit_ms``.
    """

    async def guarded() -> T:
        working = asyncio.create_task(work())
        renewing = asyncio.create_task(_renew_for_ever(renew, every_s=every_ms / 1000, lease_s=lease_ms / 1000))
        try:
            await asyncio.wait({working, renewing}, timeout=limit_ms / 1000, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                return working.result()
            working.cancel()
            await asyncio.wait({working})
            if renewing.done():
                renewing.result()
            raise InfrastructureFault(f"not finished within {limit_ms} ms")
        finally:
            renewing.cancel()
            working.cancel()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(guarded())


async def _renew_for_ever(renew: Callable[[], object], *, every_s: float, lease_s: float) -> None:
    """Renew until cancelled. A database that does not answer is forgiven while the lease lasts."""
    until = time.monotonic() + lease_s
    while True:
        await asyncio.sleep(every_s)
        asked = time.monotonic()
        try:
            await asyncio.to_thread(renew)
            until = asked + lease_s
        except errors.LeaseLost as error:
            raise LeaseLost(error.reason) from error
        except errors.Unavailable as error:
            LOG.warning("lease not renewed", reason=error.reason)
            if time.monotonic() > until:
                raise LeaseLost("the lease ended while it could not be renewed") from error
