"""A trial: one bot in its sandbox at a real table whose other three seats are ours and play from a fixed position."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import grpc

from guandan_engine.board import MOST_DECISIONS
from guandan_engine.clock import Clocks
from guandan_engine.events import Played
from guandan_engine.exchange import TableSpec
from guandan_proto.codec import Wishes
from guandan_runner.checking.positions import SEAT, Position
from guandan_runner.checking.process import started
from guandan_runner.checking.rows import Row
from guandan_runner.checking.script import ScriptedSeat
from guandan_runner.checking.shared import open_shared
from guandan_runner.checking.trial_host import TrialHost
from guandan_runner.errors import HarnessFault
from guandan_runner.playing import play_out
from guandan_runner.reports import seat_end
from guandan_runner.results import BotFiles, SeatEnd
from guandan_runner.sandbox.seat import Sandbox, SeatSpec
from guandan_runner.seating import part, watch

__all__ = ["TrialEnd", "play_batch", "play_trial"]

SEEDS: Final = (11, 12, 13, 14)


@dataclass(frozen=True, slots=True)
class TrialEnd:
    """What a trial showed of the bot.

    ``asked``: the rows of every request that was put to it, in order. ``wishes``: those of its Hello.
    ``answered_again``: whether it answered after the check had refused an answer, None when it did not come to that.
    ``owed``: whether it came down to so few cards that it owed the others their number; ``silent``: how often it said
    then that it would not tell. ``first_ms``: from the order to start until its first answer, None without one.
    ``batched``: whether it played at other tables at the same time.
    """

    position: Position
    seat: SeatEnd
    asked: tuple[frozenset[Row], ...]
    wishes: Wishes
    answered_again: bool | None
    owed: bool
    silent: int
    first_ms: int | None
    batched: bool = False

    @property
    def rows(self) -> frozenset[Row]:
        """All that it met, told answers included."""
        met = frozenset[Row]().union(*self.asked)
        told = {Row.REFUSAL: self.answered_again is not None, Row.ANNOUNCE: self.owed, Row.BATCH: self.batched}
        return met | {row for row, holds in told.items() if holds}


async def play_trial(
    position: Position,
    bot: BotFiles,
    *,
    sandbox: Sandbox,
    clocks: Clocks,
    threads: Executor,
    refuses: bool = False,
) -> TrialEnd:
    """Play a position to the end of its deal; raise HarnessFault or InfrastructureFault when we fail."""
    (end,) = await _played((position,), bot, sandbox=sandbox, clocks=clocks, threads=threads, refuses=refuses)
    return end


async def play_batch(
    positions: tuple[Position, ...],
    bot: BotFiles,
    *,
    sandbox: Sandbox,
    clocks: Clocks,
    threads: Executor,
) -> tuple[TrialEnd, ...]:
    """Play several positions at once with one process of the bot, over one stream; otherwise as ``play_trial``."""
    return await _played(positions, bot, sandbox=sandbox, clocks=clocks, threads=threads)


async def _played(
    positions: tuple[Position, ...],
    bot: BotFiles,
    *,
    sandbox: Sandbox,
    clocks: Clocks,
    threads: Executor,
    refuses: bool = False,
) -> tuple[TrialEnd, ...]:
    folder = Path(tempfile.mkdtemp(prefix=f"ga-{os.getpid()}-"))  # as tables name them, so that they are swept
    trial = _Trial(positions, folder, clocks=clocks, refuses=refuses, threads=threads)
    try:
        return await trial.play(bot, sandbox)
    finally:
        await trial.clear()
        shutil.rmtree(folder, ignore_errors=True)


class _Trial:
    """What a trial holds while it plays: a host for each position, and a socket that several share."""

    def __init__(
        self, positions: tuple[Position, ...], folder: Path, *, clocks: Clocks, refuses: bool, threads: Executor
    ) -> None:
        self._folder = folder
        self._threads = threads
        self._clocks = clocks
        self._folders = [folder / str(seat) for seat in range(4)]
        self._hosts = [
            (position, TrialHost(_spec(position, number, clocks), self._folders, refuses=refuses))
            for number, position in enumerate(positions, 1)
        ]
        self._shared: grpc.aio.Server | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def play(self, bot: BotFiles, sandbox: Sandbox) -> tuple[TrialEnd, ...]:
        """Start the bot and play."""
        for folder in (self._folder, *self._folders):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o711)
        if len(self._hosts) == 1:
            await self._hosts[0][1].open()
        else:
            self._shared = await open_shared([host for _, host in self._hosts], self._folders[SEAT])
        ordered_ns = time.monotonic_ns()
        spec = SeatSpec(f"{self._folder.name}-{SEAT}", bot.folder, bot.entry, self._folders[SEAT], bot.root)
        async with started(spec, sandbox=sandbox, threads=self._threads) as process:
            for position, host in self._hosts:
                self._tasks.append(asyncio.create_task(watch(SEAT, process, host, self._threads)))
                for seat, ours in position.parts.items():
                    player = ScriptedSeat(ours, position.rules)
                    self._tasks.append(asyncio.create_task(host.sit(seat, player)))
            limit_ms = self._clocks.longest(MOST_DECISIONS)
            tables = [host.play() for _, host in self._hosts]
            await play_out(tables, self._tasks, limit_ms=limit_ms, name="the check's table")
            evidence = await asyncio.get_running_loop().run_in_executor(self._threads, part, process)
        ends = (_end(position, host, seat_end(SEAT, evidence, host), ordered_ns) for position, host in self._hosts)
        return tuple(replace(end, batched=len(self._hosts) > 1) for end in ends)

    async def clear(self) -> None:
        """End whatever is under way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for _, host in self._hosts:
            await host.close()
        shared, self._shared = self._shared, None  # forgotten while its event loop runs, as a host forgets its own
        if shared is not None:
            await shared.stop(None)


def _spec(position: Position, number: int, clocks: Clocks) -> TableSpec:
    return TableSpec(table_id=f"check/{number}", rules=position.rules, clocks=clocks, seeds=SEEDS, board=position.board)


def _end(position: Position, host: TrialHost, seat: SeatEnd, ordered_ns: int) -> TrialEnd:
    """Say what a trial has shown; raise HarnessFault when a seat of ours was at fault."""
    ours = [f"seat {other}: {host.refusals(other)[1]}" for other in position.parts if host.refusals(other)[0]]
    ours += [f"seat {fault.seat}: {fault.detail}" for fault in host.table.evidence if fault.seat != SEAT]
    if ours:
        raise HarnessFault(f"{position.name}: {'; '.join(ours)}")
    mine = [r.event for r in host.table.log if isinstance(r.event, Played) and r.event.seat == SEAT]
    few = position.rules.announce_max
    return TrialEnd(
        position,
        seat,
        tuple(host.asked),
        host.wishes,
        host.answered_again,
        any(event.left is not None and 0 < event.left <= few for event in mine),
        sum(event.silent for event in mine),
        None if host.first_ns is None else (host.first_ns - ordered_ns) // 1_000_000,
    )
