"""How many boards a minute a whole night plays: `guandan-arena up` with its own Valkey, server, worker and sandboxes.

From the opened night to the revealed secret, pairing, ratings and replays included; each board is played at two tables.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter

from guandan_proto.v1 import nights_pb2
from tests.house import eventually, house, submit_reference_bots

BOTS = {"coin-one": "random", "pull-one": "greedy", "pull-two": "greedy", "plan-one": "planner"}
ROUNDS, BOARDS = 3, 4
NIGHT_S = 600


def records() -> list[dict[str, object]]:
    with tempfile.TemporaryDirectory(prefix="gdnight-") as name, house(Path(name) / "arena") as arena:
        submit_reference_bots(arena, Path(name) / "bots", BOTS)
        began = perf_counter()
        night = arena.run("night", "--rounds", str(ROUNDS), "--boards", str(BOARDS)).strip()
        over = nights_pb2.EVENT_STATE_OVER
        eventually(lambda: arena.event(night).event.state == over, "the end of the night", patience_s=NIGHT_S)
        minutes = (perf_counter() - began) / 60
        assert arena.stop() == 0
    boards = ROUNDS * len(BOTS) // 2 * BOARDS
    return [{"name": "night_boards", "value": boards / minutes, "unit": "per minute"}]


if __name__ == "__main__":
    print(records())
