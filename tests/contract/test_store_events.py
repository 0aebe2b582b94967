"""A night on SQLite and on PostgreSQL: the services as a worker and an operator call them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guandan_arena.errors import InvalidArgument, LeaseLost, PermissionDenied, Refused
from guandan_arena.ports import Ports, Store
from guandan_arena.services import accounts, audit, events, ladder, matches, reaper, replays, versions
from guandan_arena.services.states import EventState, MatchEnding, MatchState, RoundState
from guandan_engine.board import MOST_DECISIONS
from guandan_engine.conduct import Verdict
from guandan_engine.shuffle import commit
from tests.arena import author, operator, played, ports_on, quick, recover, work

NAMES = ("ada", "bob", "cyd", "dan")


@pytest.fixture
def ports(store: Store, tmp_path) -> Ports:
    made = ports_on(store, tmp_path)
    for name in NAMES:
        author(made, name)
    made.queue.waiting.clear()
    return made


def test_a_night_runs_to_its_end_and_its_audit_is_clean(ports):
    event = events.open_night(ports)
    assert event.secret is None
    assert work(ports) == 6
    over = events.get(ports, event_id=event.id)
    assert over.state is EventState.OVER
    assert commit(over.secret, over.id) == event.commitment
    assert [r.state for r in events.rounds(ports, event_id=event.id)] == [RoundState.CLOSED] * 3
    report = audit.run(ports)
    assert report.findings == ()
    assert (report.events, report.matches, report.tables) == (1, 6, 12)


def test_standings_and_leaderboard_tell_the_same_elo(ports):
    event = events.open_night(ports)
    work(ports)
    lines = events.standings(ports, event_id=event.id)
    board = {line.version_id: line for line in ladder.leaderboard(ports)}
    assert [line.place for line in lines] == sorted(line.place for line in lines)
    assert sum(line.elo_after_milli for line in lines) == 4 * 1_500_000
    for line in lines:
        assert board[line.entrant.version_id].elo_milli == line.elo_after_milli
        assert board[line.entrant.version_id].elo_before_milli == line.elo_before_milli == 1_500_000
        assert board[line.entrant.version_id].games == line.wins + line.draws + line.losses == 3
        assert line.decisions.whole.count > 0


def test_ratings_rebuilt_from_sql_are_the_same_bytes(ports):
    events.open_night(ports)
    work(ports)
    before = ports.ladder.dump()
    assert ladder.rebuild(ports) == before
    ports.ladder.rebuild({}, [])
    assert ladder.reconcile(ports) == 6
    assert ports.ladder.dump() == before


def test_ratings_are_refitted_with_intervals_when_a_night_ends_and_not_before(ports):
    event = events.open_night(ports, rounds=1, boards=2)
    assert not any(line.fit for line in events.standings(ports, event_id=event.id))
    work(ports)
    standings, lines = events.standings(ports, event_id=event.id), ladder.leaderboard(ports)
    fits = {line.entrant.version_id: line.fit for line in standings}
    assert {line.version_id: line.fit for line in lines} == fits
    for line in standings:
        assert line.fit is not None
        assert line.fit.low_milli < line.fit.elo_milli < line.fit.high_milli
        assert 1 <= line.fit.rank_best <= line.fit.rank_worst <= len(standings)
        assert line.fit.boards == line.boards == 2
    best, worst = max(standings, key=lambda s: s.points), min(standings, key=lambda s: s.points)
    assert best.fit.elo_milli > worst.fit.elo_milli


def test_a_night_in_which_a_slow_bot_could_make_a_match_void_is_refused(ports):
    ample = ports.settings.clocks.longest(MOST_DECISIONS) * 2
    tight = replace(ports, settings=replace(ports.settings, match_limit_ms=ample))
    with pytest.raises(InvalidArgument) as refused:
        events.open_night(tight, boards=2)
    assert refused.value.code == "match_too_long"
    assert "match_limit_ms" in refused.value.hint
    assert events.open_night(tight, boards=1).spec.boards == 1


def test_all_pairings_of_a_round_play_the_same_boards(ports):
    events.open_night(ports, boards=2)
    first, second = (matches.claim(ports, match_id=m, worker="w") for _, m in ports.queue.waiting)
    assert [t.deal_secret for t in first.tables] == [t.deal_secret for t in second.tables]
    assert len({t.deal_secret for t in first.tables}) == 2


def test_an_odd_field_gives_one_bye_a_round_which_moves_no_elo(ports):
    author(ports, "eve")
    ports.queue.waiting.clear()
    event = events.open_night(ports)
    work(ports, play=quick)
    byes = [m for m in matches.browse(ports, event_id=event.id) if m.ending is MatchEnding.BYE]
    assert len(byes) == len({m.a.version_id for m in byes}) == 3
    assert {m.delta_milli for m in byes} == {0}
    assert sum(line.match_points for line in events.standings(ports, event_id=event.id)) == 3 * (2 * 2 + 2)


def test_the_second_night_starts_from_the_elo_of_the_first(ports):
    events.open_night(ports)
    work(ports)
    elo = {line.version_id: line.elo_milli for line in ladder.leaderboard(ports)}
    ports.clock.pass_ms(1000)
    second = events.open_night(ports)
    assert {e.version_id: e.elo_milli for e in events.entrants(ports, event_id=second.id)} == elo
    assert second.name.endswith("-2")
    work(ports)
    assert audit.run(ports).clean


def test_a_night_needs_two_entrants(store, tmp_path):
    ports = ports_on(store, tmp_path)
    author(ports, "ada")
    with pytest.raises(Refused, match="2 active bots, there are 1"):
        events.open_night(ports)


def test_only_one_night_runs_at_a_time(ports):
    events.open_night(ports)
    with pytest.raises(Refused) as refused:
        events.open_night(ports)
    assert refused.value.code == "night_running"
    assert len(events.browse(ports)) == 1


def test_only_operators_open_stop_and_pause(ports):
    plain = accounts.register(ports, name="mallory").account
    for act in (
        lambda: events.open_night(ports, caller=plain),
        lambda: events.pause(ports, paused=True, caller=plain),
        lambda: events.stop(ports, event_id="e1", caller=plain),
    ):
        with pytest.raises(PermissionDenied):
            act()
    assert events.open_night(ports, caller=operator(ports)).state is EventState.RUNNING


def test_while_paused_nothing_begins_and_afterwards_the_night_goes_on(ports):
    event = events.open_night(ports)
    (_, first), *_ = ports.queue.waiting
    claim = matches.claim(ports, match_id=first, worker="w")
    events.pause(ports, paused=True)
    with pytest.raises(Refused) as refused:
        matches.claim(ports, match_id=ports.queue.waiting[1][1], worker="w")
    assert refused.value.code == "paused"
    matches.finish(ports, claim, played(ports, claim))
    ports.queue.waiting.clear()
    recover(ports)
    assert ports.queue.waiting == []
    events.pause(ports, paused=False)
    recover(ports)
    work(ports)
    assert events.get(ports, event_id=event.id).state is EventState.OVER


def test_a_round_that_ends_while_paused_is_followed_by_the_next_after_it(ports):
    event = events.open_night(ports)
    claims = [matches.claim(ports, match_id=m, worker="w") for _, m in ports.queue.waiting]
    ports.queue.waiting.clear()
    events.pause(ports, paused=True)
    for claim in claims:
        matches.finish(ports, claim, quick(ports, claim))
    assert [r.state for r in events.rounds(ports, event_id=event.id)] == [RoundState.CLOSED]
    events.pause(ports, paused=False)
    assert reaper.reap(ports).advanced == (event.id,)
    assert len(events.rounds(ports, event_id=event.id)) == 2


def test_stopping_a_night_voids_what_is_open_and_reveals_the_secret(ports):
    event = events.open_night(ports)
    claim = matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w")
    over = events.stop(ports, event_id=event.id)
    assert commit(over.secret, over.id) == event.commitment
    assert {m.ending for m in matches.browse(ports, event_id=event.id)} == {MatchEnding.STOPPED}
    with pytest.raises(LeaseLost):
        matches.finish(ports, claim, quick(ports, claim))
    assert events.stop(ports, event_id=event.id) == over
    assert audit.run(ports).clean


def test_a_result_counts_once_however_often_it_is_delivered(ports):
    events.open_night(ports)
    claim = matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w")
    result = quick(ports, claim)
    first = matches.finish(ports, claim, result)
    dump = ports.ladder.dump()
    assert matches.finish(ports, claim, result) == first
    assert matches.finish(ports, claim, quick(ports, claim, points=-3)) == first
    assert ports.ladder.dump() == dump
    assert first.delta_milli == 20_000


def test_a_claimed_match_cannot_be_claimed_again(ports):
    events.open_night(ports)
    _, match_id = ports.queue.waiting[0]
    matches.claim(ports, match_id=match_id, worker="w1")
    with pytest.raises(Refused) as refused:
        matches.claim(ports, match_id=match_id, worker="w2")
    assert refused.value.code == "not_queued"


def test_an_expired_lease_gives_the_match_to_another_worker_and_the_first_loses_it(ports):
    events.open_night(ports)
    _, match_id = ports.queue.waiting[0]
    lost = matches.claim(ports, match_id=match_id, worker="w1")
    ports.clock.pass_ms(ports.settings.lease_ms)
    assert reaper.reap(ports).requeued == (match_id,)
    again = matches.claim(ports, match_id=match_id, worker="w2")
    assert again.fence == 2
    for late in (
        lambda: matches.renew(ports, lost),
        lambda: matches.finish(ports, lost, quick(ports, lost)),
    ):
        with pytest.raises(LeaseLost):
            late()
    assert matches.finish(ports, again, quick(ports, again)).fence == 2


def test_a_renewed_lease_does_not_expire(ports):
    events.open_night(ports)
    claim = matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w1")
    for _ in range(5):
        ports.clock.pass_ms(ports.settings.lease_renew_ms)
        claim = matches.renew(ports, claim)
    assert reaper.reap(ports).requeued == ()


def test_lost_tasks_are_queued_again_once_nothing_is_being_played(ports):
    events.open_night(ports)
    (_, busy), (_, lost) = ports.queue.waiting
    claim = matches.claim(ports, match_id=busy, worker="w1")
    ports.queue.waiting.clear()
    for _ in range(10):
        ports.clock.pass_ms(ports.settings.lease_renew_ms)
        claim = matches.renew(ports, claim)
    assert reaper.reap(ports).requeued == ()
    matches.finish(ports, claim, quick(ports, claim))
    assert reaper.reap(ports).requeued == (lost,)
    assert reaper.reap(ports).requeued == ()


def test_our_faults_play_the_match_again_and_too_many_make_it_void_without_elo(ports):
    event = events.open_night(ports)
    _, match_id = ports.queue.waiting[0]
    for attempt in range(1, ports.settings.match_attempts + 1):
        claim = matches.claim(ports, match_id=match_id, worker="w1")
        back = matches.give_back(ports, claim, verdict=Verdict.HARNESS_FAULT, detail="sandbox broke")
        assert back.fence == attempt
    assert (back.state, back.ending) == (MatchState.VOID, MatchEnding.INFRASTRUCTURE_FAULT)
    assert matches.give_back(ports, claim, verdict=Verdict.HARNESS_FAULT, detail="again") == back
    work(ports)
    assert events.get(ports, event_id=event.id).state is EventState.OVER
    assert audit.run(ports).clean
    assert {line.elo_after_milli for line in events.standings(ports, event_id=event.id)} != {1_500_000}


def test_a_bots_fault_cannot_be_given_back_and_ours_cannot_be_finished(ports):
    events.open_night(ports)
    claim = matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w1")
    with pytest.raises(InvalidArgument, match="bot's fault"):
        matches.give_back(ports, claim, verdict=Verdict.TIMED_OUT, detail="slow")
    ours = (Verdict.OK, Verdict.HARNESS_FAULT, Verdict.OK, Verdict.OK)
    with pytest.raises(InvalidArgument, match="fault of ours"):
        matches.finish(ports, claim, quick(ports, claim, verdicts=ours))


@pytest.mark.parametrize(
    "broken",
    [
        lambda result: replace(result, tables=result.tables[:1]),
        lambda result: replace(result, tables=(result.tables[0], result.tables[0])),
        lambda result: replace(result, tables=tuple(replace(t, table_id="other") for t in result.tables)),
        lambda result: replace(result, tables=tuple(replace(t, order=(0, 0, 1, 2)) for t in result.tables)),
        lambda result: replace(result, tables=tuple(replace(t, replay_digest="0" * 64) for t in result.tables)),
    ],
    ids=["table missing", "table twice", "other attempt", "no order", "no replay"],
)
def test_a_result_that_is_not_whole_is_refused(ports, broken):
    events.open_night(ports)
    claim = matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w1")
    with pytest.raises(InvalidArgument):
        matches.finish(ports, claim, broken(quick(ports, claim)))


def test_who_never_connects_at_any_table_forfeits_without_elo(ports):
    event = events.open_night(ports)
    claim = matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w1")
    absent = {
        0: (Verdict.NEVER_CONNECTED, *[Verdict.OK] * 3),
        1: (Verdict.OK, Verdict.NEVER_CONNECTED, *[Verdict.OK] * 2),
    }
    whole = quick(ports, claim)
    tables = tuple(replace(t, verdicts=absent[t.way]) for t in whole.tables)
    match = matches.finish(ports, claim, replace(whole, tables=tables))
    assert (match.ending, match.delta_milli) == (MatchEnding.FORFEIT_A, 0)
    lines = {line.entrant.version_id: line for line in events.standings(ports, event_id=event.id)}
    assert lines[match.a.version_id].match_points == 0
    assert lines[match.a.version_id].faults.total == 2
    assert lines[match.b.version_id].match_points == 2


def test_who_never_connects_at_one_table_only_is_rated(ports):
    events.open_night(ports)
    claim = matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w1")
    whole = quick(ports, claim)
    first = replace(whole.tables[0], verdicts=(Verdict.NEVER_CONNECTED, *[Verdict.OK] * 3))
    match = matches.finish(ports, claim, replace(whole, tables=(first, *whole.tables[1:])))
    assert (match.ending, match.delta_milli) == (MatchEnding.PLAYED, 20_000)


def test_a_replay_is_found_by_table_and_by_match(ports):
    events.open_night(ports)
    claim = matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w1")
    matches.finish(ports, claim, played(ports, claim))
    table = matches.get(ports, match_id=claim.match_id).tables[1]
    with pytest.raises(Refused) as early:  # the other match of the round is playing the same cards
        replays.get(ports, table_id=table.id)
    assert early.value.code == "round_running"
    with pytest.raises(Refused):
        replays.find(ports, match_id=claim.match_id, board=1, way=1)
    work(ports)
    by_table = replays.get(ports, table_id=table.id)
    assert by_table == replays.find(ports, match_id=claim.match_id, board=1, way=1)
    assert by_table.lines.startswith(b"{")


def test_a_version_that_is_retired_during_a_night_plays_it_to_the_end(ports):
    event = events.open_night(ports)
    entrant = events.entrants(ports, event_id=event.id)[0]
    versions.retire(ports, caller=operator(ports), version_id=entrant.version_id)
    work(ports)
    assert events.get(ports, event_id=event.id).state is EventState.OVER
    assert entrant.version_id not in {line.version_id for line in ladder.leaderboard(ports)}
    assert entrant.version_id in {line.version_id for line in ladder.leaderboard(ports, active_only=False)}


def test_hostile_evidence_is_kept_as_harmless_text(ports):
    events.open_night(ports)
    claim = matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w" * 200)
    details = ("nul \0", "half \ud800", "x" * 5000, "<script>\x1b[2J\u202e")
    matches.finish(ports, claim, quick(ports, claim, details=details))
    kept = matches.get(ports, match_id=claim.match_id).tables[0].result.details
    assert kept == ("nul \\x00", "half \\ud800", "x" * 2000, "<script>\\x1b[2J\\u202e")


def test_matches_are_listed_newest_round_first(ports):
    event = events.open_night(ports)
    work(ports, play=quick)
    listed = matches.browse(ports, event_id=event.id)
    assert [(m.round, m.number) for m in listed] == [(3, 1), (3, 2), (2, 1), (2, 2), (1, 1), (1, 2)]
    assert matches.browse(ports, event_id=event.id, limit=2, offset=2) == listed[2:4]
    one = listed[0].a.version_id
    assert {m.round for m in matches.browse(ports, version_id=one)} == {1, 2, 3}
