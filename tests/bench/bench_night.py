"""How many boards a minute a whole night plays: `guandan-arena up` with its own Valkey, server, worker and sandboxes.

From the opened night to the revealed secret, pairing, ratings and replays included; each board is played at two tables.
"""

from __future__ import annotations

import tempfile
from itertools import cycle
from pathlib import Path
from time import perf_counter

from guandan_proto.v1 import nights_pb2
from tests.house import eventually, house, submit_reference_bots

PLAYS = ("random", "greedy", "planner")
BOTS = 8  # even, so that nobody has a bye
ROUNDS, BOARDS = 4, 2
NIGHT_S = 600


def records(*, bots: int = BOTS, rounds: int = ROUNDS, boards: int = BOARDS) -> list[dict[str, object]]:
    with tempfile.TemporaryDirectory(prefix="gdnight-") as name, house(Path(name) / "arena") as arena:
        submit_reference_bots(arena, Path(name) / "bots", _named(bots))
        began = perf_counter()
        night = arena.run("night", "--rounds", str(rounds), "--boards", str(boards)).strip()
        over = nights_pb2.EVENT_STATE_OVER
        eventually(lambda: arena.event(night).event.state == over, "the end of the night", patience_s=NIGHT_S)
        minutes = (perf_counter() - began) / 60
        matches = [match for item in arena.event(night).rounds for match in item.matches]
        arena.run("audit")
        assert arena.stop() == 0
    assert {match.ending for match in matches} == {nights_pb2.MATCH_ENDING_PLAYED}
    return [{"name": "night_boards", "value": len(matches) * boards / minutes, "unit": "boards per minute"}]


def _named(bots: int) -> dict[str, str]:
    """So many bots by name, with the reference bot each plays as."""
    return {f"{plays}-{number}": plays for number, plays in zip(range(bots), cycle(PLAYS), strict=False)}


if __name__ == "__main__":
    print(records())
