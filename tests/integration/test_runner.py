"""Whole matches with real bot processes in every sandbox."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from guandan_engine import replay, shuffle
from guandan_engine.clock import Clocks
from guandan_engine.conduct import Verdict
from guandan_engine.exchange import TableSpec
from guandan_runner import host, playing, seating
from guandan_runner.errors import HarnessFault, InfrastructureFault
from guandan_runner.feed import Feed
from guandan_runner.match import play_match, run_match
from guandan_runner.sandbox import Sandbox, SeatProcess, SeatSpec, choose, load_policy
from guandan_runner.sandbox.process import ProcessSandbox
from guandan_sdk.bots.planner import PlannerBot
from guandan_sdk.bots.random import RandomBot
from guandan_sdk.local import LocalTable
from tests.seating import match, reference_bot, tasks

POLICY = load_policy()
EVERY = [pytest.param(name, marks=pytest.mark.needs(f"sandbox:{name}")) for name in ("docker", "bubblewrap", "process")]


@pytest.fixture
def sandbox(request: pytest.FixtureRequest, runtime_cache: Path) -> Iterator[Sandbox]:
    choice = choose(wanted=request.param, production=False, cache=runtime_cache, policy=POLICY)
    yield choice.sandbox
    choice.sandbox.close()


@pytest.fixture(autouse=True)
def nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sockets live in temporary folders of the matches, which are gone with them."""
    with tempfile.TemporaryDirectory(prefix="gar-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield
        assert not list(Path(folder).glob("ga-*"))


@pytest.mark.parametrize("sandbox", EVERY, indirect=True)
def test_a_match_is_played_to_its_end_and_every_replay_verifies(sandbox: Sandbox, tmp_path: Path) -> None:
    a, b = reference_bot("greedy", tmp_path), reference_bot("random", tmp_path)
    end = run_match(match(a, b, tasks(2)), sandbox=sandbox, policy=POLICY)
    assert [(t.task.board, t.task.way) for t in end.tables] == [(1, 0), (1, 1), (2, 0), (2, 1)]
    for table in end.tables:
        assert [seat.verdict for seat in table.seats] == [Verdict.OK] * 4
        assert all(seat.times_ms for seat in table.seats)
        read = replay.verify(table.replay)
        names = [seat.name for seat in read.header.seats]
        assert names == (["greedy", "random"] * 2 if table.task.way == 0 else ["random", "greedy"] * 2)
    assert end.score == sum(table.points for table in end.tables)


@pytest.mark.parametrize("sandbox", EVERY, indirect=True)
def test_the_same_seed_gives_the_same_plays_as_a_local_table(sandbox: Sandbox, tmp_path: Path) -> None:
    """Whatever runs the bots, what they play follows from cards and seeds."""
    spec = match(reference_bot("planner", tmp_path), reference_bot("random", tmp_path), tasks(1, seed="same"))
    for table in run_match(spec, sandbox=sandbox, policy=POLICY).tables:
        task = table.task
        seeds = shuffle.seat_seeds(task.deal_secret, task.way)
        board = shuffle.board(task.deal_secret, spec.rules)
        local_spec = TableSpec(task.table_id, spec.rules, seeds=seeds, board=board)
        order = (PlannerBot, RandomBot) if task.way == 0 else (RandomBot, PlannerBot)
        local = LocalTable(local_spec, order * 2, None, now=lambda: 0).play()
        played = replay.read(table.replay).records
        assert [record.event for record in played] == [record.event for record in local.records]


def test_a_deterministic_bot_against_its_copy_nets_exactly_nothing(tmp_path: Path) -> None:
    greedy = reference_bot("greedy", tmp_path)
    end = run_match(match(greedy, greedy, tasks(3, seed="copy")), sandbox=ProcessSandbox(POLICY), policy=POLICY)
    assert end.score == 0
    assert any(table.points for table in end.tables)


def test_spectators_are_fed_every_event_and_no_hidden_card(tmp_path: Path) -> None:
    fed: list[str] = []
    closed: list[str] = []
    greedy = reference_bot("greedy", tmp_path)
    feed = Feed(lambda table, lines: fed.extend(lines), closed.append)
    end = run_match(
        match(greedy, greedy, tasks(1, ways=(0,))), sandbox=ProcessSandbox(POLICY), policy=POLICY, feed=feed
    )
    whole = end.tables[0].replay.decode().splitlines()[1:]
    assert len(fed) == len(whole)
    assert '"hands":null' in fed[0]
    assert closed == [end.tables[0].task.table_id]
    assert [line.partition('"h":')[0] for line in whole[1:3]]


class Failing:
    """A sandbox that fails at its nth start; it remembers what it started."""

    kind = "failing"

    def __init__(self, fails_at: int) -> None:
        self.fails_at = fails_at
        self.started: list[SeatProcess] = []
        self._real = ProcessSandbox(POLICY)

    def start(self, spec: SeatSpec) -> SeatProcess:
        if len(self.started) + 1 >= self.fails_at:
            raise InfrastructureFault("out of order")
        seat = self._real.start(spec)
        self.started.append(seat)
        return seat

    def close(self) -> None:
        pass


@pytest.mark.parametrize("fails_at", [1, 3, 6])
def test_a_sandbox_that_does_not_start_is_our_fault_and_leaves_no_bot_running(fails_at: int, tmp_path: Path) -> None:
    greedy, failing = reference_bot("greedy", tmp_path), Failing(fails_at)
    with pytest.raises(InfrastructureFault, match="out of order"):
        run_match(match(greedy, greedy, tasks(2)), sandbox=failing, policy=POLICY)
    assert all(seat.wait(0) for seat in failing.started)


def test_an_error_in_the_table_is_a_harness_fault_and_leaves_no_bot_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("of our own making")

    monkeypatch.setattr(host.Table, "answered", broken)
    greedy, sandbox = reference_bot("greedy", tmp_path), Failing(99)
    with pytest.raises(HarnessFault, match="of our own making"):
        run_match(match(greedy, greedy, tasks(1)), sandbox=sandbox, policy=POLICY)
    assert all(seat.wait(0) for seat in sandbox.started)


def test_a_table_that_stands_still_is_a_harness_fault_long_before_the_match_runs_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hung(_: host.TableHost) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(host.TableHost, "play", hung)
    monkeypatch.setattr(playing, "MARGIN_S", 0.0)
    greedy, sandbox = reference_bot("greedy", tmp_path), Failing(99)
    clocks = Clocks(connect_ms=0, move_ms=1, bank_ms=0, increment_ms=0)
    with pytest.raises(HarnessFault, match=r"table test-1a stood still: no end after 0\.432 s"):
        run_match(match(greedy, greedy, tasks(1), clocks=clocks), sandbox=sandbox, policy=POLICY)
    assert all(seat.wait(0) for seat in sandbox.started)


async def test_a_cancelled_match_leaves_no_bot_running(tmp_path: Path) -> None:
    """This is what a lost lease does."""
    greedy, sandbox = reference_bot("greedy", tmp_path), Failing(99)
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()

    def seen(_: str, __: Sequence[str]) -> None:
        loop.call_soon_threadsafe(begun.set)

    playing = asyncio.create_task(
        play_match(match(greedy, greedy, tasks(9)), sandbox=sandbox, policy=POLICY, feed=Feed(seen, lambda _: None))
    )
    await begun.wait()
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert sandbox.started
    assert all(seat.wait(0) for seat in sandbox.started)


def test_folders_of_tables_whose_worker_was_killed_are_swept_away_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    dead, living, other = (tmp_path / name for name in (f"ga-{gone.pid}-a", f"ga-{os.getpid()}-a", "ga-seccomp-a"))
    for folder in (dead, living, other):
        (folder / "0").mkdir(parents=True)
    assert seating.sweep(older_than_s=3600) == 0
    assert seating.sweep(older_than_s=-1) == 1
    assert sorted(tmp_path.iterdir()) == sorted([living, other])
