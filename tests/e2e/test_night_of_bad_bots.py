"""A night in which one third of the bots misbehave in every way: it ends, and honest bots are none the worse for it."""

from __future__ import annotations

import asyncio
import os
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import docker
import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from guandan_arena.ports import Ports
from guandan_arena.rpc.server import serve_rpc
from guandan_arena.services import accounts, audit, bots, checks, events, logs, matches, replays, versions
from guandan_arena.services.boards import tables_of
from guandan_arena.services.records import MatchDetail
from guandan_arena.services.states import EventState, MatchState
from guandan_arena.settings import Settings
from guandan_arena.web import create_app
from guandan_engine import replay, shuffle
from guandan_engine.board import entrant_of
from guandan_engine.conduct import Verdict
from guandan_engine.exchange import TableSpec
from guandan_engine.rules import from_dict
from guandan_runner.sandbox import choose, load_policy
from guandan_runner.sandbox.docker import OWNER_LABEL, owner_label
from guandan_sdk.bots.greedy import GreedyBot
from guandan_sdk.bots.random import RandomBot
from guandan_sdk.cli.app import app
from guandan_sdk.local import LocalTable
from guandan_workers import matches as worker_matches
from guandan_workers.worker import Worker, roots_of, shelf_of
from tests.arena import MANIFEST, archive, ports_on
from tests.databases import fresh_store, sqlite_template

pytestmark = pytest.mark.needs("sandbox:docker")

HONEST = {f"honest-{i}": bot for i, bot in enumerate([GreedyBot, RandomBot] * 6)}
SEATED = """
import os, signal, subprocess, sys, time
import guandan_sdk.seat
from guandan_engine.exchange import Answer
from guandan_sdk import Lay, run
from guandan_sdk.bots.greedy import GreedyBot

class Bad(GreedyBot):
    def start(self, welcome):
        self.misdeed = (self.first, self.second)[welcome.seat // 2]
    def play(self, view, options):
        return self.misdeed(view, options)
"""
BAD = {
    # One deed at seats 0 and 1, another at 2 and 3: both entrants' sides have one of each.
    "sleeper": ("import time; time.sleep(600)", {Verdict.NEVER_CONNECTED}),
    "slow-and-illegal": (
        SEATED
        + """
    def first(self, view, options):
        while True:
            pass
    def second(self, view, options):
        return Lay((next(iter(view.hand)),) * 5)
guandan_sdk.seat.Seat.refused = lambda self, question, refused: Answer(4_000_000) if refused.attempts_left else None
run(Bad)
""",
        {Verdict.TIMED_OUT, Verdict.ILLEGAL_PLAYS},
    ),
    "crasher": (
        "import sys; sys.exit('x' * 50_000 + '\\n\\x1b]0;owned\\x07\\x1b[2J <b>I give up</b> \\u202e' + 'y' * 10_000)",
        {Verdict.CRASHED},
    ),
    "killer": (
        SEATED
        + """
    def first(self, view, options):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
        os.kill(os.getpid(), signal.SIGSEGV)
    def second(self, view, options):
        while True:
            os.fork()
run(Bad)
""",
        {Verdict.CRASHED, Verdict.TIMED_OUT},  # whichever comes first of a fork that fails and the clock
    ),
    "hog": (
        SEATED
        + """
    def first(self, view, options):
        self.kept = b"x" * 2_000_000_000
    def second(self, view, options):
        while True:
            print("y" * 10_000)
run(Bad)
""",
        {Verdict.MEMORY_EXCEEDED, Verdict.OUTPUT_EXCEEDED},
    ),
    "babbler": (
        """
import os, sys
import grpc
for garbage in (b"\\xff no message", bytes(30_000_000)):
    channel = grpc.insecure_channel(os.environ["GUANDAN_TABLE"])
    call = channel.stream_stream("/guandan.v1.TableService/Play", lambda m: m, lambda m: m)
    try:
        list(call(iter([garbage])))
    except grpc.RpcError as error:
        print(error.details(), file=sys.stderr)
""",
        {Verdict.PROTOCOL_BROKEN},
    ),
}
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass
class Night:
    """A night that is over."""

    ports: Ports
    tokens: dict[str, str]
    details: list[MatchDetail]
    left_behind: list[str]

    def of(self, bot: str) -> MatchDetail:
        return next(d for d in self.details if d.match.b and bot in (d.match.a.bot, d.match.b.bot))


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory, runtime_cache: Path) -> Iterator[Night]:
    folder = tmp_path_factory.mktemp("night")
    settings = Settings(
        data_dir=folder,
        night_rounds=1,
        night_boards=1,
        clock_connect_ms=30_000,  # nobody honest is late, however loaded the machine
        clock_move_ms=3_000,
        clock_bank_ms=12_000,
    )
    (folder / "runtime").symlink_to(runtime_cache)
    policy = load_policy()
    choice = choose(wanted="docker", production=False, cache=runtime_cache, policy=policy)
    client = docker.from_env()
    with fresh_store(sqlite_template(folder)) as store:
        ports = ports_on(store, folder, settings)
        worker = Worker("w1", ports, choice.sandbox, policy, shelf_of(ports), roots_of(settings))
        tokens = {bot: enter(ports, bot, source) for bot, source in field().items()}
        event = events.open_night(ports)
        waiting = [match.id for match in matches.browse(ports, event_id=event.id)]
        with ThreadPoolExecutor(3) as workers:  # one waits for who never comes, one for who never answers
            list(workers.map(lambda match_id: worker_matches.play(worker, match_id), waiting))
        of_ours = {"label": f"{OWNER_LABEL}={owner_label(os.getpid())}"}
        left = [str(c.name) for c in client.containers.list(all=True, ignore_removed=True, filters=of_ours)]
        details = [matches.get(ports, match_id=m.id) for m in matches.browse(ports, event_id=event.id)]
        yield Night(ports, tokens, details, left)
    client.close()
    choice.sandbox.close()


