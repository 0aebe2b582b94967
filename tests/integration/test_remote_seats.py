"""Bots that play from elsewhere: over TLS, by ticket, through lines that break, at the tables of everybody else."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
import trustme

from guandan_engine import replay
from guandan_engine.clock import Clocks
from guandan_engine.conduct import Verdict
from guandan_proto import codec
from guandan_proto.codec import Hello
from guandan_proto.v1 import table_pb2 as pb
from guandan_proto.v1.table_pb2_grpc import TableServiceStub
from guandan_runner.door import CONNECTIONS, Door, DoorPlace, open_door
from guandan_runner.errors import InfrastructureFault
from guandan_runner.match import play_match
from guandan_runner.results import BotFiles, MatchEnd
from guandan_runner.sandbox import load_policy
from guandan_runner.sandbox.process import ProcessSandbox
from guandan_runner.sandbox.remote import Invitation, WithRemotes
from guandan_runner.service import PLAY
from guandan_runner.threshold import OF_ONE_ADDRESS
from guandan_sdk.bots.greedy import GreedyBot
from guandan_sdk.channels import open_channel
from guandan_sdk.client import Connection
from guandan_sdk.errors import ServerError
from guandan_sdk.status import server_error
from tests.seating import PATIENT, match, reference_bot, tasks

POLICY = load_policy()
PLAIN = DoorPlace("127.0.0.1", (0,), "127.0.0.1")
LIFETIME_MS = 30_000


class Authors:
    """The other end: starts a process of the SDK for every invitation, as ``guandan connect`` does."""

    def __init__(self, authority: Path | None, *, via: str = "") -> None:
        self.seats: list[Invitation] = []
        self.processes: list[subprocess.Popen[str]] = []
        self._env = os.environ | ({"GUANDAN_CA": str(authority)} if authority else {})
        self._via = via

    def invite(self, invitation: Invitation) -> None:
        self.seats.append(invitation)
        environ = self._env | {
            "GUANDAN_TABLE": self._via or invitation.address,
            "GUANDAN_TICKET": invitation.ticket,
        }
        command = [sys.executable, "-m", "guandan_sdk.bots.greedy"]
        self.processes.append(subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True))

    def ended(self) -> list[tuple[int, str]]:
        outputs = [process.communicate(timeout=30)[1] for process in self.processes]
        return [(process.returncode, output) for process, output in zip(self.processes, outputs, strict=True)]


def remote(name: str) -> BotFiles:
    return BotFiles(name, "", Path(), ())


async def played(door: Door, authors: Authors, folder: Path, *, clocks: Clocks = PATIENT) -> MatchEnd:
    sandbox = WithRemotes(ProcessSandbox(POLICY), door, authors.invite, lifetime_ms=LIFETIME_MS)
    spec = match(remote("away"), reference_bot("greedy", folder), tasks(1), clocks=clocks)
    return await play_match(spec, sandbox=sandbox, policy=POLICY)


def plays(end: MatchEnd) -> list[list[object]]:
    return [[record.event for record in replay.read(table.replay).records] for table in end.tables]


@pytest.fixture
def authority(tmp_path: Path) -> tuple[trustme.CA, Path]:
    ca = trustme.CA()
    ca.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    return ca, tmp_path / "ca.pem"


def tls_place(ca: trustme.CA) -> DoorPlace:
    cert = ca.issue_cert("127.0.0.1")
    chain = b"".join(pem.bytes() for pem in cert.cert_chain_pems)
    return DoorPlace("127.0.0.1", (0,), "127.0.0.1", cert.private_key_pem.bytes(), chain)


@contextlib.asynccontextmanager
async def breaking(port: int, *, after_bytes: int, times: int) -> AsyncIterator[tuple[int, list[int]]]:
    """Forward a port, and cut a connection once so many bytes have come from the server; count the cuts."""
    cuts: list[int] = []

    async def up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(4096):
            writer.write(data)
            await writer.drain()

    async def down(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        passed = 0
        while data := await reader.read(512):
            passed += len(data)
            if passed > after_bytes and len(cuts) < times:
                cuts.append(passed)
                return
            writer.write(data)
            await writer.drain()

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        ends = [asyncio.create_task(up(reader, far_writer)), asyncio.create_task(down(far_reader, writer))]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for end in ends:
            end.cancel()
        await asyncio.gather(*ends, return_exceptions=True)
        writer.transport.abort()
        far_writer.transport.abort()

    server = await asyncio.start_server(forward, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], cuts


async def test_remote_seats_play_over_tls_what_they_would_play_here(
    authority: tuple[trustme.CA, Path], tmp_path: Path
) -> None:
    ca, pem = authority
    authors = Authors(pem)
    async with open_door(tls_place(ca)) as door:
        assert door.address.startswith("https://")
        end = await played(door, authors, tmp_path)
    here = await play_match(
        match(reference_bot("greedy", tmp_path / "here"), reference_bot("greedy", tmp_path), tasks(1)),
        sandbox=ProcessSandbox(POLICY),
        policy=POLICY,
    )
    assert [[seat.verdict for seat in table.seats] for table in end.tables] == [[Verdict.OK] * 4] * 2
    assert plays(end) == plays(here)
    assert authors.ended() == [(0, "")] * 4
    assert sorted(seat.seat for seat in authors.seats) == [0, 1, 2, 3]
    assert len({seat.ticket for seat in authors.seats}) == 4
    for table in end.tables:
        replay.verify(table.replay)


async def test_a_stream_that_breaks_resumes_and_changes_no_play(tmp_path: Path) -> None:
    unbroken = Authors(None)
    async with open_door(PLAIN) as door:
        expected = await played(door, unbroken, tmp_path)
        async with breaking(int(door.address.rpartition(":")[2]), after_bytes=4000, times=3) as (port, cuts):
            authors = Authors(None, via=f"http://127.0.0.1:{port}")
            end = await played(door, authors, tmp_path)
    assert len(cuts) == 3
    assert [[seat.verdict for seat in table.seats] for table in end.tables] == [[Verdict.OK] * 4] * 2
    assert plays(end) == plays(expected)
    assert sum(seat.facts.streams for table in end.tables for seat in table.seats) == 8 + 3
    assert [code for code, _ in authors.ended()] == [0] * 4
    unbroken.ended()


async def test_a_server_whose_certificate_is_not_trusted_gets_no_ticket_and_the_author_is_told(
    authority: tuple[trustme.CA, Path], tmp_path: Path
) -> None:
    ca, _ = authority
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "other.pem"))
    authors = Authors(tmp_path / "other.pem")
    async with open_door(tls_place(ca)) as door:
        authors.invite(Invitation("t", 0, door.address, "a ticket", LIFETIME_MS))
        ((code, output),) = await asyncio.to_thread(authors.ended)
    assert code == 3
    assert "error: the server's certificate is not one this machine trusts" in output
    assert "GUANDAN_CA" in output


class Absent(Authors):
    """An author who is invited and does not come."""

    def invite(self, invitation: Invitation) -> None:
        self.seats.append(invitation)


async def test_a_remote_bot_that_never_comes_is_never_connected_and_the_others_are_well(tmp_path: Path) -> None:
    async with open_door(PLAIN) as door:
        end = await played(door, Absent(None), tmp_path, clocks=Clocks(connect_ms=3000, move_ms=10_000, bank_ms=30_000))
    verdicts = [seat.verdict for seat in end.tables[0].seats]
    assert verdicts == [Verdict.NEVER_CONNECTED, Verdict.OK] * 2


async def test_two_remote_bots_that_never_come_both_lose_and_nothing_is_played_again() -> None:
    clocks = Clocks(connect_ms=1000, move_ms=10_000, bank_ms=30_000)
    async with open_door(PLAIN) as door:
        sandbox = WithRemotes(ProcessSandbox(POLICY), door, Absent(None).invite, lifetime_ms=LIFETIME_MS)
        spec = match(remote("away"), remote("far"), tasks(2), clocks=clocks)
        end = await play_match(spec, sandbox=sandbox, policy=POLICY)
    assert [[seat.verdict for seat in table.seats] for table in end.tables] == [[Verdict.NEVER_CONNECTED] * 4]
    assert [table.by for table in end.lost] == [(True, True)] * 3


async def test_the_door_refuses_with_code_reason_and_hint(tmp_path: Path) -> None:
    async with open_door(PLAIN) as door:
        ticket, admission = door.tickets.issue(tmp_path / "nobody.sock", lifetime_ms=LIFETIME_MS)
        door.tickets.admit(ticket, "")
        admission.welcomed("session")
        for given, session, code in (
            ("wrong", "", "ticket_unknown"),
            (ticket, "", "ticket_used"),
            (ticket, "guess", "ticket_used"),
        ):
            frames = iter([codec.encode_hello(Hello("test", ticket=given, session_token=session))])
            error = await asyncio.to_thread(refusal, door.address, frames)
            assert (error.code, bool(error.reason), bool(error.hint)) == (code, True, True)


def refusal(address: str, frames: Iterator[pb.PlayRequest]) -> ServerError:
    with open_channel(address) as channel, pytest.raises(grpc.RpcError) as caught:
        list(TableServiceStub(channel).Play(frames))
    return server_error(caught.value)


async def test_strangers_who_say_nothing_leave_room_for_others_and_a_bot_comes_again() -> None:
    async with open_door(PLAIN) as door, contextlib.AsyncExitStack() as lines:
        target, own = door.address.removeprefix("http://"), [("grpc.use_local_subchannel_pool", 1)]
        silent = [
            (await lines.enter_async_context(grpc.aio.insecure_channel(target, options=own))).stream_stream(PLAY)()
            for _ in range(OF_ONE_ADDRESS + 1)
        ]
        codes = [asyncio.create_task(call.code()) for call in silent]
        (one_too_many,), _ = await asyncio.wait(codes, return_when=asyncio.FIRST_COMPLETED)
        assert await one_too_many is grpc.StatusCode.RESOURCE_EXHAUSTED
        loop, paused = asyncio.get_running_loop(), []

        def pause(seconds: float) -> None:
            paused.append(seconds)
            for call in silent:
                loop.call_soon_threadsafe(call.cancel)

        connection = Connection(door.address, GreedyBot(), ticket="nobody's", pause=pause)
        with pytest.raises(ServerError) as refused:
            await asyncio.to_thread(connection.play)
        assert refused.value.code == "ticket_unknown"
        assert paused
        await asyncio.gather(*codes)


async def test_connections_beyond_what_a_worker_can_hold_are_closed_at_once() -> None:
    async with open_door(PLAIN) as door:
        greetings = await asyncio.to_thread(greeted, int(door.address.rpartition(":")[2]), CONNECTIONS + 40)
    assert greetings.count(b"") >= 20  # gRPC counts not quite exactly


def greeted(port: int, connections: int) -> list[bytes]:
    """What a server says first on each of many connections; nothing when it closes one."""
    with contextlib.ExitStack() as lines:
        sockets = [lines.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(connections)]
        return [greeting(line) for line in sockets]


def greeting(line: socket.socket) -> bytes:
    try:
        return line.recv(9)
    except ConnectionResetError:
        return b""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_a_bad_key_is_not_told_as_ports_in_use_nor_the_other_way_round(
    authority: tuple[trustme.CA, Path],
) -> None:
    good = replace(tls_place(authority[0]), ports=(free_port(),))
    for bad in (replace(good, key=b"no key"), replace(good, certificate=trustme.CA().cert_pem.bytes())):
        with pytest.raises(InfrastructureFault, match="certificate and key"):
            async with open_door(bad):
                pass
    async with open_door(good):
        with pytest.raises(InfrastructureFault, match="none of 1 ports"):
            async with open_door(good):
                pass
