"""Every refusal of the arena's gRPC server shows status, code, reason and hint, and loses nothing."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable

import grpc
import pytest
import pytest_asyncio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from guandan_arena.errors import Unavailable
from guandan_arena.rpc import serve_rpc
from guandan_arena.services import accounts
from guandan_engine.conduct import Verdict
from guandan_proto.v1 import arena_pb2 as pb
from guandan_proto.v1 import rules_pb2
from tests.serving import Served, Told, archive, build_ports, serving, told, upload

STATUS = grpc.StatusCode


@pytest_asyncio.fixture
async def arena(tmp_path) -> AsyncIterator[Served]:
    async with serving(tmp_path, bots_per_account=2, archive_max_bytes=100_000, registrations_per_hour=10) as served:
        yield served


async def refused(call: Awaitable[object]) -> Told:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    refusal = told(caught.value)
    assert refusal.reason
    assert refusal.hint
    return refusal


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (None, "token_missing"),
        ("Basic abc", "token_malformed"),
        ("Bearer ", "token_malformed"),
        ("Bearer " + "x" * 300, "token_malformed"),
        ("Bearer abc", "malformed_token"),
        ("Bearer gda_t" + "a" * 13 + "_" + "b" * 52, "unknown_token"),
    ],
)
async def test_a_call_without_a_good_token_is_unauthenticated(arena: Served, header, code):
    metadata = () if header is None else (("authorization", header),)
    refusal = await refused(arena.stub.WhoAmI(pb.WhoAmIRequest(), metadata=metadata))
    assert (refusal.status, refusal.code) == (STATUS.UNAUTHENTICATED, code)


async def test_an_expired_token_and_a_revoked_one_say_so(arena: Served):
    ada, bob = await arena.author("ada"), await arena.author("bob")
    account = accounts.authenticate(arena.ports, text=bob[0][1].removeprefix("Bearer "))
    (token,) = accounts.tokens(arena.ports, account=account.name)
    accounts.revoke_token(arena.ports, account=account.name, token_id=token.id)
    assert (await refused(arena.stub.WhoAmI(pb.WhoAmIRequest(), metadata=bob))).code == "revoked_token"
    arena.ports.clock.ms += 366 * 24 * 3_600_000
    assert (await refused(arena.stub.WhoAmI(pb.WhoAmIRequest(), metadata=ada))).code == "expired_token"


async def test_a_name_that_is_bad_or_taken_is_refused(arena: Served):
    ada = await arena.author("ada")
    bad = await refused(arena.stub.CreateAccount(pb.CreateAccountRequest(name="<script>")))
    assert (bad.status, bad.code) == (STATUS.INVALID_ARGUMENT, "bad_name")
    assert (
        await refused(arena.stub.CreateAccount(pb.CreateAccountRequest(name="ada")))
    ).status == STATUS.ALREADY_EXISTS
    await arena.stub.CreateBot(pb.CreateBotRequest(name="greedy"), metadata=ada)
    bob = await arena.author("bob")
    taken = await refused(arena.stub.CreateBot(pb.CreateBotRequest(name="greedy"), metadata=bob))
    assert taken.status == STATUS.ALREADY_EXISTS


async def test_too_many_bots_or_accounts_are_refused(arena: Served):
    ada = await arena.author("ada")
    for name in ("one", "two"):
        await arena.stub.CreateBot(pb.CreateBotRequest(name=name), metadata=ada)
    full = await refused(arena.stub.CreateBot(pb.CreateBotRequest(name="three"), metadata=ada))
    assert (full.status, full.code) == (STATUS.RESOURCE_EXHAUSTED, "too_many_bots")
    for number in range(9):
        await arena.author(f"author-{number}")
    crowded = await refused(arena.stub.CreateAccount(pb.CreateAccountRequest(name="late")))
    assert (crowded.status, crowded.code) == (STATUS.RESOURCE_EXHAUSTED, "too_many_registrations")


@pytest.mark.parametrize(
    ("call", "request_"),
    [
        ("GetVersion", pb.GetVersionRequest(version_id="v1")),
        ("ListVersions", pb.ListVersionsRequest(bot="nobody")),
        ("GetEvent", pb.GetEventRequest(event_id="e1")),
        ("GetMatch", pb.GetMatchRequest(match_id="")),
        ("ListMatches", pb.ListMatchesRequest(bot="nobody")),
        ("ListMatches", pb.ListMatchesRequest(event_id="e1")),
    ],
)
async def test_what_does_not_exist_is_not_found(arena: Served, call, request_):
    assert (await refused(getattr(arena.stub, call)(request_))).status == STATUS.NOT_FOUND


async def test_a_replay_that_does_not_exist_is_not_found(arena: Served):
    async def read() -> list[pb.GetReplayResponse]:
        return [chunk async for chunk in arena.stub.GetReplay(pb.GetReplayRequest(table_id="t1"))]

    assert (await refused(read())).status == STATUS.NOT_FOUND


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_archive"),
        (b"this is no archive at all", "not_an_archive"),
        (archive(bot_toml="LEFT OUT"), "no_manifest"),
        (archive(bot_py="LEFT OUT"), "no_entry"),
        (archive(bot_toml="[bot"), "bad_manifest"),
    ],
)
async def test_an_archive_that_cannot_be_a_bot_is_an_invalid_argument(arena: Served, data, code):
    ada = await arena.author("ada")
    await arena.stub.CreateBot(pb.CreateBotRequest(name="greedy"), metadata=ada)
    refusal = await refused(arena.submit(ada, "greedy", data))
    assert (refusal.status, refusal.code) == (STATUS.INVALID_ARGUMENT, code)
    listed = await arena.stub.ListVersions(pb.ListVersionsRequest(bot="greedy"))
    assert not listed.versions


async def test_an_archive_too_large_is_refused_before_it_is_sent(arena: Served):
    ada = await arena.author("ada")
    await arena.stub.CreateBot(pb.CreateBotRequest(name="greedy"), metadata=ada)
    refusal = await refused(arena.submit(ada, "greedy", b"x", size=100_001))
    assert (refusal.status, refusal.code) == (STATUS.RESOURCE_EXHAUSTED, "archive_too_large")


@pytest.mark.parametrize("size", [10, 100_000])
async def test_an_upload_of_another_size_than_announced_is_refused(arena: Served, size: int):
    ada = await arena.author("ada")
    await arena.stub.CreateBot(pb.CreateBotRequest(name="greedy"), metadata=ada)
    assert (await refused(arena.submit(ada, "greedy", archive(), size=size))).code == "upload_incomplete"


async def test_an_upload_out_of_order_is_refused(arena: Served):
    ada = await arena.author("ada")

    async def chunk_first() -> AsyncIterator[pb.SubmitVersionRequest]:
        yield pb.SubmitVersionRequest(chunk=b"x")

    async def submission_twice() -> AsyncIterator[pb.SubmitVersionRequest]:
        for _ in range(2):
            yield pb.SubmitVersionRequest(submission=pb.Submission(bot="greedy", size_bytes=5))

    async def nothing() -> AsyncIterator[pb.SubmitVersionRequest]:
        for _ in ():
            yield pb.SubmitVersionRequest()

    for requests in (chunk_first(), submission_twice(), nothing()):
        refusal = await refused(arena.stub.SubmitVersion(requests, metadata=ada))
        assert (refusal.status, refusal.code) == (STATUS.INVALID_ARGUMENT, "upload_malformed")


async def test_a_version_for_a_bot_of_another_is_denied_and_for_no_bot_not_found(arena: Served):
    ada, bob = await arena.author("ada"), await arena.author("bob")
    await arena.stub.CreateBot(pb.CreateBotRequest(name="greedy"), metadata=ada)
    denied = await refused(arena.submit(bob, "greedy", archive()))
    assert (denied.status, denied.code) == (STATUS.PERMISSION_DENIED, "not_your_bot")
    assert (await refused(arena.submit(bob, "nobody", archive()))).status == STATUS.NOT_FOUND
    assert (await refused(arena.stub.SubmitVersion(upload("greedy", b"")))).status == STATUS.UNAUTHENTICATED


async def test_a_version_that_failed_its_check_cannot_be_activated_and_says_why(arena: Served):
    ada = await arena.author("ada")
    await arena.stub.CreateBot(pb.CreateBotRequest(name="greedy"), metadata=ada)
    submitted = await arena.submit(ada, "greedy", archive())
    version_id = submitted.version.id
    arena.check(version_id, Verdict.CRASHED, "exit code 1", "KeyError")
    refusal = await refused(arena.stub.ActivateVersion(pb.ActivateVersionRequest(version_id=version_id), metadata=ada))
    assert refusal.status == STATUS.FAILED_PRECONDITION
    check = (await arena.stub.GetVersion(pb.GetVersionRequest(version_id=version_id))).version.check
    assert (check.evidence, bool(check.sentence), bool(check.sentence_zh)) == ("exit code 1", True, True)


async def test_what_a_bot_wrote_is_told_to_its_owner_and_operators_only(arena: Served):
    ada, bob, boss = await arena.author("ada"), await arena.author("bob"), await arena.operator("boss")
    await arena.stub.CreateBot(pb.CreateBotRequest(name="greedy"), metadata=ada)
    request = pb.GetVersionRequest(version_id=(await arena.submit(ada, "greedy", archive())).version.id)
    arena.check(request.version_id, Verdict.CRASHED, "exit code 1", "KeyError")
    told = [(await arena.stub.GetVersion(request, metadata=who)).version.check.evidence for who in (ada, boss, bob, ())]
    whole = "exit code 1\nthe end of its output:\nKeyError"
    assert told == [whole, whole, "exit code 1", "exit code 1"]
    unknown = await refused(arena.stub.GetVersion(request, metadata=(("authorization", "Bearer nonsense"),)))
    assert unknown.status == STATUS.UNAUTHENTICATED


async def test_a_night_is_opened_by_operators_only_and_with_possible_rules(arena: Served):
    ada, boss = await arena.author("ada"), await arena.operator("boss")
    denied = await refused(arena.stub.OpenNight(pb.OpenNightRequest(), metadata=ada))
    assert denied.status == STATUS.PERMISSION_DENIED
    few = await refused(arena.stub.OpenNight(pb.OpenNightRequest(), metadata=boss))
    assert (few.status, few.code) == (STATUS.FAILED_PRECONDITION, "too_few_entrants")
    for request in (
        pb.OpenNightRequest(rules="unheard-of"),
        pb.OpenNightRequest(clocks=rules_pb2.Clocks(connect_ms=5)),
        pb.OpenNightRequest(rounds=4_000_000_000),
    ):
        refusal = await refused(arena.stub.OpenNight(request, metadata=boss))
        assert refusal.status == STATUS.INVALID_ARGUMENT


@pytest.mark.parametrize("token", ["abc", "-1", "9999999", "12345678", "１"])
async def test_an_unknown_page_token_is_an_invalid_argument(arena: Served, token: str):
    refusal = await refused(arena.stub.ListBots(pb.ListBotsRequest(page_token=token)))
    assert (refusal.status, refusal.code) == (STATUS.INVALID_ARGUMENT, "page_token_unknown")


async def test_a_text_that_is_too_long_or_holds_a_zero_is_an_invalid_argument(arena: Served):
    long = await refused(arena.stub.GetEvent(pb.GetEventRequest(event_id="e" * 257)))
    assert (long.status, long.code) == (STATUS.INVALID_ARGUMENT, "text_too_long")
    zero = await refused(arena.stub.GetEvent(pb.GetEventRequest(event_id="e\x00")))
    assert (zero.status, zero.code) == (STATUS.INVALID_ARGUMENT, "text_malformed")
    note = pb.SubmitVersionRequest(submission=pb.Submission(bot="b", message="x" * 501))

    async def stream() -> AsyncIterator[pb.SubmitVersionRequest]:
        yield note

    ada = await arena.author("ada")
    assert (await refused(arena.stub.SubmitVersion(stream(), metadata=ada))).code == "text_too_long"


async def test_a_message_larger_than_two_megabytes_is_refused(arena: Served):
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await arena.stub.CreateBot(pb.CreateBotRequest(name="x" * 3_000_000))
    assert caught.value.code() == STATUS.RESOURCE_EXHAUSTED


async def test_a_fault_of_ours_shows_an_incident_number_and_no_trace(arena: Served, caplog):
    arena.ports.store.close()
    (arena.ports.settings.data_dir / "arena.db").write_bytes(b"not a database" * 100)
    with caplog.at_level(logging.ERROR), pytest.raises(grpc.aio.AioRpcError) as caught:
        await arena.stub.ListBots(pb.ListBotsRequest())
    refusal = told(caught.value)
    assert "Traceback" not in refusal.reason
    assert "sqlite3" not in refusal.reason.lower().replace("sqlite:///", "")
    assert refusal.status in (STATUS.INTERNAL, STATUS.UNAVAILABLE)


async def test_an_error_nobody_foresaw_is_logged_with_the_number_the_caller_sees(tmp_path, caplog):
    async with serving(tmp_path) as served:
        served.ports.ladder.top = None  # type: ignore[assignment]
        with caplog.at_level(logging.ERROR), pytest.raises(grpc.aio.AioRpcError) as caught:
            await served.stub.GetLadder(pb.GetLadderRequest())
    refusal = told(caught.value)
    assert (refusal.status, refusal.code) == (STATUS.INTERNAL, "internal")
    incident = refusal.reason.rsplit(" ", 1)[1]
    assert incident in caplog.text
    assert "NoneType" in caplog.text
    assert "NoneType" not in refusal.reason


async def test_an_address_that_is_taken_is_unavailable_and_named(tmp_path):
    ports = build_ports(tmp_path)
    first = await serve_rpc(ports, "127.0.0.1:0")
    try:
        assert first.port > 0
        with pytest.raises(Unavailable, match=str(first.port)):
            await serve_rpc(ports, f"127.0.0.1:{first.port}")
    finally:
        await first.stop(0)
        ports.store.close()


async def test_health_and_reflection_answer(arena: Served):
    health = health_pb2_grpc.HealthStub(arena.channel)
    for service in ("", "guandan.v1.ArenaService"):
        answer = await health.Check(health_pb2.HealthCheckRequest(service=service))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
    reflection = reflection_pb2_grpc.ServerReflectionStub(arena.channel)

    async def ask() -> AsyncIterator[reflection_pb2.ServerReflectionRequest]:
        yield reflection_pb2.ServerReflectionRequest(list_services="")

    answers = [answer async for answer in reflection.ServerReflectionInfo(ask())]
    assert "guandan.v1.ArenaService" in {s.name for s in answers[0].list_services_response.service}
