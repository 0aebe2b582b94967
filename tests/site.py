"""An arena with a finished night whose replays are real, for tests of what people see."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from guandan_arena.ports import Ports
from guandan_arena.services import accounts, bots, checks, events, logs, matches, replays, versions
from guandan_arena.services.records import Event, MatchResult, TableResult
from guandan_engine import replay, shuffle
from guandan_engine.board import TableTask, points_of_a
from guandan_engine.conduct import Verdict
from guandan_engine.decisions import DecisionTimes
from guandan_engine.events import DealEnded
from guandan_engine.exchange import TableSpec
from guandan_engine.pace import Pace
from guandan_engine.replay import Header, SeatName
from guandan_engine.table import Table
from guandan_runner.results import SeatFacts, SeatNote
from tests.dealing import STANDARD, any_legal, play_out
from tests.serving import archive, build_ports

HOSTILE = "<script>alert(1)</script>"


def finished_night(folder: Path, *, bots_count: int = 4) -> tuple[Ports, Event]:
    """Open an arena, enter bots of as many authors, and play a night of one board a match."""
    ports = build_ports(folder)
    for i in range(bots_count):
        author = accounts.register(ports, name=f"author-{i}").account
        bots.create(ports, caller=author, name=f"bot-{i}")
        data = archive(readme=str(i))
        version = versions.submit(ports, caller=author, bot=f"bot-{i}", archive=data, message=HOSTILE).version
        claim = checks.claim(ports, version_id=version.id, worker="w")
        checks.finish(ports, claim, verdict=Verdict.OK)
    event = events.open_night(ports, rounds=2, boards=1)
    while queued := [m for m in matches.browse(ports, event_id=event.id) if m.state == "queued"]:
        for match in queued:
            _play(ports, match.id)
    return ports, events.get(ports, event_id=event.id)


def _play(ports: Ports, match_id: str) -> None:
    claim = matches.claim(ports, match_id=match_id, worker="w")
    names = (SeatName(claim.a.title, claim.a.digest), SeatName(claim.b.title, claim.b.digest))
    tables = tuple(
        _table(ports, claim.match_id, claim.event_id, claim.commitment, task, names) for task in claim.tables
    )
    log = logs.put(ports, output="<b>my weights</b> \x1b[2J\u202e", notes=[SeatNote(7, "I fear a bomb")])
    matches.finish(ports, claim, MatchResult(tables if claim.round == 1 else _crashed(log, *tables)))


def _crashed(log: str, first: TableResult, second: TableResult) -> tuple[TableResult, TableResult]:
    """Have entrant A's seat 0 given up at the first table, so that it loses the second."""
    facts = SeatFacts(exit_code=137, memory_exceeded=True, peak_memory_bytes=268_400_000, cpu_ms=4_210, given_up=True)
    facts = replace(facts, silent_ms=38_112, bank_ms=9_300, streams=1, move=9)
    crashed = replace(
        first,
        verdicts=(Verdict.MEMORY_EXCEEDED, Verdict.OK, Verdict.OK, Verdict.OK),
        details=(f"ended for its use of memory (process ended by signal SIGKILL) {HOSTILE}\x1b[2J\u202e", "", "", ""),
        facts=(facts, *first.facts[1:]),
        log_digests=(log, "", "", ""),
    )
    lost = TableResult(second.table_id, 1, 1, -3, (0, 1, 2, 3), (Verdict.OK,) * 4, "", lost=(True, False))
    return crashed, lost


def _table(
    ports: Ports, match_id: str, event_id: str, commit: str, task: TableTask, names: tuple[SeatName, SeatName]
) -> TableResult:
    board = shuffle.board(task.deal_secret, STANDARD)
    table = Table(TableSpec(task.table_id, STANDARD, board=board))
    play_out(table, any_legal, random.Random(task.table_id))
    seats = tuple(names[(seat + task.way) % 2] for seat in range(4))
    header = Header(
        rules=STANDARD,
        table=task.table_id,
        seats=(seats[0], seats[1], seats[2], seats[3]),
        event=event_id,
        match=match_id,
        board=task.board,
        way=task.way,
        label=task.label,
        commit=commit,
        created="2026-01-01T00:00:00Z",
    )
    lines = replay.write(header, table.log, secrets=(task.deal_secret,))
    assert table.result is not None
    order = next(record.event.order for record in table.log if isinstance(record.event, DealEnded))
    return TableResult(
        table_id=task.table_id,
        board=task.board,
        way=task.way,
        points=points_of_a(table.result, task.way),
        order=order,
        verdicts=(Verdict.TIMED_OUT, Verdict.OK, Verdict.OK, Verdict.OK),
        details=(HOSTILE, "", "", ""),
        decisions=tuple(map(DecisionTimes.of, table.timed)),
        facts=(SeatFacts(timeouts=1, answered_for=1, move=20, bank_ms=120), *(SeatFacts(),) * 3),
        pace=Pace(decisions=100, wall_ns=9_000_000_000, thinking_ns=8_876_500_000),
        replay_digest=replays.put(ports, lines=lines),
    )
