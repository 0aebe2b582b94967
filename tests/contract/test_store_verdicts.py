"""What a night keeps of bots that fail, on SQLite and on PostgreSQL: facts, lost tables, logs, suspensions."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from guandan_arena.errors import InvalidArgument, NotFound, PermissionDenied, Refused
from guandan_arena.ports import Ports, Store
from guandan_arena.services import audit, checks, events, logs, matches, replays, stages, times, versions
from guandan_arena.services.records import MatchResult
from guandan_arena.services.states import MatchEnding, StageName, VersionState
from guandan_arena.store.schema import played_table
from guandan_engine.board import entrant_of
from guandan_engine.conduct import Verdict
from guandan_engine.decisions import Decisions, DecisionTimes
from guandan_runner.results import SeatFacts, SeatNote
from tests.arena import author, operator, ports_on, quick, work

NAMES = ("ada", "bob", "cyd", "dan")


@pytest.fixture
def ports(store: Store, tmp_path) -> Ports:
    made = ports_on(store, tmp_path)
    for name in NAMES:
        author(made, name)
    made.queue.waiting.clear()
    return made


FACTS = SeatFacts(
    exit_code=3, killed=True, peak_memory_bytes=2**40, cpu_ms=5, silent_ms=7, bank_ms=9, given_up=True, move=41
)


def lost_rest(ports, claim, *, entrant, points):
    """A result in which an entrant's seat is given up at the first table, and the rest is lost."""
    first, *rest = quick(ports, claim).tables
    facts = tuple(FACTS if entrant_of(seat, first.way) == entrant else SeatFacts() for seat in range(4))
    lost = (entrant == 0, entrant == 1)
    told = [replace(table, points=points, replay_digest="", lost=lost) for table in rest]
    return MatchResult((replace(first, facts=facts, points=-1), *told))


def test_what_a_fault_has_lost_is_kept_with_the_facts_that_show_it_and_counts_in_full(ports):
    event = events.open_night(ports, boards=2)
    claim = matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w1")
    match = matches.finish(ports, claim, lost_rest(ports, claim, entrant=0, points=-3))
    assert (match.score, match.ending) == (-1 - 3 * 3, MatchEnding.PLAYED)
    first, *rest = matches.get(ports, match_id=match.id).tables
    assert first.result.facts == (FACTS, SeatFacts(), FACTS, SeatFacts())
    assert {table.result.lost for table in rest} == {(True, False)}
    work(ports, play=quick)
    with pytest.raises(NotFound, match="lost beforehand"):
        replays.get(ports, table_id=rest[0].id)
    assert sum(line.boards for line in events.standings(ports, event_id=event.id)) == 4 * 3 * 2


def test_nothing_is_lost_without_a_fault_before_it_nor_for_other_points(ports):
    events.open_night(ports, boards=2)
    claim = matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w1")
    innocent = lost_rest(ports, claim, entrant=1, points=3)
    faultless = MatchResult(tuple(replace(table, facts=(SeatFacts(),) * 4) for table in innocent.tables))
    for result in (
        faultless,
        lost_rest(ports, claim, entrant=1, points=2),
        lost_rest(ports, claim, entrant=0, points=3),
    ):
        with pytest.raises(InvalidArgument, match="not lost by a fault"):
            matches.finish(ports, claim, result)


def account(ports, name):
    """The account of this name."""
    with ports.store.snapshot() as tx:
        return tx.accounts.find(name)


HOSTILE = "\x1b[2J\x1b]0;owned\x07 <b>&\u202e" + "x" * 1_000_000


def test_a_log_is_told_to_its_owner_and_operators_only_and_commands_nothing(ports):
    events.open_night(ports, rounds=1)
    claim = matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w1")
    digests = [logs.put(ports, output=f"seat {seat} {HOSTILE}", notes=[SeatNote(7, HOSTILE)]) for seat in range(4)]
    matches.finish(ports, claim, quick(ports, claim, log_digests=tuple(digests)))
    owner = account(ports, claim.a.owner)
    with pytest.raises(Refused, match="still being played"):
        logs.of_match(ports, caller=owner, match_id=claim.match_id)
    work(ports, play=quick)
    told = logs.of_match(ports, caller=owner, match_id=claim.match_id)
    assert [(log.table_id[-1], log.seat) for log in told] == [("a", 0), ("a", 2), ("b", 1), ("b", 3)]
    assert told[0].output.startswith("seat 0 \\x1b[2J\\x1b]0;owned\\x07 <b>&\\u202exxx")
    assert all(char.isprintable() for log in told for text in (log.output, log.notes[0].text) for char in text)
    assert max(len(text) for log in told for text in (log.output, log.notes[0].text)) < 2_100
    assert [log.seat for log in logs.of_match(ports, caller=operator(ports), match_id=claim.match_id)] == [
        *range(4)
    ] * 2
    stranger = next(name for name in NAMES if name not in (claim.a.owner, claim.b.owner))
    with pytest.raises(PermissionDenied, match="belong to"):
        logs.of_match(ports, caller=account(ports, stranger), match_id=claim.match_id)
    with pytest.raises(NotFound, match="no bot of yours"):
        logs.of_match(ports, caller=owner, match_id=claim.match_id, version_id=claim.b.version_id)


def test_a_seat_that_wrote_nothing_has_an_empty_log(ports):
    events.open_night(ports, rounds=1)
    work(ports, play=quick)
    match = matches.browse(ports)[0]
    told = logs.of_match(ports, caller=operator(ports), match_id=match.id)
    assert {(log.output, log.notes) for log in told} == {("", ())}
    assert len(told) == 8


