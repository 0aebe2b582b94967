"""`guandan connect` without an opponent: an arena of its own tells it of an event, a seat and the end."""

# ruff: noqa: N802 - methods are named by the protocol

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from typer.testing import CliRunner

from guandan_engine.conduct import Verdict
from guandan_proto import codec
from guandan_proto.v1 import lounge_pb2 as pb
from guandan_proto.v1 import nights_pb2
from guandan_proto.v1.lounge_pb2_grpc import LoungeServiceServicer, add_LoungeServiceServicer_to_server
from guandan_sdk.cli.app import app


class Lounge(LoungeServiceServicer):
    """Tells what a test wants told, and keeps what was asked."""

    def __init__(self, *notices: pb.AttendResponse) -> None:
        self.notices = notices
        self.asked: list[pb.AttendRequest] = []

    def Attend(self, request: pb.AttendRequest, context: grpc.ServicerContext) -> Iterator[pb.AttendResponse]:
        self.asked.append(request)
        yield from self.notices


def ended(*faults: nights_pb2.FaultCount) -> pb.AttendResponse:
    line = nights_pb2.Standing(place=2, match_points=3, wins=1, draws=1, boards=4, points=-1, faults=faults)
    return pb.AttendResponse(ended=pb.EventEnded(event_id="e1", standing=line))


def connect(lounge: Lounge, monkeypatch: pytest.MonkeyPatch, folder: Path, *words: str) -> tuple[int, str, str]:
    (folder / "bot.toml").write_text('[bot]\nname = "away"\nruntime = "remote"\n')
    (folder / "bot.py").write_text("")
    server = grpc.server(ThreadPoolExecutor(2))
    add_LoungeServiceServicer_to_server(lounge, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    monkeypatch.setenv("GUANDAN_SERVER", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("GUANDAN_TOKEN", "a token")
    try:
        done = CliRunner().invoke(app, ["connect", str(folder), "--format", "csv", *words])
    finally:
        server.stop(0).wait()
    return done.exit_code, done.stdout, done.stderr


def test_the_end_of_an_event_is_told_with_its_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    entrant = nights_pb2.Entrant(bot="away", number=1)
    event = pb.AttendResponse(event=pb.EventAttended(event_id="e1", name="open-1", entrant=entrant))
    lounge = Lounge(pb.AttendResponse(), event, ended())
    code, out, err = connect(lounge, monkeypatch, tmp_path, "--event", "http://arena.example/events/e1")
    (row,) = csv.DictReader(io.StringIO(out))
    assert (code, row["event"], row["place"], row["faults"], row["rated"]) == (0, "e1", "2", "none", "no")
    assert "event e1 (open-1): away/1 is in it" in err
    assert [(asked.bot, asked.event_id) for asked in lounge.asked] == [("away", "e1")]


def test_a_seat_at_fault_ends_with_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fault = nights_pb2.FaultCount(verdict=codec.encode_verdict(Verdict.NEVER_CONNECTED), tables=2)
    code, out, _ = connect(Lounge(ended(fault)), monkeypatch, tmp_path, "--event", "e1")
    assert code == 1
    assert "2x never_connected" in out


def test_a_game_and_an_event_are_not_asked_for_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lounge = Lounge()
    code, out, _ = connect(lounge, monkeypatch, tmp_path, "--event", "e1", "--against", "greedy")
    assert (code, out, lounge.asked) == (2, "", [])
