"""Replays: the record of every table, kept compressed by digest."""

from __future__ import annotations

from typing import Final

import zstandard

from guandan_arena.errors import InvalidArgument, NotFound, Refused, Unavailable
from guandan_arena.ports import Ports, Transaction
from guandan_arena.services.records import Replay, Table
from guandan_arena.services.states import RoundState

_LEVEL: Final = 12
_MOST_BYTES: Final = 64 * 1024 * 1024


def put(ports: Ports, *, lines: bytes) -> str:
    """Keep a replay (GDR JSON Lines) and return the digest to report in a TableResult."""
    return ports.blobs.put(packed(lines))


def packed(lines: bytes) -> bytes:
    """Return a replay (GDR JSON Lines) as it is kept and sent."""
    if len(lines) > _MOST_BYTES:
        raise InvalidArgument("replay_too_large", f"a replay of {len(lines)} bytes is larger than {_MOST_BYTES}")
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(lines)


def get(ports: Ports, *, table_id: str) -> Replay:
    """Return the replay of a table that counted; raise Refused while others still play its board."""
    with ports.store.snapshot() as tx:
        table = tx.tables.get(table_id)
        require_round_closed(tx, table.match_id)
    return read(ports, table)


def find(ports: Ports, *, match_id: str, board: int, way: int) -> Replay:
    """Return the replay of a match's table; raise Refused while others still play its board."""
    with ports.store.snapshot() as tx:
        require_round_closed(tx, match_id)
        tables = tx.tables.of_match(match_id)
    for table in tables:
        if (table.result.board, table.result.way) == (board, way):
            return read(ports, table)
    raise NotFound(
        "unknown_table", f"match {match_id} has no finished table at board {board}, way {way}", "look at its tables"
    )


def require_round_closed(tx: Transaction, match_id: str) -> None:
    """Raise Refused while a round is played: all its matches play the same boards, so nobody sees cards before."""
    match = tx.pairings.get(match_id)
    if any(r.number == match.round and r.state is RoundState.OPEN for r in tx.events.rounds(match.event_id)):
        raise Refused(
            "round_running",
            f"round {match.round} is still being played, with the same cards at every table",
            "replays can be seen when the round is over",
        )


def read(ports: Ports, table: Table) -> Replay:
    """Return the replay of a table in hand."""
    digest = table.result.replay_digest
    if not digest:
        raise NotFound(
            "not_played", f"table {table.id} was lost beforehand, by a fault at a table before it", "see there"
        )
    try:
        lines = zstandard.ZstdDecompressor().decompress(ports.blobs.get(digest), max_output_size=_MOST_BYTES)
    except zstandard.ZstdError as error:
        raise Unavailable("replay_damaged", f"the replay of {table.id} cannot be unpacked: {error}") from error
    return Replay(table.id, table.match_id, digest, lines)
