"""How many boards a minute a whole night plays: eight bots, four rounds, every part of the arena as in production."""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter, sleep

import grpc

from demo.authors import register, wait_for_checks
from demo.server import Server
from guandan_proto.v1 import arena_pb2, arena_pb2_grpc, nights_pb2

BOTS = ("buffalo", "coin", "crane", "dragon", "fox", "loyal", "miser", "sparrow")
ROUNDS = 4
BOARDS = 2


def records() -> list[dict[str, object]]:
    with tempfile.TemporaryDirectory(prefix="gdbench") as folder, Server(Path(folder) / "arena") as server:
        with grpc.insecure_channel(server.target) as channel:
            stub = arena_pb2_grpc.ArenaServiceStub(channel)
            versions = {register(stub, bot)[1]: bot for bot in BOTS}
            wait_for_checks(stub, versions, done=lambda bot: None, alive=server.check_alive)
            seconds, boards = play_night(server, stub)
        audit = server.run("audit")
        assert audit.returncode == 0, audit.stdout
    return [{"name": "night_boards", "value": boards / seconds * 60, "unit": "boards per minute"}]


def play_night(server: Server, stub: arena_pb2_grpc.ArenaServiceStub) -> tuple[float, int]:
    """Seconds from opening the night to its end, and boards played; each board is two tables."""
    began = perf_counter()
    opened = server.run("night", "--rounds", str(ROUNDS), "--boards", str(BOARDS))
    assert opened.returncode == 0, opened.stderr
    event_id = opened.stdout.strip()
    while True:
        server.check_alive()
        event = stub.GetEvent(arena_pb2.GetEventRequest(event_id=event_id), timeout=30)
        if event.event.state == nights_pb2.EVENT_STATE_OVER:
            seconds = perf_counter() - began
            played = [m for r in event.rounds for m in r.matches if m.ending == nights_pb2.MATCH_ENDING_PLAYED]
            assert len(played) == ROUNDS * len(BOTS) // 2
            return seconds, BOARDS * len(played)
        sleep(0.2)