def field() -> dict[str, str]:
    """Sources of all bots by name, one bad one after every two honest ones."""
    honest = {
        name: f"from guandan_sdk import run\nfrom {bot.__module__} import {bot.__name__}\nrun({bot.__name__})\n"
        for name, bot in HONEST.items()
    }
    names = iter(honest)
    sources: dict[str, str] = {}
    for bad, (source, _) in BAD.items():
        sources |= {name: honest[name] for name in (next(names), next(names))}
        sources[bad] = source
    return sources


def enter(ports: Ports, bot: str, source: str) -> str:
    """Open an account with an active bot; its token. The check is passed over: these bots are bad only at night."""
    issued = accounts.register(ports, name=f"{bot}-owner")
    bots.create(ports, caller=issued.account, name=bot)
    packed = archive({"bot.toml": MANIFEST, "bot.py": f"# {bot}\n{source}"})
    version = versions.submit(ports, caller=issued.account, bot=bot, archive=packed).version
    checks.finish(ports, checks.claim(ports, version_id=version.id, worker="w0"), verdict=Verdict.OK)
    return issued.text


def test_the_night_ends_with_every_match_counted_and_nothing_left_behind(night: Night) -> None:
    event = events.browse(night.ports)[0]
    assert event.state is EventState.OVER
    assert {detail.match.state for detail in night.details} == {MatchState.DONE}
    assert len(night.details) == (len(HONEST) + len(BAD)) / 2
    assert {detail.match.fence for detail in night.details} == {1}
    assert audit.run(night.ports).findings == ()
    assert night.left_behind == []


def test_honest_bots_have_no_fault_whoever_sits_at_their_table(night: Night) -> None:
    for detail in night.details:
        assert detail.match.b is not None
        for table in detail.tables:
            for seat, verdict in enumerate(table.result.verdicts):
                side = (detail.match.a, detail.match.b)[entrant_of(seat, table.result.way)]
                assert side.bot in BAD or verdict is Verdict.OK, (side.bot, table.id, table.result.details[seat])


def test_honest_bots_play_among_themselves_as_they_do_where_no_bad_bot_is_near(night: Night) -> None:
    event = events.browse(night.ports)[0]
    assert event.secret is not None
    rules, compared = from_dict(event.rules), 0
    for detail in night.details:
        match = detail.match
        assert match.b is not None
        if match.a.bot in BAD or match.b.bot in BAD:
            continue
        tasks = tables_of(match.id, match.fence, round=match.round, boards=event.spec.boards, secret=event.secret)
        for table, task in zip(detail.tables, tasks, strict=True):
            board = shuffle.board(task.deal_secret, rules)
            seeds = shuffle.seat_seeds(task.deal_secret, task.way)
            seated = [HONEST[(match.a, match.b)[entrant_of(seat, task.way)].bot] for seat in range(4)]
            spec = TableSpec(task.table_id, rules, seeds=seeds, board=board)
            alone = LocalTable(spec, (seated[0], seated[1], seated[2], seated[3]), None, now=lambda: 0).play()
            played = replay.read(replays.get(night.ports, table_id=table.id).lines).records
            assert [record.event for record in played] == [record.event for record in alone.records]
            compared += 1
    assert compared >= 4


