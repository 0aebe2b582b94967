"""What a bot wrote at a table, kept for its owner: the end of its output, and what it noted beside its answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from guandan_arena.errors import NotFound, PermissionDenied
from guandan_arena.ports import Ports
from guandan_arena.services import versions
from guandan_arena.services.records import Account, SeatLog
from guandan_arena.services.replays import require_round_closed
from guandan_arena.services.standings import entrant_at
from guandan_engine.quoting import quoted, quoted_lines
from guandan_runner.results import SeatNote

NOTES_KEPT: Final = 500
_SEATS: Final = range(4)


def put(ports: Ports, *, output: str, notes: Sequence[SeatNote] = ()) -> str:
    """Keep what one seat wrote, and return the digest to report in a TableResult; "" when it wrote nothing."""
    if not output and not notes:
        return ""
    kept = {"output": output, "notes": [[note.move, note.text] for note in notes[-NOTES_KEPT:]]}
    return ports.blobs.put(json.dumps(kept, ensure_ascii=True).encode())


def of_match(ports: Ports, *, caller: Account, match_id: str, version_id: str = "") -> tuple[SeatLog, ...]:
    """Return what the caller's own bots wrote in a match, by table and seat, fit to be shown.

    Operators may read every log. Raises Refused while others still play the same boards: a bot may write its cards.
    """
    with ports.store.snapshot() as tx:
        match = tx.pairings.get(match_id)
        sides = [side for side in (match.a, match.b) if side is not None]
        own = {
            side.version_id
            for side in sides
            if caller.operator or tx.bots.get(tx.versions.get(side.version_id).bot_id).account_id == caller.id
        }
        if not own:
            owners = " and ".join(sorted({side.owner for side in sides}))
            raise PermissionDenied(
                "not_your_bot", f"the bots of match {match_id} belong to {owners}", "use a token of an owner"
            )
        if version_id and version_id not in own:
            raise NotFound("no_log", f"no bot of yours is version {version_id} in match {match_id}", "leave it out")
        require_round_closed(tx, match_id)
        tables = tx.tables.of_match(match_id)
    wanted = {version_id} if version_id else own
    return tuple(
        _read(ports, table.id, seat, table.result.log_digests[seat])
        for table in tables
        if table.result.is_played
        for seat in _SEATS
        if entrant_at(match, table.result.way, seat) in wanted
    )


def _read(ports: Ports, table_id: str, seat: int, digest: str) -> SeatLog:
    if not digest:
        return SeatLog(table_id, seat, "", ())
    kept = json.loads(ports.blobs.get(digest))
    notes = tuple(SeatNote(move, quoted(text)) for move, text in kept["notes"])
    return SeatLog(table_id, seat, quoted_lines(kept["output"]), notes)


def of_check(ports: Ports, *, caller: Account, version_id: str) -> str:
    """Return what a version wrote in its check, fit to be shown; only for its owner and operators."""
    return quoted_lines(versions.check_log(ports, caller=caller, version_id=version_id).decode("utf-8", "replace"))
