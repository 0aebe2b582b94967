"""Two processes at the same step: one does it, the other finds it done."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from guandan_arena.errors import AlreadyExists, ArenaError, Refused
from guandan_arena.ports import Ports
from guandan_arena.services import accounts, audit, bots, checks, events, matches, reaper, versions
from guandan_arena.services.states import EventState
from guandan_engine.conduct import Verdict
from tests.arena import DOOR, archive, author, ports_on, quick, work


@pytest.fixture
def ports(store, tmp_path) -> Ports:
    made = ports_on(store, tmp_path)
    made = replace(made, settings=replace(made.settings, night_rounds=2))
    for name in ("ada", "bob", "cyd", "dan"):
        author(made, name)
    made.queue.waiting.clear()
    return made


def race(*acts: Callable[[], object]) -> list[object]:
    """Start all acts at one moment; return their answers, or the refusals they got."""
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        start.wait()
        try:
            return act()
        except ArenaError as refusal:
            return refusal

    with ThreadPoolExecutor(len(acts)) as pool:
        return [future.result() for future in [pool.submit(run, act) for act in acts]]


def split(answers: list[object]) -> tuple[list[object], list[ArenaError]]:
    refusals = [answer for answer in answers if isinstance(answer, ArenaError)]
    return [answer for answer in answers if not isinstance(answer, ArenaError)], refusals


def test_of_many_claims_of_a_match_one_is_granted(ports):
    events.open_night(ports)
    _, match_id = ports.queue.waiting[0]
    granted, refused = split(
        race(*(lambda n=n: matches.claim(ports, match_id=match_id, worker=f"w{n}") for n in range(6)))
    )
    assert len(granted) == 1
    assert {refusal.code for refusal in refused} == {"not_queued"}


def test_of_many_claims_of_a_check_one_is_granted(ports):
    caller = author(ports, "eve").account
    version = versions.submit(ports, caller=caller, bot="eve-bot", archive=archive(salt="x")).version
    granted, refused = split(
        race(*(lambda n=n: checks.claim(ports, version_id=version.id, worker=f"w{n}") for n in range(4)))
    )
    assert len(granted) == 1
    assert {refusal.code for refusal in refused} == {"not_queued"}


def test_a_result_delivered_twice_at_once_counts_once(ports):
    event = events.open_night(ports)
    claim = matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w")
    results = [quick(ports, claim, points=points) for points in (3, 3, -3, -3)]
    answers, refused = split(race(*(lambda r=r: matches.finish(ports, claim, r) for r in results)))
    assert refused == []
    assert len(set(answers)) == 1
    assert len(ports.ladder.applied(event.id)) == 1


def test_a_result_and_the_sweep_that_takes_it_away_do_not_both_win(ports):
    events.open_night(ports)
    claim = matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w")
    result = quick(ports, claim)
    ports.clock.pass_ms(ports.settings.lease_ms)
    ports.queue.waiting.clear()
    _, refused = split(race(lambda: matches.finish(ports, claim, result), lambda: reaper.reap(ports)))
    queued_again = ("guandan.play_match", claim.match_id) in ports.queue.waiting
    assert [refusal.code for refusal in refused] == (["lease_lost"] if queued_again else [])


def test_the_last_two_results_of_a_round_pair_the_next_once(ports):
    event = events.open_night(ports)
    claims = [matches.claim(ports, match_id=m, worker="w") for _, m in ports.queue.waiting]
    ports.queue.waiting.clear()
    results = [quick(ports, claim) for claim in claims]
    race(*(lambda c=c, r=r: matches.finish(ports, c, r) for c, r in zip(claims, results, strict=True)))
    assert len(events.rounds(ports, event_id=event.id)) == 2
    assert len(ports.queue.waiting) == 2
    work(ports, play=quick)
    assert events.get(ports, event_id=event.id).state is EventState.OVER


def test_a_round_closed_by_many_at_once_is_closed_once(ports):
    event = events.open_night(ports)
    claims = [matches.claim(ports, match_id=m, worker="w") for _, m in ports.queue.waiting]
    ports.queue.waiting.clear()
    events.pause(ports, paused=True)
    for claim in claims:
        matches.finish(ports, claim, quick(ports, claim))
    events.pause(ports, paused=False)
    _, refused = split(race(*[lambda: events.advance(ports, event_id=event.id)] * 4))
    assert refused == []
    assert len(matches.browse(ports, event_id=event.id)) == 4
    assert len(ports.queue.waiting) == 2
    assert [f for f in audit.run(ports).findings if not f.code.startswith("replay_")] == []


def test_of_two_nights_opened_at_once_one_runs(ports):
    opened, refused = split(race(*[lambda: events.open_night(ports)] * 3))
    assert len(opened) == 1
    assert {refusal.code for refusal in refused} == {"night_running"}
    assert len(ports.queue.waiting) == 2


def test_one_open_event_runs_however_many_open_it_at_once(ports):
    ports = replace(ports, settings=replace(ports.settings, **DOOR))
    opened, refused = split(race(*[lambda: events.open_night(ports, remote=True)] * 3))
    assert len(opened) == 1
    assert {refusal.code for refusal in refused} == {"night_running"}
    assert len(ports.queue.waiting) == 2


def test_the_same_archive_sent_twice_at_once_is_one_version(ports):
    caller = author(ports, "eve").account
    data = archive(salt="same")
    answers, refused = split(race(*[lambda: versions.submit(ports, caller=caller, bot="eve-bot", archive=data)] * 3))
    assert refused == []
    assert [answer.created for answer in answers].count(True) == 1
    assert len({answer.version.id for answer in answers}) == 1


def test_different_archives_sent_at_once_get_different_numbers(ports):
    caller = author(ports, "eve").account
    answers, refused = split(
        race(
            *(
                lambda n=n: versions.submit(ports, caller=caller, bot="eve-bot", archive=archive(salt=str(n)))
                for n in range(3)
            )
        )
    )
    assert refused == []
    assert sorted(answer.version.number for answer in answers) == [2, 3, 4]


def test_checks_that_pass_at_once_leave_one_version_active(ports):
    caller = author(ports, "eve").account
    claims = []
    for n in range(3):
        version = versions.submit(ports, caller=caller, bot="eve-bot", archive=archive(salt=str(n))).version
        claims.append(checks.claim(ports, version_id=version.id, worker="w"))
    _, refused = split(race(*(lambda c=c: checks.finish(ports, c, verdict=Verdict.OK) for c in claims)))
    assert refused == []
    assert bots.get(ports, name="eve-bot").active == claims[-1].version.id


def test_a_name_registered_twice_at_once_is_given_once(ports):
    given, refused = split(race(*[lambda: accounts.register(ports, name="zoe")] * 3))
    assert len(given) == 1
    assert {type(refusal) for refusal in refused} == {AlreadyExists}


def test_two_sweeps_at_once_queue_a_match_again_once(ports):
    events.open_night(ports)
    matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w")
    ports.queue.waiting.clear()
    ports.clock.pass_ms(ports.settings.lease_ms)
    reports, _ = split(race(*[lambda: reaper.reap(ports)] * 3))
    assert sum(len(report.requeued) for report in reports) == 1


def test_stopping_and_finishing_at_once_leave_a_whole_event(ports):
    event = events.open_night(ports)
    claims = [matches.claim(ports, match_id=m, worker="w") for _, m in ports.queue.waiting]
    results = [quick(ports, claim) for claim in claims]
    race(
        lambda: events.stop(ports, event_id=event.id),
        *(lambda c=c, r=r: matches.finish(ports, c, r) for c, r in zip(claims, results, strict=True)),
    )
    assert events.get(ports, event_id=event.id).state is EventState.OVER
    assert [f for f in audit.run(ports).findings if not f.code.startswith("replay_")] == []
    with pytest.raises(Refused):
        matches.claim(ports, match_id=claims[0].match_id, worker="late")


def test_an_account_that_does_many_things_at_once_keeps_within_its_quotas(ports):
    made = replace(ports, settings=replace(ports.settings, active_per_account=3, submissions_per_hour=7))
    eve = author(made, "eve").account  # one upload, one active version
    for number in range(4):
        bots.create(made, caller=eve, name=f"eve-{number}")
    sent = [
        versions.submit(made, caller=eve, bot=f"eve-{number}", archive=archive(salt=str(number))).version
        for number in range(4)
    ]
    claims = [checks.claim(made, version_id=version.id, worker="w") for version in sent]
    answers = race(*(lambda c=c: checks.finish(made, c, verdict=Verdict.OK) for c in claims))
    assert sorted(version.state for version in answers) == ["active", "active", "checked", "checked"]
    more = race(
        *(
            lambda n=n: versions.submit(made, caller=eve, bot=f"eve-{n}", archive=archive(salt=f"more {n}"))
            for n in range(4)
        )
    )
    created, refused = split(more)
    assert (len(created), [refusal.code for refusal in refused]) == (2, ["quota_uploads"] * 2)