def faulty(ports, claim, version_id):
    """A result in which this version, if it plays, is given up and loses the rest."""
    for entrant, side in enumerate((claim.a, claim.b)):
        if side.version_id == version_id:
            return lost_rest(ports, claim, entrant=entrant, points=(-3, 3)[entrant])
    return quick(ports, claim)


def state_of(ports, version_id):
    return versions.get(ports, version_id=version_id).state


def suspended(ports):
    """A night of three rounds in which one version faults in every match; its id, and its owner."""
    version = versions.history(ports, bot="ada-bot")[0]
    events.open_night(ports)
    work(ports, play=lambda ports, claim: faulty(ports, claim, version.id))
    return version.id, account(ports, "ada")


def test_a_version_that_faults_in_three_matches_running_is_suspended_with_a_notice(ports):
    version_id, owner = suspended(ports)
    assert state_of(ports, version_id) is VersionState.SUSPENDED
    notice = stages.of(ports, version_id=version_id, caller=owner)[-1].stage
    assert (notice.name, notice.code) == (StageName.ACTIVE, "suspended")
    assert notice.reason.count(", ") == 2
    assert "guandan bot activate ada-bot --version 1" in notice.hint
    assert next(entry.action for entry in audit.journal(ports, subject=version_id)) == "version.suspend"
    assert {found.code for found in audit.run(ports).findings} == {"replay_missing"}  # what is quick has none
    others = {line.entrant.version_id for line in events.standings(ports, event_id=events.browse(ports)[0].id)}
    assert {state_of(ports, other) for other in others - {version_id}} == {VersionState.ACTIVE}
    assert version_id not in {entrant.version_id for entrant in entrants(ports, events.open_night(ports))}


def entrants(ports, event):
    with ports.store.snapshot() as tx:
        return tx.events.entrants(event.id)


def test_faults_that_do_not_run_on_suspend_nobody(ports):
    version = versions.history(ports, bot="ada-bot")[0]
    events.open_night(ports)
    counts = []

    def every_other(ports, claim):
        if version.id in (claim.a.version_id, claim.b.version_id):
            counts.append(claim.match_id)
            if len(counts) == 2:
                return quick(ports, claim)
        return faulty(ports, claim, version.id)

    work(ports, play=every_other)
    assert len(counts) == 3
    assert state_of(ports, version.id) is VersionState.ACTIVE


def test_its_owner_lifts_a_suspension_by_a_new_check_and_counting_begins_again(ports):
    version_id, owner = suspended(ports)
    ports.clock.pass_ms(1)
    assert versions.activate(ports, caller=owner, version_id=version_id).state is VersionState.RECEIVED
    assert ports.queue.waiting.pop() == ("guandan.check_version", version_id)
    claim = checks.claim(ports, version_id=version_id, worker="w1")
    assert checks.finish(ports, claim, verdict=Verdict.OK).state is VersionState.ACTIVE
    events.open_night(ports, rounds=2)
    work(ports, play=lambda ports, claim: faulty(ports, claim, version_id))
    assert state_of(ports, version_id) is VersionState.ACTIVE


def test_a_suspended_version_whose_new_check_fails_is_refused(ports):
    version_id, owner = suspended(ports)
    versions.activate(ports, caller=owner, version_id=version_id)
    claim = checks.claim(ports, version_id=version_id, worker="w1")
    assert checks.finish(ports, claim, verdict=Verdict.CRASHED, detail="gone").state is VersionState.REFUSED


def test_an_operator_lifts_a_suspension_at_once(ports):
    version_id, _ = suspended(ports)
    assert versions.activate(ports, caller=operator(ports), version_id=version_id).state is VersionState.ACTIVE


def test_the_audit_finds_a_table_that_was_lost_without_a_fault(ports):
    events.open_night(ports, rounds=1)
    claim = matches.claim(ports, match_id=ports.queue.waiting[0][1], worker="w1")
    match = matches.finish(ports, claim, lost_rest(ports, claim, entrant=0, points=-3))
    work(ports, play=quick)
    assert {found.code for found in audit.run(ports).findings} == {"replay_missing"}
    innocent = [asdict(SeatFacts())] * 4
    with ports.store.transaction() as tx:
        tx.tables._connection.execute(  # no service would write this
            played_table.update().where(played_table.c.match_id == match.id).values(facts=innocent)
        )
    assert "lost_wrongly" in {found.code for found in audit.run(ports).findings}


def test_decision_times_of_a_version_are_those_of_its_own_seats_over_its_newest_matches(ports):
    version_id = versions.history(ports, bot="ada-bot")[0].id
    slow = DecisionTimes(leading=Decisions.of([900] * 3), tribute=Decisions.of([5]))
    fast = DecisionTimes(following=Decisions.of([1] * 7))

    def timed(ports, claim):
        own = 0 if claim.a.version_id == version_id else 1 if claim.b.version_id == version_id else None
        tables = quick(ports, claim).tables
        seated = [tuple(slow if entrant_of(s, t.way) == own else fast for s in range(4)) for t in tables]
        return MatchResult(tuple(replace(t, decisions=times) for t, times in zip(tables, seated, strict=True)))

    assert times.of_version(ports, version_id=version_id).matches == 0
    events.open_night(ports)
    work(ports, play=timed)
    found = times.of_version(ports, version_id=version_id)
    assert found.matches == 3
    assert (found.times.leading.count, found.times.following.count, found.times.tribute.count) == (36, 0, 12)
    ((english, chinese),) = found.warnings
    assert english.startswith("leading: p99 896 ms of 1000 ms free")
    assert chinese.startswith("领出")
    other = next(claim for claim in matches.browse(ports)[:1])
    opponent = other.b if other.a.version_id == version_id else other.a
    assert times.of_version(ports, version_id=opponent.version_id).warnings == ()
