"""Playing a match: table after table with real bot processes, the next table's bots starting while one plays."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import uvloop

from guandan_runner.errors import InfrastructureFault, RunnerError
from guandan_runner.feed import Feed
from guandan_runner.referee import NoReferee, Referee
from guandan_runner.results import MatchEnd, MatchSpec, TableEnd, end_of
from guandan_runner.sandbox.policy import Policy
from guandan_runner.sandbox.seat import Sandbox
from guandan_runner.seating import Seating

__all__ = ["play_match", "run_match"]

THREADS_PER_TABLE: Final = 12  # one watcher for each seat, and as many to start and to end them


def run_match(
    spec: MatchSpec,
    *,
    sandbox: Sandbox,
    policy: Policy,
    feed: Feed | None = None,
    referee: Referee | None = None,
) -> MatchEnd:
    """Play a match in an event loop of its own; see ``play_match``."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(play_match(spec, sandbox=sandbox, policy=policy, feed=feed, referee=referee))


async def play_match(
    spec: MatchSpec,
    *,
    sandbox: Sandbox,
    policy: Policy,
    feed: Feed | None = None,
    referee: Referee | None = None,
) -> MatchEnd:
    """Play all tables of a match in order.

    A bot's fault ends in its seat's verdict. HarnessFault and InfrastructureFault end the match without a result;
    however it ends, no bot is left running.
    """
    with ThreadPoolExecutor(THREADS_PER_TABLE * (policy.tables_ahead + 2), "match") as threads:
        tables = _Tables(
            spec,
            sandbox=sandbox,
            threads=threads,
            ahead=policy.tables_ahead,
            feed=feed or Feed(),
            referee=referee or NoReferee(),
        )
        try:
            return await tables.play_all()
        finally:
            await tables.clear()


class _Tables:
    """The tables of a match: some behind (their bots going home), one playing, some ahead (their bots coming)."""

    def __init__(
        self,
        spec: MatchSpec,
        *,
        sandbox: Sandbox,
        threads: ThreadPoolExecutor,
        ahead: int,
        feed: Feed,
        referee: Referee,
    ) -> None:
        self._spec = spec
        self._sandbox = sandbox
        self._threads = threads
        self._ahead = ahead
        self._feed = feed
        self._referee = referee
        self._seatings: list[Seating] = []
        self._preparing: list[asyncio.Task[None]] = []
        self._finishing: list[asyncio.Task[TableEnd]] = []

    async def play_all(self) -> MatchEnd:
        """Play table after table, until a bot's fault has lost the rest, and return how each ended."""
        for i in range(len(self._spec.tables)):
            self._prepare_up_to(i)
            await self._preparing[i]
            self._prepare_up_to(i + self._ahead)
            await self._seatings[i].play()
            if self._spec.ends_at_fault and self._seatings[i].stood_empty:
                waited = self._spec.clocks.connect_ms
                raise InfrastructureFault(
                    f"bots of both sides were not there after {waited} ms: is the machine loaded?"
                )
            self._finishing.append(asyncio.create_task(self._finish(self._seatings[i])))
            if self._spec.ends_at_fault and self._seatings[i].faulted:
                break
        return end_of(self._spec, await asyncio.gather(*self._finishing))

    async def clear(self) -> None:
        """End whatever is under way."""
        for task in (*self._preparing, *self._finishing):
            task.cancel()
        await asyncio.gather(*self._preparing, *self._finishing, return_exceptions=True)
        cleared = await asyncio.gather(*(seating.clear() for seating in self._seatings), return_exceptions=True)
        for outcome in cleared:
            if isinstance(outcome, BaseException) and not isinstance(outcome, RunnerError):
                raise outcome

    def _prepare_up_to(self, last: int) -> None:
        for task in self._spec.tables[len(self._seatings) : last + 1]:
            seating = Seating(
                self._spec,
                task,
                sandbox=self._sandbox,
                threads=self._threads,
                feed=self._feed,
                referee=self._referee,
            )
            self._seatings.append(seating)
            self._preparing.append(asyncio.create_task(seating.prepare()))

    async def _finish(self, seating: Seating) -> TableEnd:
        try:
            return await seating.finish()
        finally:
            await seating.clear()