@pytest.mark.parametrize("bad", BAD)
def test_every_bad_bot_loses_with_its_verdict_its_facts_and_the_rest_of_its_boards(bad: str, night: Night) -> None:
    detail = night.of(bad)
    first, second = detail.tables
    entrant = 0 if detail.match.a.bot == bad else 1
    seats = [seat for seat in range(4) if entrant_of(seat, first.result.way) == entrant]
    assert {first.result.verdicts[seat] for seat in seats} <= BAD[bad][1]
    assert {first.result.verdicts[seat] for seat in seats} & BAD[bad][1]
    assert any(first.result.facts[seat].given_up for seat in seats)
    assert all(first.result.details[seat] for seat in seats)
    assert second.result.lost[entrant]
    assert second.result.points * (1 - 2 * entrant) in (-3, 0)


@pytest.mark.parametrize("bad", BAD)
def test_a_loss_is_explained_on_the_page_and_the_log_shown_to_its_owner_only(bad: str, night: Night) -> None:
    match = night.of(bad).match
    page = TestClient(create_app(night.ports)).get(f"/matches/{match.id}").text
    assert f">{bad}/1" in page
    assert "For its author: " in page
    assert "<b>I give up" not in page
    assert not UNSEEN.search(page)
    with night.ports.store.snapshot() as tx:
        owner = tx.accounts.find(f"{bad}-owner")
        stranger = tx.accounts.find(next(f"{name}-owner" for name in HONEST if name not in str(match)))
    assert owner is not None
    assert stranger is not None
    told = logs.of_match(night.ports, caller=owner, match_id=match.id)
    assert len(told) == 2
    assert not UNSEEN.search("".join(log.output for log in told))
    if bad == "crasher":
        assert all("\\x1b]0;owned\\x07\\x1b[2J <b>I give up</b> \\u202eyyy" in log.output for log in told)
        assert max(len(line) for log in told for line in log.output.splitlines()) < 3_000
    with pytest.raises(Exception, match="belong to"):
        logs.of_match(night.ports, caller=stranger, match_id=match.id)


def test_a_loss_is_explained_by_the_command_line(night: Night, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    detail = night.of("crasher")
    monkeypatch.setenv("GUANDAN_CREDENTIALS", str(tmp_path / "none.json"))
    monkeypatch.setenv("GUANDAN_TOKEN", night.tokens["crasher"])
    with served(night.ports, f"unix:{tmp_path}/rpc.sock") as address:
        monkeypatch.setenv("GUANDAN_SERVER", address)
        shown = CliRunner().invoke(app, ["match", "show", detail.match.id])
        wrote = CliRunner().invoke(app, ["logs", detail.match.id])
        again = CliRunner().invoke(app, ["repro", f"{detail.tables[0].id}#1", "greedy"])
        monkeypatch.setenv("GUANDAN_TOKEN", night.tokens["honest-0"])
        foreign = CliRunner().invoke(app, ["logs", detail.match.id])
    assert "its process or connection ended during play: process ended with exit code 1" in shown.stdout
    assert "shown by: exit code 1" in shown.stdout
    assert f"next: read what it wrote: guandan logs {detail.match.id}" in shown.stdout
    assert "I give up" not in shown.stdout
    assert "<b>I give up</b>" in wrote.stdout
    assert "played then" in again.stdout
    assert not UNSEEN.search(shown.stdout + wrote.stdout)
    if "honest-0" not in str(detail.match):
        assert (foreign.exit_code, "belong to" in foreign.stderr) == (3, True)


@contextmanager
def served(ports: Ports, address: str) -> Iterator[str]:
    """Serve gRPC from a thread with an event loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    rpc = asyncio.run_coroutine_threadsafe(serve_rpc(ports, address), loop).result()
    try:
        yield address
    finally:
        asyncio.run_coroutine_threadsafe(rpc.stop(0), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
