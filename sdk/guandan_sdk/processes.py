"""Local tables of bots that are commands: each seat is a process that speaks the protocol, as on the server.

The runner's own host and sandbox play them, so this module needs what ``pip install guandan-sdk[check]`` installs.
The sandbox is the one without walls: an author's own bot runs on the author's own machine.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

import uvloop

from guandan_engine import replay
from guandan_engine.board import TableTask, entrant_of
from guandan_engine.conduct import SENTENCES, Fault, Verdict
from guandan_engine.events import Ruling
from guandan_engine.exchange import Evidence, Record
from guandan_engine.match import MAX_DEALS
from guandan_runner.errors import RunnerError
from guandan_runner.match import play_match
from guandan_runner.results import BotFiles, MatchEnd, MatchSpec, TableEnd
from guandan_runner.sandbox.policy import load_policy
from guandan_runner.sandbox.process import ProcessSandbox
from guandan_sdk.errors import BotBroken, TableNotPlayed
from guandan_sdk.loading import BotSource
from guandan_sdk.local import NO_LIMIT, Game, Pair, Series, deal_secret, table_name
from guandan_sdk.starting import command_of

STANDS: Final = (Verdict.OK, Verdict.ILLEGAL_PLAYS, Verdict.TIMED_OUT)
"""Verdicts after which a series goes on; any other says that the bot itself broke."""


def play_pairs(series: Series, numbers: Iterable[int], *, jobs: int) -> Iterator[Pair]:
    """Play boards or matches at two tables each, partnerships swapped, with four fresh processes at every table.

    ``jobs`` pairs are under way at a time. Raise BotBroken when a bot crashed, never came or does not speak the
    protocol; TableNotPlayed when this machine cannot start processes so. However it ends, also by Ctrl-C, no process
    is left.
    """
    policy = load_policy()
    sandbox = ProcessSandbox(policy)
    waiting = iter(numbers)
    under_way: deque[tuple[MatchSpec, asyncio.Task[MatchEnd]]] = deque()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        try:
            while True:
                for number in islice(waiting, jobs - len(under_way)):
                    spec = _match(series, number)
                    played = play_match(spec, sandbox=sandbox, policy=policy)
                    under_way.append((spec, runner.get_loop().create_task(played)))
                if not under_way:
                    return
                yield _pair(*under_way[0], runner)
                under_way.popleft()
        finally:
            runner.run(_end([playing for _, playing in under_way]))


async def _end(matches: Sequence[asyncio.Task[MatchEnd]]) -> None:
    """End matches one by one: a runner that is closed would take the tasks of their servers from under them."""
    for match in matches:
        match.cancel()
    await asyncio.gather(*matches, return_exceptions=True)


def _pair(spec: MatchSpec, playing: asyncio.Task[MatchEnd], runner: asyncio.Runner) -> Pair:
    """Wait for a pair of tables."""

    async def played() -> MatchEnd:
        return await playing

    try:
        first, second = runner.run(played()).tables
    except RunnerError as error:
        raise TableNotPlayed(f"the table could not be played: {error}", "see docs/howto/other-languages.md") from error
    games = _game(spec, first), _game(spec, second)
    return Pair(first.task.board, (first.points, second.points), games)


def _match(series: Series, number: int) -> MatchSpec:
    return MatchSpec(
        match_id=f"local/{series.seed}/{series.label(number)}",
        a=_files(series.a),
        b=_files(series.b),
        rules=series.rules,
        clocks=series.clocks or NO_LIMIT,
        tables=(_task(series, number, 0), _task(series, number, 1)),
        ends_at_fault=False,
    )


def _files(source: BotSource) -> BotFiles:
    """Say how a bot is started as a process: by its command, or by this interpreter."""
    command, folder = command_of(source)
    return BotFiles(source.name, "", folder, command)


def _task(series: Series, number: int, way: int) -> TableTask:
    deals = range(1, MAX_DEALS + 1) if series.classic else ()
    return TableTask(
        table_id=table_name(series, number, way),
        board=number,
        way=way,
        label=series.label(number),
        deal_secret=deal_secret(series, number, None),
        deals=tuple(deal_secret(series, number, deal) for deal in deals),
    )


def _game(spec: MatchSpec, table: TableEnd) -> Game:
    """Return a table as local tables are told, after saying on stderr what its bots wrote."""
    for end in table.seats:
        if end.log:
            print(end.log, end="" if end.log.endswith("\n") else "\n", file=sys.stderr)  # noqa: T201
    for seat, end in enumerate(table.seats):
        if end.verdict not in STANDS:
            name = (spec.a, spec.b)[entrant_of(seat, table.task.way)].name
            raise BotBroken(
                f"{name} in seat {seat} of table {table.task.table_id}: {SENTENCES[end.verdict][0]}: {end.detail}",
                "what it wrote stands above" if end.log else "it wrote nothing; see docs/howto/other-languages.md",
            )
    records = replay.read(table.replay).records
    a, b, c, d = (end.verdict for end in table.seats)
    times = tuple(tuple(map(float, end.times_ms)) for end in table.seats)
    return Game(table.end, records, (a, b, c, d), tuple(_faults(records)), times)


def _faults(records: Sequence[Record]) -> Iterator[Evidence]:
    """Read off the rulings of a replay what the table had to answer for."""
    for record in records:
        ruling = record.event
        if isinstance(ruling, Ruling) and ruling.fault != Fault.SKIPPED:
            yield Evidence(ruling.seat, Fault(ruling.fault), record.n - 1, 0, ruling.detail)
