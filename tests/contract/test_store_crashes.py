"""Whatever is killed between any two writes, the sweep and another delivery bring the night to the same end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from guandan_arena.errors import Unavailable
from guandan_arena.ports import Ports
from guandan_arena.services import accounts, audit, bots, checks, events, matches, reaper, versions
from guandan_arena.services.states import EventState, VersionState
from guandan_engine.conduct import Verdict
from tests.arena import archive, author, ports_on, quick, recover, work
from tests.databases import fresh_store
from tests.fakes.queue import FakeJobQueue
from tests.fuse import Fuse, Killed, fused

MOST_STEPS = 200


def a_field(store, folder) -> Ports:
    """Two active bots and a night of two rounds."""
    ports = ports_on(store, folder)
    ports = replace(ports, settings=replace(ports.settings, night_rounds=2))
    for name in ("ada", "bob"):
        author(ports, name)
    ports.queue.waiting.clear()
    return ports


def claimed(ports: Ports):
    events.open_night(ports)
    return matches.claim(ports, match_id=ports.queue.waiting.pop(0)[1], worker="w1")


def opening(ports: Ports) -> Callable[[Ports], object]:
    return events.open_night


def claiming(ports: Ports) -> Callable[[Ports], object]:
    event = events.open_night(ports)
    (match,) = matches.browse(ports, event_id=event.id)
    return lambda p: matches.claim(p, match_id=match.id, worker="w1")


def finishing_a_round(ports: Ports) -> Callable[[Ports], object]:
    claim = claimed(ports)
    result = quick(ports, claim)
    return lambda p: matches.finish(p, claim, result)


def finishing_the_night(ports: Ports) -> Callable[[Ports], object]:
    first = claimed(ports)
    matches.finish(ports, first, quick(ports, first))
    last = matches.claim(ports, match_id=ports.queue.waiting.pop(0)[1], worker="w1")
    result = quick(ports, last)
    return lambda p: matches.finish(p, last, result)


def giving_back(ports: Ports) -> Callable[[Ports], object]:
    claim = claimed(ports)
    return lambda p: matches.give_back(p, claim, verdict=Verdict.HARNESS_FAULT, detail="broke")


def giving_up(ports: Ports) -> Callable[[Ports], object]:
    claim = claimed(ports)
    once = replace(ports.settings, match_attempts=1)
    return lambda p: matches.give_back(
        replace(p, settings=once), claim, verdict=Verdict.INFRASTRUCTURE_FAULT, detail="broke"
    )


def sweeping(ports: Ports) -> Callable[[Ports], object]:
    claimed(ports)
    ports.clock.pass_ms(ports.settings.lease_ms)
    return reaper.reap


@pytest.mark.parametrize(
    "prepare",
    [opening, claiming, finishing_a_round, finishing_the_night, giving_back, giving_up, sweeping],
)
def test_a_night_killed_at_any_step_of(prepare, database_template, tmp_path):
    for steps in range(MOST_STEPS):
        with fresh_store(database_template) as store:
            ports = a_field(store, tmp_path)
            act = prepare(ports)
            fuse = Fuse(steps)
            try:
                act(fused(ports, fuse))
                killed = False
            except Killed:
                killed = True
                ports.queue.waiting.clear()
            the_night_completes(ports)
        if not killed:
            assert steps > 2
            return
    pytest.fail(f"more than {MOST_STEPS} steps")


def the_night_completes(ports: Ports) -> None:
    """A new process sweeps and works until the night is over; then all of it is in order."""
    if not events.browse(ports):
        events.open_night(ports)
    for _ in range(4):
        work(ports, play=quick)
        recover(ports)
    (event,) = events.browse(ports)
    assert event.state is EventState.OVER
    assert len(matches.browse(ports, event_id=event.id)) == 2
    findings = [f for f in audit.run(ports).findings if not f.code.startswith("replay_")]
    assert findings == []
    assert {m.fence > 0 for m in matches.browse(ports, event_id=event.id)} == {True}


def test_a_check_killed_at_any_step_is_done_again(database_template, tmp_path):
    for steps in range(MOST_STEPS):
        with fresh_store(database_template) as store:
            ports = a_field(store, tmp_path)
            caller = author(ports, "cyd").account
            ports.queue.waiting.clear()
            killed = False
            try:
                submit_and_check(fused(ports, Fuse(steps)), caller)
            except Killed:
                killed = True
            ports.queue.waiting.clear()
            version = versions.submit(ports, caller=caller, bot="cyd-bot", archive=archive(salt="two")).version
            recover(ports)
            if ports.queue.waiting:
                checks.finish(ports, checks.claim(ports, version_id=version.id, worker="w2"), verdict=Verdict.OK)
            states = {v.number: v.state for v in versions.history(ports, bot="cyd-bot")}
            assert states == {1: VersionState.CHECKED, 2: VersionState.ACTIVE}
        if not killed:
            return
    pytest.fail(f"more than {MOST_STEPS} steps")


def submit_and_check(ports: Ports, caller) -> None:
    version = versions.submit(ports, caller=caller, bot="cyd-bot", archive=archive(salt="two")).version
    claim = checks.claim(ports, version_id=version.id, worker="w1")
    checks.finish(ports, claim, verdict=Verdict.OK, log=b"hello")


class DeafQueue(FakeJobQueue):
    """A broker that does not answer."""

    def play_match(self, match_id: str, *, remote: bool = False) -> None:
        raise Unavailable("broker_unavailable", "nobody there")

    def check_version(self, version_id: str) -> None:
        raise Unavailable("broker_unavailable", "nobody there")


class DeafLadder:
    """A Redis that does not answer."""

    def __getattr__(self, name: str):
        def refuse(*_args: object, **_options: object) -> None:
            raise Unavailable("redis_unavailable", "nobody there")

        return refuse


def test_a_sweep_goes_on_past_a_check_that_cannot_be_queued(store, tmp_path):
    ports = a_field(store, tmp_path)
    caller = accounts.register(ports, name="cyd").account
    bots.create(ports, caller=caller, name="cyd-bot")
    deaf = replace(ports, queue=DeafQueue())
    version = versions.submit(deaf, caller=caller, bot="cyd-bot", archive=archive(salt="cyd")).version
    ports.clock.pass_ms(ports.settings.requeue_ms)
    assert reaper.reap(deaf).checks == (version.id,)


def test_a_result_counts_while_redis_and_broker_are_down_and_all_is_made_up_later(store, tmp_path):
    ports = a_field(store, tmp_path)
    deaf = replace(ports, queue=DeafQueue(), ladder=DeafLadder())
    event = events.open_night(deaf)
    (match,) = matches.browse(ports, event_id=event.id)
    claim = matches.claim(deaf, match_id=match.id, worker="w1")
    assert matches.finish(deaf, claim, quick(ports, claim)).delta_milli == 20_000
    assert len(events.rounds(ports, event_id=event.id)) == 2
    with pytest.raises(Unavailable):
        reaper.reap(deaf)
    the_night_completes(ports)
