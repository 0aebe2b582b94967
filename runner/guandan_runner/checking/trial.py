"""A trial: one bot in its sandbox at a real table whose other three seats are ours and play from a fixed position."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from guandan_engine.actions import Ask
from guandan_engine.board import MOST_DECISIONS
from guandan_engine.clock import Clocks
from guandan_engine.events import Played
from guandan_engine.table import AskSeat, Refusal, TableSpec
from guandan_proto import codec
from guandan_proto.codec import Answered, Wishes
from guandan_runner.checking.positions import SEAT, Position
from guandan_runner.checking.process import started
from guandan_runner.checking.rows import Row, rows_of
from guandan_runner.checking.script import ScriptedSeat
from guandan_runner.errors import HarnessFault
from guandan_runner.host import TableHost
from guandan_runner.line import Line
from guandan_runner.reports import seat_end
from guandan_runner.results import BotFiles, SeatEnd
from guandan_runner.sandbox.seat import Sandbox, SeatSpec
from guandan_runner.seating import MARGIN_S, part, watch

REFUSAL: Final = "refused_by_check"
SEEDS: Final = (11, 12, 13, 14)


@dataclass(frozen=True, slots=True)
class TrialEnd:
    """What a trial showed of the bot.

    ``asked``: the rows of every request that was put to it, in order. ``wishes``: those of its Hello.
    ``answered_again``: whether it answered after the check had refused an answer, None when it did not come to that.
    ``owed``: whether it came down to so few cards that it owed the others their number; ``silent``: how often it said
    then that it would not tell. ``first_ms``: from the order to start until its first answer, None without one.
    """

    position: Position
    seat: SeatEnd
    asked: tuple[frozenset[Row], ...]
    wishes: Wishes
    answered_again: bool | None
    owed: bool
    silent: int
    first_ms: int | None

    @property
    def rows(self) -> frozenset[Row]:
        """All that it met, told answers included."""
        met = frozenset[Row]().union(*self.asked)
        told = {Row.REFUSAL: self.answered_again is not None, Row.ANNOUNCE: self.owed}
        return met | {row for row, holds in told.items() if holds}


class TrialHost(TableHost):
    """A table host that seats our own players without a wire, and may refuse one good answer of the bot."""

    def __init__(self, spec: TableSpec, folders: Sequence[Path], *, refuses: bool) -> None:
        super().__init__(spec, folders)
        self.asked: list[frozenset[Row]] = []
        self.answered_again: bool | None = None
        self.first_ns: int | None = None
        self._refuses = refuses
        self._refused_id: int | None = None
        self._to_refuse: int | None = None

    @property
    def wishes(self) -> Wishes:
        """What the bot wished in its Hello."""
        return self._lines[SEAT].wishes

    async def sit(self, seat: int, player: ScriptedSeat) -> None:
        """Hold a stream of a player of ours to its end."""
        await self.serve(self._lines[seat], player)

    def _ask(self, effect: AskSeat) -> None:
        question = effect.request.question
        if effect.seat == SEAT:
            self.asked.append(rows_of(question))
            choice = question.ask is Ask.PLAY and question.to_beat is not None and len(question.options) > 1
            if self._refuses and choice and self._refused_id is None:
                self._to_refuse = effect.request.id
        super()._ask(effect)

    def _answered(self, line: Line, answered: Answered, read_ns: int) -> None:
        if line.seat == SEAT:
            self.first_ns = self.first_ns or read_ns
            if answered.request_id == self._to_refuse and self._refused_id is None:
                self._refuse(line, answered.request_id)
                return
            if answered.request_id == self._refused_id:
                self.answered_again = True
        super()._answered(line, answered, read_ns)

    def _refuse(self, line: Line, request_id: int) -> None:
        """Refuse an answer without having it judged: the request stays open and its clock runs on."""
        self._refused_id, self.answered_again = request_id, False
        refusal = Refusal(
            request_id,
            REFUSAL,
            "this check refuses one answer, whatever it is",
            "answer the same request again",
            attempts_left=1,
        )
        line.send(codec.encode_refusal(refusal, table_id=self.spec.table_id))


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
    folder = Path(tempfile.mkdtemp(prefix=f"ga-{os.getpid()}-"))  # as tables name them, so that they are swept
    trial = _Trial(position, bot, folder, clocks=clocks, refuses=refuses, threads=threads)
    try:
        return await trial.play(sandbox)
    finally:
        await trial.clear()
        shutil.rmtree(folder, ignore_errors=True)


class _Trial:
    """What a trial holds while it plays."""

    def __init__(
        self,
        position: Position,
        bot: BotFiles,
        folder: Path,
        *,
        clocks: Clocks,
        refuses: bool,
        threads: Executor,
    ) -> None:
        self._position = position
        self._bot = bot
        self._folder = folder
        self._threads = threads
        self._clocks = clocks
        spec = TableSpec(table_id="check", rules=position.rules, clocks=clocks, seeds=SEEDS, board=position.board)
        self._folders = [folder / str(seat) for seat in range(4)]
        self._host = TrialHost(spec, self._folders, refuses=refuses)
        self._tasks: list[asyncio.Task[None]] = []

    async def play(self, sandbox: Sandbox) -> TrialEnd:
        """Start the bot and play."""
        self._folder.chmod(0o711)
        for folder in self._folders:
            folder.mkdir()
            folder.chmod(0o711)
        await self._host.open()
        ordered_ns = time.monotonic_ns()
        spec = SeatSpec(
            f"{self._folder.name}-{SEAT}", self._bot.folder, self._bot.entry, self._folders[SEAT], self._bot.root
        )
        async with started(spec, sandbox=sandbox, threads=self._threads) as process:
            self._tasks.append(asyncio.create_task(watch(SEAT, process, self._host, self._threads)))
            for seat, ours in self._position.parts.items():
                player = ScriptedSeat(ours, self._position.rules)
                self._tasks.append(asyncio.create_task(self._host.sit(seat, player)))
            await self._play_out()
            evidence = await asyncio.get_running_loop().run_in_executor(self._threads, part, process)
        return self._end(seat_end(SEAT, evidence, self._host), ordered_ns)

    async def _play_out(self) -> None:
        limit_s = self._clocks.longest(MOST_DECISIONS) / 1000 + MARGIN_S
        playing = asyncio.create_task(self._host.play())
        try:
            async with asyncio.timeout(limit_s) as limit:
                under_way = {playing, *self._tasks}
                while not playing.done():
                    done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                    for task in done:
                        task.result()
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise HarnessFault(f"the check's table stood still: no end after {limit_s:g} s") from error
        finally:
            playing.cancel()

    def _end(self, seat: SeatEnd, ordered_ns: int) -> TrialEnd:
        host = self._host
        for other in self._position.parts:
            if host.refusals(other)[0]:
                raise HarnessFault(
                    f"{self._position.name}: seat {other} is ours and was refused: {host.refusals(other)[1]}"
                )
        first = None if host.first_ns is None else (host.first_ns - ordered_ns) // 1_000_000
        mine = [r.event for r in host.table.log if isinstance(r.event, Played) and r.event.seat == SEAT]
        few = self._position.rules.announce_max
        return TrialEnd(
            self._position,
            seat,
            tuple(host.asked),
            host.wishes,
            host.answered_again,
            any(event.left is not None and 0 < event.left <= few for event in mine),
            sum(event.silent for event in mine),
            first,
        )

    async def clear(self) -> None:
        """End whatever is under way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._host.close()
