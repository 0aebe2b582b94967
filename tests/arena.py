"""An arena for tests: real services on a real database, a clock that moves when told, no worker process."""

from __future__ import annotations

import hashlib
import io
import random
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from guandan_arena.errors import Refused
from guandan_arena.ports import Ports, Store
from guandan_arena.services import accounts, bots, checks, matches, reaper, replays, versions
from guandan_arena.services.records import Account, Claim, MatchResult, TableResult, Version
from guandan_arena.settings import Settings
from guandan_arena.store import FolderBlobs
from guandan_engine import replay, shuffle
from guandan_engine.board import TableTask, entrant_of, points_of_a
from guandan_engine.conduct import Verdict
from guandan_engine.decisions import DecisionTimes
from guandan_engine.events import DealEnded
from guandan_engine.exchange import TableSpec
from guandan_engine.replay import Header, SeatName
from guandan_engine.rules import from_dict
from guandan_engine.table import Table
from tests.dealing import any_legal, play_out
from tests.fakes.invitations import FakeInvitations
from tests.fakes.ladder import FakeLadder
from tests.fakes.lounge import FakeLounge
from tests.fakes.queue import FakeJobQueue
from tests.fakes.rulings import FakeRulings
from tests.fakes.streams import FakeTableStreams

MANIFEST = '[bot]\nname = "tester"\nentry = ["python", "bot.py"]\nruntime = "python-3.11"\n'
REMOTE_MANIFEST = '[bot]\nname = "away"\nruntime = "remote"\n'
DOOR = {"remote_host": "127.0.0.1", "remote_ports": "7300-7309"}
"""Settings of an arena that lets remote bots in."""
OK = (Verdict.OK,) * 4


class FakeClock:
    """Time that passes only when a test says so."""

    def __init__(self, now_ms: int = 1_790_000_000_000) -> None:
        self.now = now_ms

    def now_ms(self) -> int:
        return self.now

    def pass_ms(self, ms: int) -> None:
        self.now += ms


class CountedEntropy:
    """Bytes that look random and are the same in every run."""

    def __init__(self) -> None:
        self._drawn = 0

    def token_bytes(self, count: int) -> bytes:
        self._drawn += 1
        return hashlib.sha512(str(self._drawn).encode()).digest()[:count]


def ports_on(store: Store, folder: Path, settings: Settings | None = None, **others: object) -> Ports:
    """Ports with everything faked but the store and the blobs."""
    ports = Ports(
        store=store,
        ladder=FakeLadder(),
        tables=FakeTableStreams(),
        rulings=FakeRulings(),
        lounge=FakeLounge(),
        invitations=FakeInvitations(),
        blobs=FolderBlobs(folder / "blobs"),
        queue=FakeJobQueue(),
        clock=FakeClock(),
        entropy=CountedEntropy(),
        settings=settings or Settings(data_dir=folder, night_rounds=3, night_boards=1),
    )
    return replace(ports, **others)


def archive(files: Mapping[str, str | bytes] | None = None, *, salt: str = "") -> bytes:
    """A zip with these files, or a small good one; ``salt`` makes it another."""
    given = files or {"bot.toml": MANIFEST, "bot.py": f"# {salt}\n"}
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in given.items():
            file.writestr(zipfile.ZipInfo(name), text)
    return data.getvalue()


@dataclass
class Author:
    """An account with its bot and the bot's active version."""

    account: Account
    version: Version


def author(ports: Ports, name: str) -> Author:
    """Register an account, create a bot of the same name and bring its first version through the check."""
    account = accounts.register(ports, name=name).account
    bots.create(ports, caller=account, name=f"{name}-bot")
    return Author(account, submit_checked(ports, account, f"{name}-bot", salt=name))


def remote_author(ports: Ports, name: str, account: Account | None = None) -> Author:
    """Give an account, a new one by default, a bot ``name-bot`` that stays at home, its registration checked."""
    account = account or accounts.register(ports, name=name).account
    bots.create(ports, caller=account, name=f"{name}-bot")
    packed = archive({"bot.toml": REMOTE_MANIFEST})
    version = versions.submit(ports, caller=account, bot=f"{name}-bot", archive=packed).version
    claim = checks.claim(ports, version_id=version.id, worker="w1")
    return Author(account, checks.finish(ports, claim, verdict=Verdict.OK))


def submit_checked(ports: Ports, account: Account, bot: str, *, salt: str) -> Version:
    """Submit a version and let its check pass."""
    version = versions.submit(ports, caller=account, bot=bot, archive=archive(salt=salt)).version
    claim = checks.claim(ports, version_id=version.id, worker="w1")
    return checks.finish(ports, claim, verdict=Verdict.OK)


def operator(ports: Ports, name: str = "root") -> Account:
    """An account that may do everything."""
    accounts.register(ports, name=name)
    return accounts.set_operator(ports, name=name, operator=True)


def played(ports: Ports, claim: Claim, *, seed: int = 1, **changes: object) -> MatchResult:
    """Really play every table of a claim with seats that choose any legal play; ``changes`` go to every table."""
    return MatchResult(tuple(replace(_table(ports, claim, task, seed), **changes) for task in claim.tables))


def quick(ports: Ports, claim: Claim, points: int = 3, **changes: object) -> MatchResult:
    """A result with these points at every table and a replay that is only a placeholder."""
    digest = ports.blobs.put(b"placeholder")
    return MatchResult(
        tuple(
            replace(TableResult(task.table_id, task.board, task.way, points, (0, 2, 1, 3), OK, digest), **changes)
            for task in claim.tables
        )
    )


def work(ports: Ports, *, worker: str = "w1", play: object = played, seed: int = 1) -> int:
    """Be a worker until nothing is waiting: take every task, drop what cannot be claimed; return the matches played."""
    count = 0
    while ports.queue.waiting:
        task, match_id = ports.queue.waiting.pop(0)
        assert task == "guandan.play_match"
        try:
            claim = matches.claim(ports, match_id=match_id, worker=worker)
        except Refused:
            continue
        matches.finish(ports, claim, play(ports, claim))
        count += 1
    return count


def recover(ports: Ports) -> None:
    """Let every lease and every wait run out, and sweep."""
    for _ in range(2):
        ports.clock.pass_ms(ports.settings.lease_ms + ports.settings.requeue_ms + 1)
        reaper.reap(ports)


def _table(ports: Ports, claim: Claim, task: TableTask, seed: int) -> TableResult:
    rules = from_dict(claim.rules)
    board = shuffle.board(task.deal_secret, rules)
    table = Table(TableSpec(task.table_id, rules, claim.clocks, board=board))
    play_out(table, any_legal, random.Random(f"{seed}/{task.table_id}"))
    sides = (claim.a, claim.b)
    seats = [sides[entrant_of(seat, task.way)] for seat in range(4)]
    header = Header(
        rules=table.spec.rules,
        table=task.table_id,
        seats=tuple(SeatName(side.title, side.digest) for side in seats),
        clocks=claim.clocks,
        event=claim.event_id,
        match=claim.match_id,
        board=task.board,
        way=task.way,
        label=task.label,
        commit=claim.commitment,
        created="2026-01-01T00:00:00Z",
    )
    return TableResult(
        table_id=task.table_id,
        board=task.board,
        way=task.way,
        points=points_of_a(table.result, task.way),
        order=next(record.event.order for record in table.log if isinstance(record.event, DealEnded)),
        verdicts=table.verdicts,
        replay_digest=replays.put(ports, lines=replay.write(header, table.log, secrets=[task.deal_secret])),
        decisions=tuple(map(DecisionTimes.of, table.timed)),
    )
