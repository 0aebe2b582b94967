"""Matches: claimed by a worker under a lease, finished once, given back when something of ours breaks."""

from __future__ import annotations

from guandan_engine.conduct import Verdict

from guandan_arena.ports import Ports
from guandan_arena.services.records import Claim, Match, MatchDetail, MatchResult, ReapReport


def claim(ports: Ports, *, match_id: str, worker: str) -> Claim:
    """Take a queued match; raise Refused (code ``not_queued`` or ``paused``) when it cannot be had. Then do nothing."""
    raise NotImplementedError


def renew(ports: Ports, claim: Claim) -> Claim:
    """Prolong the lease; raise LeaseLost when another attempt has begun. Call every settings.lease_renew_ms."""
    raise NotImplementedError


def finish(ports: Ports, claim: Claim, result: MatchResult) -> Match:
    """Write the result once, move Elo, and advance the event when it was the round's last.

    The same claim finishing again gets the match as it stands; a claim that was replaced raises LeaseLost.
    """
    raise NotImplementedError


def give_back(ports: Ports, claim: Claim, *, verdict: Verdict, detail: str) -> Match:
    """End an attempt without a result, because something of ours broke: queued again, or void after too many attempts."""
    raise NotImplementedError


def reap(ports: Ports) -> ReapReport:
    """Put right whatever died: expired leases, lost tasks, rounds not closed, ratings not applied. Safe at any time."""
    raise NotImplementedError


def get(ports: Ports, *, match_id: str) -> MatchDetail:
    """Return a match with its tables."""
    raise NotImplementedError


def browse(
    ports: Ports,
    *,
    event_id: str | None = None,
    version_id: str | None = None,
    bot_id: str | None = None,
    limit: int = 50,
    offset: int = 0,
) -> tuple[Match, ...]:
    """Return matches, newest first."""
    raise NotImplementedError
