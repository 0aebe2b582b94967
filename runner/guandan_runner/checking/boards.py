"""Boards against the reference bot, both ways round, as on the ladder."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from guandan_engine import replay
from guandan_engine.board import WAYS, TableTask, entrant_of
from guandan_engine.clock import Clocks
from guandan_engine.conduct import Verdict
from guandan_engine.exchange import Record
from guandan_engine.replay.chain import canonical
from guandan_engine.replay.lines import Context, to_line
from guandan_engine.rules import RuleSet
from guandan_engine.shuffle import deal_secret
from guandan_runner.checking.hints import HINTS, reason_of
from guandan_runner.checking.stages import Outcome, Progress, Stage, StageEnd
from guandan_runner.errors import InfrastructureFault
from guandan_runner.feed import Feed
from guandan_runner.match import play_match
from guandan_runner.results import BotFiles, MatchSpec, SeatEnd, TableEnd
from guandan_runner.sandbox.policy import Policy
from guandan_runner.sandbox.seat import Sandbox

__all__ = ["BoardsEnd", "moves_of", "play_boards", "reference"]

REFERENCE: Final = "greedy"
AT_ONCE: Final = 5  # boards played before it is looked whether one of them has failed


@dataclass(frozen=True, slots=True)
class BoardsEnd:
    """The boards that were played, two tables each. ``points``: of the bot, by table. ``moves`` names all moves made.

    The same version, seed and rules give the same ``moves`` on every machine and in every sandbox.
    """

    boards: int
    points: tuple[int, ...]
    moves: str
    seats: tuple[SeatEnd, ...]
    end: StageEnd

    @property
    def mean(self) -> float:
        """Points for each board."""
        return sum(self.points) / len(self.points) if self.points else 0.0


def reference(folder: Path) -> BotFiles:
    """Return the bot to play against: it lies in every root that has the SDK, so its own ``folder`` is empty."""
    return BotFiles(REFERENCE, "", folder, ("python", "-m", f"guandan_sdk.bots.{REFERENCE}"))


async def play_boards(
    bot: BotFiles,
    opponent: BotFiles,
    *,
    boards: int,
    secret: bytes,
    rules: RuleSet,
    clocks: Clocks,
    sandbox: Sandbox,
    policy: Policy,
    progress: Progress,
) -> BoardsEnd:
    """Play boards until one shows a fault of the bot; raise InfrastructureFault when the opponent fails."""
    tables: list[TableEnd] = []
    done = 0

    def counted(_: str) -> None:
        nonlocal done
        done += 1
        progress.advanced(Stage.BOARDS, done, boards * len(WAYS))

    spec = MatchSpec(match_id="check", a=bot, b=opponent, rules=rules, clocks=clocks, tables=())
    for numbers in _portions(boards):
        part = replace(spec, tables=tuple(_tasks(numbers, secret)))
        feed = Feed(lambda *_: None, counted)
        tables += (await play_match(part, sandbox=sandbox, policy=policy, feed=feed)).tables
        if not all(map(_is_well, _seats(tables, 0))):
            break
    _require_opponent(tables)
    seats = tuple(_seats(tables, 0))
    points = tuple(table.points for table in tables)
    return BoardsEnd(len(tables) // len(WAYS), points, moves_of(table.replay for table in tables), seats, _judge(seats))


def moves_of(replays: Iterable[bytes]) -> str:
    """Name all that happened at some tables, times aside, by a digest of 16 characters."""
    digest = hashlib.sha256()
    for data in replays:
        played = replay.read(data)
        context = Context(played.header.rules)
        for record in played.records:
            digest.update(canonical(to_line(Record(record.n, record.event), context)))
    return digest.hexdigest()[:16]


def _portions(boards: int) -> Iterator[range]:
    """Yield the numbers of the first board, so that a broken bot is known soon, then of several at once."""
    first = 1
    while first <= boards:
        last = min(boards, first if first == 1 else first + AT_ONCE - 1)
        yield range(first, last + 1)
        first = last + 1


def _tasks(numbers: range, secret: bytes) -> Iterator[TableTask]:
    for number in numbers:
        label = f"board/{number}"
        for way in WAYS:
            yield TableTask(f"{label}/{way}", number, way, label, deal_secret(secret, label))


def _seats(tables: list[TableEnd], entrant: int) -> Iterator[SeatEnd]:
    for table in tables:
        yield from (end for seat, end in enumerate(table.seats) if entrant_of(seat, table.task.way) == entrant)


def _is_well(seat: SeatEnd) -> bool:
    return seat.verdict is Verdict.OK and not seat.refusals


def _require_opponent(tables: list[TableEnd]) -> None:
    for seat in _seats(tables, 1):
        if seat.verdict is not Verdict.OK:
            raise InfrastructureFault(f"{REFERENCE}, to play against, failed: {reason_of(seat.verdict, seat.detail)}")


def _judge(seats: tuple[SeatEnd, ...]) -> StageEnd:
    """Say the worst that happened to the bot in any seat."""
    worst = max(seats, key=lambda seat: (seat.verdict.priority, seat.refusals))
    if worst.verdict is not Verdict.OK:
        verdict, reason = worst.verdict, worst.detail
    elif worst.refusals:  # a match would forgive it, but its author should know
        verdict = Verdict.ILLEGAL_PLAYS
        reason = f"{worst.refusals} answers were not taken, the last because {worst.last_refusal}"
    else:
        return StageEnd(Stage.BOARDS, Outcome.PASSED, log=worst.log)
    return StageEnd(
        Stage.BOARDS, Outcome.FAILED, reason_of(verdict, reason), HINTS[verdict], worst.log, verdict=verdict
    )
