"""Matches: claimed by a worker under a lease, finished once, given back when something of ours breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from guandan_arena.errors import InvalidArgument, LeaseLost, Refused
from guandan_arena.ports import Ports, Transaction
from guandan_arena.ratings import elo
from guandan_arena.services import events
from guandan_arena.services.afterwards import attempt
from guandan_arena.services.boards import table_id, tables_of
from guandan_arena.services.records import (
    AuditEntry,
    Claim,
    Event,
    Match,
    MatchChange,
    MatchDetail,
    MatchResult,
    Table,
    TableResult,
)
from guandan_arena.services.standings import entrant_at
from guandan_arena.services.states import MatchEnding, MatchState
from guandan_arena.services.suspensions import suspend_if_due
from guandan_arena.settings import Settings
from guandan_engine.board import entrant_of
from guandan_engine.conduct import Verdict
from guandan_engine.quoting import quoted
from guandan_engine.rules import from_dict


def claim(ports: Ports, *, match_id: str, worker: str) -> Claim:
    """Take a queued match; raise Refused (code ``not_queued`` or ``paused``) when it cannot be had. Then do nothing."""
    lease = ports.clock.now_ms() + ports.settings.lease_ms
    with ports.store.transaction() as tx:
        match = tx.pairings.lock(match_id)
        if match.state is not MatchState.QUEUED:
            raise Refused("not_queued", f"match {match_id} is {match.state}", "nothing is to be done")
        if tx.events.paused():
            raise Refused("paused", "the arena is paused", "the match is queued again when it resumes")
        fence = match.fence + 1
        playing = replace(match, state=MatchState.PLAYING, fence=fence, worker=worker, lease_until_ms=lease)
        tx.pairings.save(playing)
        return _claim(playing, tx.events.get(match.event_id), tx.events.secret(match.event_id))


def renew(ports: Ports, claim: Claim) -> Claim:
    """Prolong the lease; raise LeaseLost when another attempt has begun. Call every settings.lease_renew_ms."""
    lease = ports.clock.now_ms() + ports.settings.lease_ms
    with ports.store.transaction() as tx:
        tx.pairings.save(replace(_held(tx, claim), lease_until_ms=lease))
    return replace(claim, lease_until_ms=lease)


def finish(ports: Ports, claim: Claim, result: MatchResult) -> Match:
    """Write the result once, move Elo, and advance the event when it was the round's last.

    The same claim finishing again gets the match as it stands; a claim that was replaced raises LeaseLost.
    """
    _check(ports, claim, result)
    now = ports.clock.now_ms()
    with ports.store.transaction() as tx:
        match = tx.pairings.lock(claim.match_id)
        if match.state is not MatchState.DONE or match.fence != claim.fence:
            match = _outcome(_held(tx, claim), result.tables, now)
            tx.pairings.save(match)
            tx.tables.add([_table(match, table) for table in result.tables])
            suspend_if_due(tx, match, result.tables, at_ms=now)
            tx.audit.add(AuditEntry(now, claim.worker, "match.finish", match.id, f"attempt {match.fence}"))
    change = change_of(match)
    if change is not None:
        attempt(lambda: ports.ladder.apply(change), what=f"rate match {match.id}")
    attempt(lambda: events.advance(ports, event_id=match.event_id), what=f"advance {match.event_id}")
    return match


def give_back(ports: Ports, claim: Claim, *, verdict: Verdict, detail: str) -> Match:
    """End an attempt without a result, because something of ours broke: queued again, or void after too many attempts.

    Giving back a claim that is over already changes nothing.
    """
    if not verdict.is_ours:
        raise InvalidArgument(
            "not_our_fault", f"{verdict} is the bot's fault, which counts", "finish the match with it"
        )
    with ports.store.transaction() as tx:
        match = tx.pairings.lock(claim.match_id)
        if match.state is not MatchState.PLAYING or match.fence != claim.fence:
            return match
        detail = f"{verdict}: {quoted(detail)}"
        match = put_back(tx, match, ports.settings, now_ms=ports.clock.now_ms(), detail=detail)
    resume(ports, match)
    return match


def put_back(tx: Transaction, match: Match, settings: Settings, *, now_ms: int, detail: str) -> Match:
    """Queue a locked match again, or make it void after too many attempts."""
    back = replace(match, state=MatchState.QUEUED, worker=None, lease_until_ms=None, queued_ms=now_ms)
    if match.fence >= settings.match_attempts:
        ending = MatchEnding.INFRASTRUCTURE_FAULT
        back = replace(back, state=MatchState.VOID, ending=ending, queued_ms=match.queued_ms, finished_ms=now_ms)
    tx.pairings.save(back)
    action = "match.void" if back.state is MatchState.VOID else "match.again"
    tx.audit.add(AuditEntry(now_ms, match.worker or "reaper", action, match.id, f"attempt {match.fence}: {detail}"))
    return back


def resume(ports: Ports, match: Match) -> None:
    """Do what follows when a match was put back: queue it, or, when void, advance its event."""
    if match.state is MatchState.QUEUED:
        events.enqueue(ports, [match])
    else:
        attempt(lambda: events.advance(ports, event_id=match.event_id), what=f"advance {match.event_id}")


def get(ports: Ports, *, match_id: str) -> MatchDetail:
    """Return a match with its tables."""
    with ports.store.snapshot() as tx:
        return MatchDetail(tx.pairings.get(match_id), tx.tables.of_match(match_id))


def browse(
    ports: Ports,
    *,
    event_id: str | None = None,
    version_id: str | None = None,
    bot_id: str | None = None,
    limit: int = 50,
    offset: int = 0,
) -> tuple[Match, ...]:
    """Return matches, newest first, of all events or a known one."""
    with ports.store.snapshot() as tx:
        if event_id is not None:
            tx.events.get(event_id)
        return tx.pairings.browse(event_id=event_id, version_id=version_id, bot_id=bot_id, limit=limit, offset=offset)


def change_of(match: Match) -> MatchChange | None:
    """Return what a match moves in the ladder; None when it moves nothing."""
    if match.b is None or not moves_elo(match, match.ending):
        return None
    return MatchChange(match.event_id, match.id, match.a.version_id, match.b.version_id, match.delta_milli)


def ending_of(match: Match, tables: Sequence[TableResult]) -> MatchEnding:
    """Return how a match came out: forfeited by whoever never sat complete at any table that was played."""
    assert match.b is not None
    a, b = (
        all(
            any(
                verdict is Verdict.NEVER_CONNECTED and entrant_at(match, table.way, seat) == side.version_id
                for seat, verdict in enumerate(table.verdicts)
            )
            for table in tables
            if table.is_played
        )
        for side in (match.a, match.b)
    )
    if a and b:
        return MatchEnding.FORFEIT_BOTH
    return MatchEnding.FORFEIT_A if a else MatchEnding.FORFEIT_B if b else MatchEnding.PLAYED


def moves_elo(match: Match, ending: MatchEnding | None) -> bool:
    """Whether a match that ends so counts for the ratings: a played one of a rated event."""
    return match.rated and ending is MatchEnding.PLAYED


def delta_of(match: Match, ending: MatchEnding, score: int) -> int:
    """Return what A gains and B loses in milli-Elo for a score, by the sign of it and the frozen ratings."""
    if match.b is None or not moves_elo(match, ending):
        return 0
    points = (score > 0) - (score < 0) + 1
    return elo.delta_milli(match.a.elo_milli, match.b.elo_milli, points, matches=(match.a.games, match.b.games))


def _outcome(match: Match, tables: Sequence[TableResult], now_ms: int) -> Match:
    score = sum(table.points for table in tables)
    ending = ending_of(match, tables)
    delta = delta_of(match, ending, score)
    done = replace(match, state=MatchState.DONE, worker=None, lease_until_ms=None, finished_ms=now_ms)
    return replace(done, ending=ending, score=score, delta_milli=delta)


def _table(match: Match, result: TableResult) -> Table:
    a, b, c, d = map(quoted, result.details)
    return Table(match.id, match.fence, replace(result, details=(a, b, c, d)))


def _claim(match: Match, event: Event, secret: bytes) -> Claim:
    assert match.b is not None
    assert match.worker is not None
    assert match.lease_until_ms is not None
    return Claim(
        match_id=match.id,
        event_id=event.id,
        round=match.round,
        fence=match.fence,
        worker=match.worker,
        lease_until_ms=match.lease_until_ms,
        a=match.a,
        b=match.b,
        rules=event.rules,
        clocks=event.spec.clocks,
        commitment=event.commitment,
        tables=tables_of(match.id, match.fence, round=match.round, boards=event.spec.boards, secret=secret),
    )


def _held(tx: Transaction, claim: Claim) -> Match:
    """Return the match, held until the transaction ends, if the claim on it still stands."""
    match = tx.pairings.lock(claim.match_id)
    if match.state is not MatchState.PLAYING or match.fence != claim.fence:
        raise LeaseLost(
            "lease_lost",
            f"attempt {claim.fence} of match {claim.match_id} is over: it is {match.state}",
            "drop the work",
        )
    return match


def _check(ports: Ports, claim: Claim, result: MatchResult) -> None:
    """Refuse a result that is not exactly the tables of the claim, or that holds a fault of ours."""
    wanted = {(task.board, task.way) for task in claim.tables}
    got = [(table.board, table.way) for table in result.tables]
    if len(got) != len(wanted) or set(got) != wanted:
        raise InvalidArgument("wrong_tables", f"match {claim.match_id} has tables {sorted(wanted)}, not {sorted(got)}")
    for table in result.tables:
        if table.table_id != table_id(claim.match_id, claim.fence, table.board, table.way):
            raise InvalidArgument("wrong_tables", f"{table.table_id!r} is not a table of this attempt")
        if sorted(table.order) != [0, 1, 2, 3]:
            raise InvalidArgument("wrong_order", f"{table.order} is not a finishing order of four seats")
        _check_lost(claim, result, table)
        if not table.is_played:
            continue
        if any(verdict.is_ours for verdict in table.verdicts):
            raise InvalidArgument("our_fault", f"table {table.table_id} ended by a fault of ours", "give it back")
        if not ports.blobs.has(table.replay_digest):
            raise InvalidArgument("no_replay", f"the replay of {table.table_id} is not kept", "put it there first")


def _check_lost(claim: Claim, result: MatchResult, table: TableResult) -> None:
    """Refuse a table lost without a fault before it, or played after one; what is lost has full points, no replay."""
    rightly = is_lost_rightly(table, result.tables, most=max(from_dict(claim.rules).gains))
    if not rightly or (table.replay_digest and not table.is_played):
        reason = f"table {table.table_id} is not lost by a fault before it, or is lost and was played"
        raise InvalidArgument("not_lost", reason, "report the tables after a fault as lost, and no others")


def is_lost_rightly(table: TableResult, tables: Sequence[TableResult], *, most: int) -> bool:
    """Whether a table is lost by exactly those entrants of whom a seat was given up before it, at full points."""
    here = (table.board, table.way)
    at_fault = [False, False]
    for other in tables:
        if other.is_played and (other.board, other.way) < here:
            for seat, facts in enumerate(other.facts):
                at_fault[entrant_of(seat, other.way)] |= facts.given_up
    full = table.is_played or table.points == most * (table.lost[1] - table.lost[0])
    return tuple(at_fault) == table.lost and full
