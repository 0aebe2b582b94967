"""The ladder: live Elo from Redis with what SQL knows of each version; SQL is the truth and rebuilds it."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from guandan_arena.ports import Ports
from guandan_arena.ratings.elo import PROVISIONAL_MATCHES
from guandan_arena.services.pairing import FRESH
from guandan_arena.services.records import LadderLine, MatchChange
from guandan_arena.services.states import VersionState

_ALL: Final = 1_000_000


def leaderboard(ports: Ports, *, limit: int = 100, offset: int = 0, active_only: bool = True) -> tuple[LadderLine, ...]:
    """Return the best versions; equal ratings share a rank."""
    rows = ports.ladder.top(limit=_ALL)
    with ports.store.snapshot() as tx:
        versions = tx.versions.get_many(version_id for version_id, _ in rows)
        ratings, entries, fits = tx.pairings.ratings(), tx.events.latest_entries(), tx.fits.latest()
    lines: list[LadderLine] = []
    for version_id, elo_milli in rows:
        version = versions.get(version_id)
        if version is None or (active_only and version.state is not VersionState.ACTIVE):
            continue
        tied = bool(lines) and lines[-1].elo_milli == elo_milli
        games = ratings.get(version_id, FRESH).games
        entry = entries.get(version_id)
        lines.append(
            LadderLine(
                rank=lines[-1].rank if tied else len(lines) + 1,
                version_id=version_id,
                owner=version.owner,
                bot=version.bot,
                number=version.number,
                elo_milli=elo_milli,
                elo_before_milli=FRESH.elo_milli if entry is None else entry.elo_milli,
                games=games,
                provisional=games < PROVISIONAL_MATCHES,
                active=version.state is VersionState.ACTIVE,
                fit=fits.get(version_id),
            )
        )
    return tuple(lines[offset : offset + limit])


def reconcile(ports: Ports) -> int:
    """Apply finished matches that Redis does not know yet; return how many."""
    with ports.store.snapshot() as tx:
        entered, changes = tx.pairings.ratings(), tx.pairings.changes()
    ports.ladder.enter(dict.fromkeys(entered, FRESH.elo_milli))
    by_event: defaultdict[str, list[MatchChange]] = defaultdict(list)
    for change in changes:
        by_event[change.event_id].append(change)
    applied = 0
    for event_id, expected in by_event.items():
        known = ports.ladder.applied(event_id)
        applied += sum(ports.ladder.apply(change) for change in expected if change.match_id not in known)
    return applied


def rebuild(ports: Ports) -> bytes:
    """Rebuild all of Redis' ratings from SQL and return the canonical dump after it.

    A match that finishes meanwhile is applied by itself or by the next sweep.
    """
    with ports.store.snapshot() as tx:
        ratings, changes = tx.pairings.ratings(), tx.pairings.changes()
    ports.ladder.rebuild({version_id: rating.elo_milli for version_id, rating in ratings.items()}, changes)
    return ports.ladder.dump()
