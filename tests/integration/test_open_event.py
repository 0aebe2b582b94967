"""An open event as workers, callers and readers meet it: real services, real gRPC, real pages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from starlette.testclient import TestClient

from guandan_arena.ports import Ports
from guandan_arena.rpc.limits import ATTENDANTS
from guandan_arena.services import accounts, bots, events, matches, remotes, stages, versions
from guandan_arena.services.records import Event
from guandan_arena.services.states import StageState, VersionState
from guandan_arena.web import create_app
from guandan_engine.board import entrant_of
from guandan_proto.v1 import lounge_pb2 as pb
from guandan_proto.v1.lounge_pb2_grpc import LoungeServiceStub
from guandan_runner.sandbox import SeatSpec, load_policy
from guandan_runner.sandbox.process import ProcessSandbox
from guandan_workers import checks as worker_checks
from guandan_workers.distant import seats_of
from guandan_workers.worker import Worker, roots_of, shelf_of
from tests.arena import DOOR, REMOTE_MANIFEST, archive, author, ports_on, quick, remote_author, work
from tests.databases import fresh_store, sqlite_template
from tests.serving import serving

CHINESE = {"accept-language": "zh-CN,zh;q=0.9"}


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[Ports]:
    with fresh_store(sqlite_template(tmp_path)) as store:
        made = ports_on(store, tmp_path)
        yield replace(made, settings=replace(made.settings, **DOOR | {"remote_ports": "42370-42389"}, night_rounds=1))


@pytest.fixture
def worker(ports: Ports) -> Worker:
    policy = load_policy()
    return Worker("w1", ports, ProcessSandbox(policy), policy, shelf_of(ports), roots_of(ports.settings))


def opened(ports: Ports) -> Event:
    """An open event of one remote bot and one of the arena."""
    author(ports, "bob")
    remote_author(ports, "ada")
    ports.queue.waiting.clear()
    return events.open_night(ports, remote=True)


def test_the_stages_of_a_remote_version_say_that_there_is_nothing_to_build(worker: Worker) -> None:
    ada = accounts.register(worker.ports, name="ada").account
    bots.create(worker.ports, caller=ada, name="away")
    packed = archive({"bot.toml": REMOTE_MANIFEST})
    version = versions.submit(worker.ports, caller=ada, bot="away", archive=packed).version
    worker_checks.check(worker, version.id)
    worker_checks.check(worker, version.id)
    assert versions.get(worker.ports, version_id=version.id).state is VersionState.ACTIVE
    told = stages.of(worker.ports, version_id=version.id, caller=ada)
    assert {report.stage.state for report in told} == {StageState.DONE}
    assert "nothing is built or started here" in next(r.log for r in told if r.stage.name == "built")


async def test_the_seats_of_a_remote_side_are_invited_under_its_bots_name(worker: Worker, tmp_path: Path) -> None:
    event = await asyncio.to_thread(opened, worker.ports)
    ((_, match_id),) = worker.ports.queue.waiting
    claim = matches.claim(worker.ports, match_id=match_id, worker="w1")
    async with seats_of(worker, claim) as (sandbox, policy):
        assert (sandbox.kind, policy.tables_ahead) == ("process", 0)
        for task in claim.tables:
            for seat in range(4):
                if (claim.a, claim.b)[entrant_of(seat, task.way)].remote:
                    spec = SeatSpec("seat", tmp_path, (), tmp_path, None, task.table_id, seat)
                    (await asyncio.to_thread(sandbox.start, spec)).end()
    assert len(worker.ports.invitations.read("ada-bot")) == 4
    assert worker.ports.invitations.read("bob-bot") == ()
    assert event.id in worker.ports.invitations.read("ada-bot")[0].line


def test_pages_say_that_an_open_event_is_unrated_and_who_is_remote(ports: Ports) -> None:
    event = opened(ports)
    work(ports, play=quick)
    (match,) = matches.browse(ports, event_id=event.id)
    with TestClient(create_app(ports, grpc_address="arena.example:7000")) as site:
        page = site.get(f"/events/{event.id}").text
        assert ">unrated<" in page
        assert page.count(">remote<") == 1
        assert "So nothing here moves a rating." in page
        assert "公开赛" in site.get(f"/events/{event.id}", headers=CHINESE).text
        assert "none: this match is unrated" in site.get(f"/matches/{match.id}").text
        assert ">unrated<" in site.get("/events").text
        assert ">remote<" in site.get("/bots/ada-bot").text
        data = site.get(f"/api/v1/events/{event.id}").json()
        assert data["event"]["kind"] == "open"
        assert [item["rated"] for item in data["matches"]] == [False]
        assert "ada-bot" not in site.get("/ladder").text


async def test_an_author_is_told_over_grpc_and_strangers_are_refused(tmp_path: Path) -> None:
    async with serving(tmp_path, **DOOR) as served:
        ports, stub = served.ports, LoungeServiceStub(served.channel)
        ada, eve = (accounts.register(ports, name=name) for name in ("ada", "eve"))
        remote_author(ports, "ada", ada.account)
        author(ports, "bob")
        event = events.open_night(ports, remote=True, rounds=1)
        for token, code in (("", "UNAUTHENTICATED"), (eve.text, "PERMISSION_DENIED")):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await attending(stub, token).read()
            assert refused.value.code().name == code
        call = attending(stub, ada.text)
        assert (await told(call)).event.entrant.bot == "ada-bot"
        remotes.invite(
            ports,
            bot="ada-bot",
            event_id=event.id,
            table_id="m1-1-1a",
            seat=2,
            address="https://here:1",
            ticket="a ticket",
            lifetime_ms=60_000,
        )
        invitation = (await told(call)).invitation
        assert (invitation.table_id, invitation.seat, invitation.ticket) == ("m1-1-1a", 2, "a ticket")
        newer = attending(stub, ada.text)
        assert (await told(newer)).event.event_id == event.id
        with pytest.raises(grpc.aio.AioRpcError) as displaced:
            await told(call)
        assert "somebody else has begun to attend" in displaced.value.details()
        await asyncio.to_thread(events.stop, ports, event_id=event.id)
        assert (await told(newer)).invitation.ticket == "a ticket"
        assert (await told(newer)).ended.standing.entrant.bot == "ada-bot"
        newer.cancel()


async def test_one_account_leaves_others_room_to_attend(tmp_path: Path) -> None:
    async with serving(tmp_path, **DOOR) as served:
        ports, stub = served.ports, LoungeServiceStub(served.channel)
        ada, eve = (accounts.register(ports, name=name) for name in ("ada", "eve"))
        remote_author(ports, "ada", ada.account)
        remote_author(ports, "eve", eve.account)
        greedy = [attending(stub, eve.text, "eve-bot") for _ in range(ATTENDANTS)]
        codes = asyncio.as_completed([refusal(call) for call in greedy])
        ended = [await next(codes) for _ in range(ATTENDANTS - 1)]  # one attends
        assert ended.count(grpc.StatusCode.RESOURCE_EXHAUSTED) >= ATTENDANTS // 2
        honest = attending(stub, ada.text)
        assert (await honest.read()).WhichOneof("notice") is None  # a sign of life
        for call in (*greedy, honest):
            call.cancel()


async def refusal(call: Any) -> grpc.StatusCode:
    """How a stream is ended by the server, however long that takes."""
    try:
        while await call.read():
            pass
    except grpc.aio.AioRpcError as error:
        return error.code()
    raise AssertionError("the stream ended well")


def attending(stub: LoungeServiceStub, token: str, bot: str = "ada-bot") -> Any:
    metadata = (("authorization", f"Bearer {token}"),) if token else ()
    return stub.Attend(pb.AttendRequest(bot=bot), metadata=metadata)


async def told(call: Any) -> pb.AttendResponse:
    """The next notice that is more than a sign of life."""
    while not (notice := await call.read()).WhichOneof("notice"):
        pass
    return notice
