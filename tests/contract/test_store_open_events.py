"""An open event on SQLite and on PostgreSQL: remote bots are in it, and no rating knows that it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guandan_arena.errors import PermissionDenied, Refused
from guandan_arena.ports import Ports, Store
from guandan_arena.services import audit, events, ladder, matches, reaper
from guandan_arena.services.states import EventKind, EventState, MatchEnding, VersionState
from guandan_engine.conduct import Verdict
from tests.arena import DOOR, author, operator, played, ports_on, quick, remote_author, work

HERE = ("ada", "bob")


@pytest.fixture
def ports(store: Store, tmp_path) -> Ports:
    made = ports_on(store, tmp_path)
    made = replace(made, settings=replace(made.settings, **DOOR))
    for name in HERE:
        author(made, name)
    for name in ("cyd", "dan"):
        assert remote_author(made, name).version.state is VersionState.ACTIVE
    made.queue.waiting.clear()
    return made


def test_an_open_event_takes_remote_bots_and_a_night_leaves_them_out(ports):
    night = events.open_night(ports, rounds=1)
    opened = events.open_night(ports, rounds=1, remote=True)  # they may run at the same time
    assert (night.kind, opened.kind) == (EventKind.NIGHT, EventKind.OPEN)
    assert {e.bot: e.remote for e in events.entrants(ports, event_id=night.id)} == {"ada-bot": False, "bob-bot": False}
    field = {e.bot: e.remote for e in events.entrants(ports, event_id=opened.id)}
    assert field == {"ada-bot": False, "bob-bot": False, "cyd-bot": True, "dan-bot": True}
    assert opened.spec.clocks.connect_ms >= 30_000 > night.spec.clocks.connect_ms
    assert opened.name.startswith("open-")


def test_an_open_event_moves_no_rating_and_its_audit_is_clean(ports):
    events.open_night(ports)
    work(ports)
    before, board = ports.ladder.dump(), ladder.leaderboard(ports)
    event = events.open_night(ports, remote=True)
    assert work(ports) == 6
    assert events.get(ports, event_id=event.id).state is EventState.OVER
    assert ports.ladder.dump() == before == ladder.rebuild(ports)
    assert ladder.reconcile(ports) == 0
    assert ladder.leaderboard(ports) == board
    lines = events.standings(ports, event_id=event.id)
    assert {line.elo_after_milli - line.elo_before_milli for line in lines} == {0}
    assert not any(line.fit for line in lines)
    assert [m.rated for m in matches.browse(ports, event_id=event.id)] == [False] * 6
    assert audit.run(ports).findings == ()


def test_a_night_that_ends_during_an_open_event_makes_no_finding(ports):
    opened = events.open_night(ports, remote=True, rounds=2)
    waiting, ports.queue.waiting[:] = list(ports.queue.waiting), []
    events.open_night(ports, rounds=1)
    work(ports)
    ports.queue.waiting[:] = waiting
    work(ports)
    assert events.get(ports, event_id=opened.id).state is EventState.OVER
    assert audit.run(ports).findings == ()
    ports.clock.pass_ms(1000)
    events.open_night(ports, rounds=1)
    work(ports)
    assert audit.run(ports).findings == ()


def test_a_refit_knows_only_rated_boards(ports):
    events.open_night(ports, remote=True, rounds=1)
    work(ports, play=quick)
    ports.clock.pass_ms(1000)
    event = events.open_night(ports, rounds=1)
    work(ports, play=quick)
    assert {line.fit.boards for line in events.standings(ports, event_id=event.id)} == {1}


def test_a_remote_bot_that_never_comes_forfeits(ports):
    events.open_night(ports, remote=True, rounds=1)
    claim = next(
        claim
        for _, match_id in ports.queue.waiting
        if (claim := matches.claim(ports, match_id=match_id, worker="w1")).a.remote or claim.b.remote
    )
    side = 0 if claim.a.remote else 1
    absent = {
        way: tuple(Verdict.NEVER_CONNECTED if (seat + way) % 2 == side else Verdict.OK for seat in range(4))
        for way in (0, 1)
    }
    whole = quick(ports, claim)
    result = replace(whole, tables=tuple(replace(t, verdicts=absent[t.way]) for t in whole.tables))
    match = matches.finish(ports, claim, result)
    assert match.ending is (MatchEnding.FORFEIT_A, MatchEnding.FORFEIT_B)[side]


def test_one_open_event_runs_at_a_time(ports):
    first = events.open_night(ports, remote=True)
    with pytest.raises(Refused) as refused:
        events.open_night(ports, remote=True)
    assert refused.value.code == "night_running"
    assert first.id in refused.value.hint


def test_a_lost_task_of_a_night_is_queued_again_while_remote_bots_play_and_the_other_way_round(ports):
    opened = events.open_night(ports, remote=True, rounds=1)
    night = events.open_night(ports, rounds=1)
    (lost,) = [m.id for m in matches.browse(ports, event_id=night.id)]
    far = [m.id for m in matches.browse(ports, event_id=opened.id) if m.remote]
    ports.queue.waiting.clear()
    for plays, waits in ((far[0], {lost}), (lost, set(far[1:]))):
        claim = matches.claim(ports, match_id=plays, worker="w1")
        for _ in range(10):
            ports.clock.pass_ms(ports.settings.lease_renew_ms)
            claim = matches.renew(ports, claim)
        assert waits <= set(reaper.reap(ports).requeued)
        matches.finish(ports, claim, quick(ports, claim))


def test_an_arena_without_a_door_opens_no_open_event_and_takes_no_remote_bot(ports):
    shut = replace(ports, settings=replace(ports.settings, remote_host="", remote_ports=""))
    with pytest.raises(Refused) as refused:
        events.open_night(shut, remote=True)
    assert refused.value.code == "no_remote_bots"
    with pytest.raises(Refused) as refused:
        remote_author(shut, "eve")
    assert refused.value.code == "no_remote_bots"


def test_only_an_operator_opens_an_event(ports):
    boss = operator(ports)
    assert events.open_night(ports, remote=True, caller=boss).kind is EventKind.OPEN
    with pytest.raises(PermissionDenied):
        events.open_night(ports, remote=True, caller=replace(boss, operator=False))


def test_the_replays_of_remote_seats_name_their_version(ports):
    event = events.open_night(ports, remote=True, rounds=1)
    work(ports, play=played)
    assert audit.run(ports, event_id=event.id).clean
