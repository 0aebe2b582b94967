"""One table with its bots: four sandboxes at four sockets, watched while the host plays the table."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from guandan_engine import replay, shuffle
from guandan_engine.board import MOST_DECISIONS, TableTask, entrant_of, points_of_a, side_of
from guandan_engine.conduct import Verdict
from guandan_engine.dealing import Dealt
from guandan_engine.events import DealEnded, DealStarted
from guandan_engine.exchange import Record, TableSpec
from guandan_engine.replay import Header, SeatName
from guandan_runner.errors import HarnessFault, RunnerError
from guandan_runner.feed import Feed
from guandan_runner.host import TableHost
from guandan_runner.playing import play_out
from guandan_runner.referee import Referee
from guandan_runner.reports import is_given_up, seat_end
from guandan_runner.results import BotFiles, MatchSpec, TableEnd
from guandan_runner.sandbox.seat import Evidence, Sandbox, SeatProcess, SeatSpec
from guandan_runner.sandbox.verdict import fault_of

__all__ = ["Seating", "part", "sweep", "watch"]

WATCH_S: Final = 5.0  # a watcher's thread looks up this often
PARTING_S: Final = 1.0  # how long a bot may take to exit by itself after its table

T = TypeVar("T")


class Seating:
    """Four seats at one table: ``prepare``, ``play``, ``finish``, and ``clear`` whatever happened."""

    def __init__(
        self,
        match: MatchSpec,
        task: TableTask,
        *,
        sandbox: Sandbox,
        threads: Executor,
        feed: Feed,
        referee: Referee,
    ) -> None:
        self.task = task
        self._match = match
        self._sandbox = sandbox
        self._threads = threads
        self._feed = feed
        self._referee = referee
        self._folder = Path(tempfile.mkdtemp(prefix=f"ga-{os.getpid()}-"))  # short: a socket's path may have 108 bytes
        self._host: TableHost | None = None
        self._starting: list[concurrent.futures.Future[SeatProcess]] = []
        self._watchers: list[asyncio.Task[None]] = []

    async def prepare(self) -> None:
        """Open the sockets and start the four bots; they connect and wait for the table to begin."""
        self._folder.chmod(0o711)
        folders = [self._folder / str(seat) for seat in range(4)]
        for folder in folders:
            folder.mkdir()
            folder.chmod(0o711)
        self._host = TableHost(self._table_spec(), folders, dealer=self._deal)
        await self._host.open()
        self._starting = [
            self._threads.submit(self._sandbox.start, self._seat_spec(seat, folder))
            for seat, folder in enumerate(folders)
        ]
        processes = await asyncio.gather(*map(asyncio.wrap_future, self._starting))
        self._watchers = [
            asyncio.create_task(watch(seat, process, self._host, self._threads))
            for seat, process in enumerate(processes)
        ]

    async def play(self) -> None:
        """Play the table to its end; raise HarnessFault when it takes longer than four slow bots could."""
        host, table_id = self._prepared(), self.task.table_id
        limit_ms = self._match.clocks.longest((len(self.task.deals) or 1) * MOST_DECISIONS)
        async with (
            self._feed.following(table_id, lambda: host.table.log, self._match.rules),
            self._referee.hearing(table_id, host.rule),
        ):
            await play_out([host.play()], self._watchers, limit_ms=limit_ms, name=f"table {table_id}")

    async def finish(self) -> TableEnd:
        """Let the bots go and gather what happened."""
        host = self._prepared()
        ends = await asyncio.gather(*(self._in_thread(partial(part, f.result())) for f in self._starting))
        await host.close()
        table = host.table
        if table.result is None:
            raise HarnessFault(f"table {self.task.table_id} was finished before its end")
        deals = sum(isinstance(record.event, DealStarted) for record in table.log)
        secrets = self.task.deals[:deals] or [self.task.deal_secret]
        a, b, c, d = (seat_end(seat, evidence, host) for seat, evidence in enumerate(ends))
        return TableEnd(
            task=self.task,
            end=table.result,
            points=points_of_a(table.result, self.task.way),
            order=_last_order(table.log),
            seats=(a, b, c, d),
            replay=await self._in_thread(partial(replay.write, self._header(), table.log, secrets=secrets)),
            pace=host.pace,
        )

    async def clear(self) -> None:
        """End every process, also those just being started, and remove the sockets."""
        for watcher in self._watchers:
            watcher.cancel()
        try:
            await self._in_thread(partial(_end_all, self._starting))
            await asyncio.gather(*self._watchers, return_exceptions=True)
        finally:
            try:
                if self._host:
                    await self._host.close()
            finally:
                shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def faulted(self) -> bool:
        """Whether a seat was given up at this table, as far as is known before its process has ended."""
        table = self._prepared().table
        return any(is_given_up(table, seat) for seat in range(4))

    @property
    def stood_empty(self) -> bool:
        """Whether seats of both entrants never came: bots of strangers started here at once, so it is likely ours.

        A remote bot that does not come is its owner's affair.
        """
        verdicts = self._prepared().table.verdicts
        absent = [seat for seat in range(4) if verdicts[seat] is Verdict.NEVER_CONNECTED]
        return len({side_of(seat) for seat in absent if not self._bot(seat).is_remote}) == 2

    def _prepared(self) -> TableHost:
        if self._host is None:
            raise HarnessFault(f"table {self.task.table_id} was not prepared")
        return self._host

    def _bot(self, seat: int) -> BotFiles:
        return (self._match.a, self._match.b)[entrant_of(seat, self.task.way)]

    def _seat_spec(self, seat: int, folder: Path) -> SeatSpec:
        bot = self._bot(seat)
        name = f"{self._folder.name}-{seat}"
        return SeatSpec(name, bot.folder, bot.entry, folder, bot.root, self.task.table_id, seat)

    def _table_spec(self) -> TableSpec:
        task = self.task
        return TableSpec(
            table_id=task.table_id,
            rules=self._match.rules,
            clocks=self._match.clocks,
            seeds=shuffle.seat_seeds(task.deal_secret, task.way),
            board=None if task.deals else shuffle.board(task.deal_secret, self._match.rules),
            deal_limit=len(task.deals) or None,
        )

    def _deal(self, number: int) -> Dealt:
        """Return a deal, from 1, of a classic match."""
        return shuffle.deal(self.task.deals[number - 1], self._match.rules)

    def _header(self) -> Header:
        a, b, c, d = (SeatName(self._bot(seat).name, self._bot(seat).digest) for seat in range(4))
        return Header(
            rules=self._match.rules,
            table=self.task.table_id,
            seats=(a, b, c, d),
            clocks=self._match.clocks,
            event=self._match.event_id,
            match=self._match.match_id,
            board=None if self.task.deals else self.task.board,
            deal_limit=len(self.task.deals) or None,
            way=self.task.way,
            label=self.task.label,
            commit=self._match.commitment,
            created=self._match.created,
        )

    async def _in_thread(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)


def sweep(*, older_than_s: float) -> int:
    """Remove the folders of tables whose worker was killed; return how many.

    Young ones are left alone, because their worker may live where it cannot be seen from here.
    """
    left = [folder for folder, pid in _folders() if not Path(f"/proc/{pid}").exists() and _age_s(folder) > older_than_s]
    for folder in left:
        shutil.rmtree(folder, ignore_errors=True)
    return len(left)


def _folders() -> Iterator[tuple[Path, str]]:
    for folder in Path(tempfile.gettempdir()).glob("ga-*-*"):
        named = re.fullmatch(r"ga-(\d+)-\w+", folder.name)
        if named:
            yield folder, named[1]


def _age_s(folder: Path) -> float:
    try:
        return time.time() - folder.lstat().st_mtime
    except FileNotFoundError:
        return 0.0


def _last_order(log: Sequence[Record]) -> tuple[int, int, int, int]:
    """Return the finishing order of the last deal that counted; that of the seats when none did."""
    ended = (record.event.order for record in reversed(log) if isinstance(record.event, DealEnded))
    return next(ended, (0, 1, 2, 3))


async def watch(seat: int, process: SeatProcess, host: TableHost, threads: Executor) -> None:
    """Tell the host when a seat's process ends during play: nobody will come back on its line."""
    loop = asyncio.get_running_loop()
    while not await loop.run_in_executor(threads, process.wait, WATCH_S):
        pass
    evidence = await loop.run_in_executor(threads, process.end)
    await host.seat_ended(seat, *fault_of(evidence))


def part(process: SeatProcess) -> Evidence:
    """Give a bot a moment to exit by itself, then end it."""
    process.wait(PARTING_S)
    return process.end()


def _end_all(starting: list[concurrent.futures.Future[SeatProcess]]) -> None:
    """Wait for every start that is under way, and end what it started; raise what could not be ended last of all."""
    concurrent.futures.wait(starting)
    faults: list[RunnerError] = []
    for start in starting:
        if start.cancelled() or start.exception():
            continue
        try:
            start.result().end()
        except RunnerError as fault:
            faults.append(fault)
    if faults:
        raise faults[0]
