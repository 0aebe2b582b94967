"""Checks for tests: bots of a few lines, whole checks and single trials of them, and a listener."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from guandan_engine.clock import Clocks
from guandan_engine.rules import load
from guandan_runner.checking import CheckSpec, Report, Stage, StageEnd, run_check
from guandan_runner.checking.positions import Position
from guandan_runner.checking.trial import TrialEnd, play_batch, play_trial
from guandan_runner.results import BotFiles
from guandan_runner.sandbox import Sandbox, load_policy
from guandan_runner.sandbox.process import ProcessSandbox
from tests.seating import PATIENT, write_bot

POLICY = load_policy()


def greedy_but(methods: str, folder: Path) -> BotFiles:
    """The greedy bot with some methods of its own."""
    body = "\n".join(f"    {line}" for line in methods.strip("\n").splitlines())
    source = f"from guandan_sdk.bots.greedy import GreedyBot\nclass Changed(GreedyBot):\n{body}\nrun(Changed)\n"
    return write_bot("changed", source, folder)


def checked(
    bot: BotFiles,
    *,
    sandbox: Sandbox | None = None,
    clocks: Clocks = PATIENT,
    progress: Heard | None = None,
    boards: int = 1,
) -> Report:
    """Check a bot, as a process unless a sandbox is given."""
    spec = CheckSpec(bot=bot, rules=load("standard"), secret=b"checked".ljust(32), boards=boards, clocks=clocks)
    return run_check(spec, sandbox=sandbox or ProcessSandbox(POLICY), policy=POLICY, progress=progress)


def tried(
    bot: BotFiles,
    position: Position,
    *,
    sandbox: Sandbox | None = None,
    clocks: Clocks = PATIENT,
    refuses: bool = False,
) -> TrialEnd:
    """Play one position, as a process unless a sandbox is given."""
    where = sandbox or ProcessSandbox(POLICY)

    async def trial() -> TrialEnd:
        with ThreadPoolExecutor(4) as threads:
            return await play_trial(position, bot, sandbox=where, clocks=clocks, threads=threads, refuses=refuses)

    return asyncio.run(trial())


def tried_at_once(bot: BotFiles, positions: tuple[Position, ...]) -> tuple[TrialEnd, ...]:
    """Play several positions with one process."""

    async def trials() -> tuple[TrialEnd, ...]:
        with ThreadPoolExecutor(8) as threads:
            return await play_batch(positions, bot, sandbox=ProcessSandbox(POLICY), clocks=PATIENT, threads=threads)

    return asyncio.run(trials())


class Heard:
    """Keeps what it is told of a check's progress."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def began(self, stage: Stage) -> None:
        self.told.append(f"{stage} began")

    def advanced(self, stage: Stage, done: int, of: int) -> None:
        self.told.append(f"{stage} {done}/{of}")

    def ended(self, end: StageEnd) -> None:
        self.told.append(f"{end.stage} {end.outcome}")
