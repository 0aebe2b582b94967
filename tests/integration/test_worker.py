"""What a worker does with a match and with a new version: real services, real bot processes, faked queue and ladder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from guandan_arena import errors
from guandan_arena.errors import Unavailable
from guandan_arena.ports import Ports
from guandan_arena.services import accounts, audit, bots, checks, events, matches, stages, versions
from guandan_arena.services.records import Check, Match, Version
from guandan_arena.services.states import CheckState, EventState, MatchState, VersionState
from guandan_arena.settings import Settings
from guandan_engine.conduct import Verdict
from guandan_runner.errors import InfrastructureFault
from guandan_runner.sandbox import Sandbox, SeatProcess, SeatSpec, load_policy
from guandan_runner.sandbox.process import ProcessSandbox
from guandan_workers import checks as worker_checks
from guandan_workers import lease as worker_lease
from guandan_workers import matches as worker_matches
from guandan_workers import tasks
from guandan_workers.worker import Worker, roots_of, shelf_of
from tests.arena import MANIFEST, archive, operator, ports_on
from tests.databases import fresh_store, sqlite_template

GREEDY = "from guandan_sdk.bots.greedy import GreedyBot\nfrom guandan_sdk import run\nrun(GreedyBot)\n"


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[Ports]:
    settings = Settings(
        data_dir=tmp_path,
        night_rounds=1,
        night_boards=1,
        clock_connect_ms=20_000,
        clock_move_ms=5_000,
        clock_bank_ms=5_000,
        lease_renew_ms=200,
    )
    with fresh_store(sqlite_template(tmp_path)) as store:
        yield ports_on(store, tmp_path, settings)


@pytest.fixture
def worker(ports: Ports, tmp_path: Path) -> Worker:
    policy = load_policy()
    return Worker("w1", ports, ProcessSandbox(policy), policy, shelf_of(ports), roots_of(ports.settings))


def submit(ports: Ports, source: str, *, name: str = "ada") -> Version:
    account = accounts.register(ports, name=name).account
    bots.create(ports, caller=account, name=f"{name}-bot")
    packed = archive({"bot.toml": MANIFEST, "bot.py": source})
    return versions.submit(ports, caller=account, bot=f"{name}-bot", archive=packed).version


def checked(worker: Worker, source: str) -> tuple[Version, Check]:
    version = submit(worker.ports, source)
    worker_checks.check(worker, version.id)
    check = versions.check_of(worker.ports, version_id=version.id, caller=operator(worker.ports))
    return versions.get(worker.ports, version_id=version.id), check


def test_a_bot_that_passes_every_stage_becomes_active(worker: Worker) -> None:
    version, check = checked(worker, GREEDY)
    assert version.state is VersionState.ACTIVE
    assert check.state is CheckState.PASSED
    told = stages.of(worker.ports, version_id=version.id, caller=operator(worker.ports, "boss"))
    log = next(report.log for report in told if report.stage.name == "checked")
    assert [
        text for text in ("--- static: passed", "boards       1, each both ways", "p99", "MB") if text not in log
    ] == []


REFUSED = {
    "exits_at_once": ("import sys; sys.exit('no weights found')", Verdict.CRASHED, ["no weights found", "exit code 1"]),
    "does_not_compile": ("def play(:\n", Verdict.CRASHED, ["bot.py, line 1: SyntaxError", "py_compile"]),
    "raises": (
        "from guandan_sdk import *\nclass B(Bot):\n  def play(self, view, options): return 1 // 0\nrun(B)\n",
        Verdict.CRASHED,
        ["ZeroDivisionError"],
    ),
    "plays_illegally": (
        "from guandan_sdk import *\nclass B(Bot):\n"
        "  def play(self, view, options): return Lay((list(view.hand)[0],) * 3)\nrun(B)\n",
        Verdict.ILLEGAL_PLAYS,
        ["refused", "guandan play"],
    ),
    "speaks_another_version": (
        "from guandan_sdk import *\nimport guandan_sdk.client as c\nfrom functools import partial\n"
        "c.Hello = partial(c.Hello, lowest=7, highest=9)\nclass B(Bot):\n  def play(self, view, options): return None\n"
        "run(B)\n",
        Verdict.PROTOCOL_BROKEN,
        ["protocol versions 7 to 9", "guandan-sdk"],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_version_that_cannot_play_is_refused_with_reason_hint_and_last_words(name: str, worker: Worker) -> None:
    source, verdict, said = REFUSED[name]
    version, check = checked(worker, source)
    assert version.state is VersionState.REFUSED
    assert check.verdict is verdict
    told = f"{check.detail}\n{check.output}"
    assert [text for text in (*said, "hint: ") if text not in told] == []


def test_what_a_version_wrote_is_no_part_of_what_everyone_is_told(worker: Worker) -> None:
    version, check = checked(worker, "import sys; sys.exit('the weights are under the doormat')")
    assert "under the doormat" in check.output
    public = versions.check_of(worker.ports, version_id=version.id)
    assert "doormat" not in str(public)
    assert "process ended with exit code 1\nhint: " in public.detail


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("import time; time.sleep(600)", Verdict.NEVER_CONNECTED),
        (
            "from guandan_sdk import *\nimport time\nclass B(Bot):\n"
            "  def play(self, view, options): time.sleep(600)\nrun(B)\n",
            Verdict.TIMED_OUT,
        ),
    ],
    ids=["never_connects", "too_slow"],
)
def test_a_version_that_lets_the_clock_run_out_is_refused(source: str, verdict: Verdict, worker: Worker) -> None:
    hurried = replace(worker.ports.settings, clock_connect_ms=4_000, clock_move_ms=300, clock_bank_ms=100)
    version, check = checked(replace(worker, ports=replace(worker.ports, settings=hurried)), source)
    assert version.state is VersionState.REFUSED
    assert check.verdict is verdict
    assert "hint: " in check.detail


def test_an_archive_that_no_longer_unpacks_is_refused_with_the_reason(worker: Worker) -> None:
    version = submit(worker.ports, GREEDY)
    small = replace(worker.ports.settings, unpacked_max_bytes=1, archive_max_bytes=1)
    limited = replace(worker.ports, settings=small)
    worker_checks.check(replace(worker, ports=limited, shelf=shelf_of(limited)), version.id)
    found = stages.of(worker.ports, version_id=version.id)[1].stage
    assert (found.name, found.state, found.code) == ("unpacked", "refused", "unpacked_too_large")
    assert "unpacks to more than" in versions.check_of(worker.ports, version_id=version.id).detail


class Broken:
    """A sandbox that never starts."""

    kind = "broken"

    def start(self, spec: SeatSpec) -> SeatProcess:
        raise InfrastructureFault("no space left")

    def close(self) -> None:
        pass


def test_a_check_that_our_machine_fails_is_given_back_and_refuses_nothing(worker: Worker) -> None:
    version = submit(worker.ports, GREEDY)
    with capture_logs() as logged:
        worker_checks.check(replace(worker, sandbox=Broken()), version.id)
    check = versions.check_of(worker.ports, version_id=version.id)
    assert check.state is CheckState.QUEUED
    (entry,) = [entry for entry in logged if "incident" in entry]
    assert "no space left" in entry["cause"]
    assert check.detail == f"the arena failed; this is incident {entry['incident']}"


@pytest.fixture
def waiting(worker: Worker) -> Match:
    """The one match of a night of two bots."""
    for name in ("ada", "bob"):
        version = submit(worker.ports, f"# {name}\n{GREEDY}", name=name)
        claim = checks.claim(worker.ports, version_id=version.id, worker="w0")
        checks.finish(worker.ports, claim, verdict=Verdict.OK)
    event = events.open_night(worker.ports)
    return matches.browse(worker.ports, event_id=event.id)[0]


def test_a_match_is_played_and_its_result_kept_with_replays_that_verify(worker: Worker, waiting: Match) -> None:
    worker_matches.play(worker, waiting.id)
    detail = matches.get(worker.ports, match_id=waiting.id)
    assert detail.match.state is MatchState.DONE
    assert [(table.result.board, table.result.way) for table in detail.tables] == [(1, 0), (1, 1)]
    assert all(seat.whole.count for table in detail.tables for seat in table.result.decisions)
    for pace in (table.result.pace for table in detail.tables):
        assert pace.decisions > 0
        assert pace.wall_ns > pace.thinking_ns > 0
    assert events.get(worker.ports, event_id=waiting.event_id).state is EventState.OVER
    assert audit.run(worker.ports).clean


def test_a_match_delivered_twice_is_played_once(worker: Worker, waiting: Match) -> None:
    worker_matches.play(worker, waiting.id)
    first = matches.get(worker.ports, match_id=waiting.id)
    worker_matches.play(worker, waiting.id)
    worker_matches.play(worker, "m-unknown")
    assert matches.get(worker.ports, match_id=waiting.id) == first


def test_a_match_that_our_machine_fails_is_given_back_and_costs_no_rating(worker: Worker, waiting: Match) -> None:
    worker_matches.play(replace(worker, sandbox=Broken()), waiting.id)
    match = matches.get(worker.ports, match_id=waiting.id).match
    assert (match.state, match.fence, match.delta_milli) == (MatchState.QUEUED, 1, 0)
    worker_matches.play(worker, waiting.id)
    assert matches.get(worker.ports, match_id=waiting.id).match.state is MatchState.DONE


class Sleeping:
    """A sandbox whose bots do nothing at all."""

    kind = "sleeping"

    def __init__(self, real: Sandbox) -> None:
        self._real = real

    def start(self, spec: SeatSpec) -> SeatProcess:
        return self._real.start(replace(spec, entry=("python", "-c", "import time; time.sleep(600)")))

    def close(self) -> None:
        pass


def test_a_match_that_takes_too_long_is_given_back(worker: Worker, waiting: Match) -> None:
    hurry = {"clock_connect_ms": 10, "clock_move_ms": 1, "clock_bank_ms": 0, "clock_increment_ms": 0}
    short = replace(worker.ports.settings, match_limit_ms=1_000, **hurry)
    slow = replace(worker, ports=replace(worker.ports, settings=short), sandbox=Sleeping(worker.sandbox))
    worker_matches.play(slow, waiting.id)
    assert matches.get(worker.ports, match_id=waiting.id).match.state is MatchState.QUEUED


@pytest.mark.parametrize("why", ["night_running", "paused", "too_few_entrants"])
def test_when_no_night_can_be_opened_the_beat_goes_on(
    why: str, ports: Ports, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "night_running":
        request.getfixturevalue("waiting")
    events.pause(ports, paused=why == "paused")
    monkeypatch.setattr(tasks, "this_arena", lambda: ports)
    with capture_logs() as said:
        tasks.open_night()
    assert [entry["code"] for entry in said if entry["event"] == "no night opened"] == [why]


def test_a_night_that_cannot_be_opened_for_any_other_reason_is_an_error(
    ports: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Ports) -> None:
        raise errors.Refused("not_in_this_state", "something is wrong")

    monkeypatch.setattr(tasks, "this_arena", lambda: ports)
    monkeypatch.setattr(tasks.events, "open_night", refused)
    with pytest.raises(errors.Refused, match="something is wrong"):
        tasks.open_night()


class Stealing:
    """A sandbox during whose first start another attempt takes the match."""

    kind = "stealing"

    def __init__(self, real: Sandbox, ports: Ports, match_id: str) -> None:
        self._real = real
        self._ports = ports
        self._match_id = match_id
        self._stolen = False
        self.started: list[SeatProcess] = []

    def start(self, spec: SeatSpec) -> SeatProcess:
        if spec.name.endswith("-0") and not self._stolen:
            self._stolen = True
            with self._ports.store.transaction() as tx:
                match = tx.pairings.lock(self._match_id)
                tx.pairings.save(replace(match, fence=match.fence + 1, worker="w2"))
        seat = self._real.start(replace(spec, entry=("python", "-c", "import time; time.sleep(600)")))
        self.started.append(seat)
        return seat

    def close(self) -> None:
        pass


def test_a_lost_lease_ends_the_play_and_writes_nothing(worker: Worker, waiting: Match) -> None:
    sandbox = Stealing(worker.sandbox, worker.ports, waiting.id)
    worker_matches.play(replace(worker, sandbox=sandbox), waiting.id)
    match = matches.get(worker.ports, match_id=waiting.id).match
    assert (match.state, match.worker, match.fence) == (MatchState.PLAYING, "w2", 2)
    assert sandbox.started
    assert all(seat.wait(0) for seat in sandbox.started)


def test_a_database_that_does_not_answer_for_a_while_does_not_end_the_work() -> None:
    renewals: list[int] = []

    def renew() -> None:
        renewals.append(1)
        if len(renewals) < 3:
            raise Unavailable("down", "SQL does not answer")

    async def work() -> str:
        import asyncio

        while len(renewals) < 4:
            await asyncio.sleep(0.01)
        return "done"

    done = worker_lease.work_under_lease(work, renew, every_ms=10, lease_ms=30_000, limit_ms=30_000)
    assert done == "done"
