"""The check of a version: the same stages on an author's machine and on a server."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop

from guandan_engine.clock import STANDARD, Clocks
from guandan_engine.rules import RuleSet
from guandan_runner.checking import conformity, limits
from guandan_runner.checking.boards import BoardsEnd, play_boards, reference
from guandan_runner.checking.positions import POSITIONS, Position
from guandan_runner.checking.report import Report
from guandan_runner.checking.rows import Row
from guandan_runner.checking.stages import Outcome, Progress, Silent, Stage, StageEnd
from guandan_runner.checking.static import check_static
from guandan_runner.checking.trial import TrialEnd, play_batch, play_trial
from guandan_runner.results import BotFiles
from guandan_runner.sandbox.policy import Policy
from guandan_runner.sandbox.seat import Sandbox

__all__ = ["CheckSpec", "check_bot", "run_check"]

THREADS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSpec:
    """What is checked: an unpacked bot, at boards that follow from ``secret``.

    ``batch``: whether its ``bot.toml`` says that one process may answer for several tables at once.
    """

    bot: BotFiles
    rules: RuleSet
    secret: bytes
    boards: int
    batch: bool = False
    clocks: Clocks = STANDARD


def run_check(
    spec: CheckSpec,
    *,
    sandbox: Sandbox,
    policy: Policy,
    progress: Progress | None = None,
    before: tuple[StageEnd, ...] = (),
) -> Report:
    """Check in an event loop of its own; see ``check_bot``. Ctrl-C ends every process first."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(check_bot(spec, sandbox=sandbox, policy=policy, progress=progress, before=before))


class Failed(Exception):
    """A stage has failed: the check ends."""


async def check_bot(
    spec: CheckSpec,
    *,
    sandbox: Sandbox,
    policy: Policy,
    progress: Progress | None = None,
    before: tuple[StageEnd, ...] = (),
) -> Report:
    """Go through the stages after unpacking, until one fails; ``before`` are the stages that are over already.

    Raises HarnessFault and InfrastructureFault when we fail. However it ends, no bot is left running.
    """
    check = _Check(spec, sandbox, policy, progress or Silent())
    check.ends += before
    # Named as tables are, so that what a killed worker leaves is swept away.
    with TemporaryDirectory(prefix=f"ga-{os.getpid()}-") as folder, ThreadPoolExecutor(THREADS, "check") as threads:
        opponent = Path(folder)
        opponent.chmod(0o755)
        try:
            await check.static(threads)
            await check.conformity(threads)
            await check.boards(opponent)
            check.limits()
        except Failed:
            pass
    return check.report()


@dataclass(slots=True)
class _Check:
    """What a check has found so far."""

    spec: CheckSpec
    sandbox: Sandbox
    policy: Policy
    progress: Progress
    ends: list[StageEnd] = field(default_factory=list)
    trials: list[TrialEnd] = field(default_factory=list)
    found: conformity.Conformity | None = None
    played: BoardsEnd | None = None
    usage: limits.Usage | None = None

    async def static(self, threads: ThreadPoolExecutor) -> None:
        """Read the files."""
        with self._stage(Stage.STATIC) as stage:
            stage.end = await check_static(self.spec.bot, sandbox=self.sandbox, threads=threads)

    async def conformity(self, threads: ThreadPoolExecutor) -> None:
        """Play from fixed positions; the first of them shows whether the bot starts."""

        async def play(position: Position, refuses: bool) -> TrialEnd:
            if self.trials:
                self.progress.advanced(Stage.CONFORMITY, len(self.trials), max(len(POSITIONS), len(self.trials) + 1))
            return await play_trial(
                position,
                self.spec.bot,
                sandbox=self.sandbox,
                clocks=self.spec.clocks,
                threads=threads,
                refuses=refuses,
            )

        with self._stage(Stage.STARTED) as stage:
            opening = await play(conformity.OPENING, False)
            stage.end = conformity.started(opening)
        with self._stage(Stage.CONFORMITY) as stage:
            async for trial in conformity.trials(opening, play):
                self.trials.append(trial)
            if conformity.wishes_batch(opening) and all(map(conformity.is_well, self.trials)):
                self.trials += await play_batch(
                    POSITIONS, self.spec.bot, sandbox=self.sandbox, clocks=self.spec.clocks, threads=threads
                )
            self.found = conformity.judge(self.trials, batch=self.spec.batch)
            stage.end = self.found.end

    async def boards(self, folder: Path) -> None:
        """Play boards against the reference bot."""
        spec = self.spec
        with self._stage(Stage.BOARDS) as stage:
            self.played = await play_boards(
                spec.bot,
                reference(folder),
                boards=spec.boards,
                secret=spec.secret,
                rules=spec.rules,
                clocks=spec.clocks,
                sandbox=self.sandbox,
                policy=self.policy,
                progress=self.progress,
            )
            stage.end = self.played.end

    def limits(self) -> None:
        """Look at what all of it took."""
        with self._stage(Stage.LIMITS) as stage:
            boards = self.played.seats if self.played else ()
            # A trial in which an answer was refused shows that answer's time twice.
            seats = (*boards, *(trial.seat for trial in self.trials if trial.answered_again is None))
            self.usage = limits.usage_of(seats, self.spec.clocks, self.policy)
            stage.end = limits.judge(self.usage)

    def report(self) -> Report:
        """Return what was found."""
        met = self.found.met if self.found else frozenset()
        return Report(
            self.spec.bot.name,
            self.spec.bot.digest,
            self.sandbox.kind,
            tuple(self.ends),
            tuple(row for row in Row if row in met),
            self.found.wishes if self.found else None,
            self.played,
            self.usage,
        )

    @contextmanager
    def _stage(self, stage: Stage) -> Iterator[_Running]:
        """Time a stage and keep how it ended; raise Failed when that was badly."""
        self.progress.began(stage)
        begun = time.monotonic()
        running = _Running()
        yield running
        assert running.end is not None
        end = replace(running.end, duration_ms=round((time.monotonic() - begun) * 1000))
        self.ends.append(end)
        self.progress.ended(end)
        if end.outcome is Outcome.FAILED:
            raise Failed


@dataclass(slots=True)
class _Running:
    """A stage under way; its end is put here."""

    end: StageEnd | None = None
