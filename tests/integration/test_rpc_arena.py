"""An author's way through the arena over gRPC: account, bot, version, night, match, replay, ladder."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator

import grpc
import pytest
import pytest_asyncio

from guandan_arena.services import accounts, checks
from guandan_arena.services.states import StageName
from guandan_engine.conduct import Verdict
from guandan_proto.codec import decode_rules
from guandan_proto.v1 import arena_pb2 as pb
from guandan_proto.v1 import bots_pb2, nights_pb2, table_pb2
from tests.serving import REPLAY, Served, archive, serving, told


@pytest_asyncio.fixture
async def arena(tmp_path) -> AsyncIterator[Served]:
    async with serving(tmp_path, night_rounds=1, night_boards=2) as served:
        yield served


async def test_a_token_says_whose_it_is_and_what_may_be_done_with_it(arena: Served):
    ada, boss = await arena.author("ada"), await arena.operator("boss")
    who = await arena.stub.WhoAmI(pb.WhoAmIRequest(), metadata=ada)
    assert (who.account.name, who.account.role) == ("ada", bots_pb2.ROLE_AUTHOR)
    assert who.account.create_time.ToMilliseconds() == arena.ports.clock.now_ms()
    assert (await arena.stub.WhoAmI(pb.WhoAmIRequest(), metadata=boss)).account.role == bots_pb2.ROLE_OPERATOR


async def test_a_version_goes_from_received_to_active_and_out(arena: Served):
    ada = await arena.author("ada")
    await arena.stub.CreateBot(pb.CreateBotRequest(name="greedy"), metadata=ada)
    data = archive(readme="x" * 300_000)
    submitted = await arena.submit(ada, "greedy", data)
    version = submitted.version
    assert submitted.created
    assert version.digest == hashlib.sha256(data).hexdigest()
    assert (version.owner, version.bot, version.number) == ("ada", "greedy", 1)
    assert (list(version.entry), version.runtime) == (["python", "bot.py"], "python-3.11")
    assert version.state == bots_pb2.VERSION_STATE_RECEIVED
    assert arena.ports.queue.waiting == [("guandan.check_version", version.id)]
    assert not (await arena.submit(ada, "greedy", data)).created

    arena.check(version.id, Verdict.OK)
    found = (await arena.stub.GetVersion(pb.GetVersionRequest(version_id=version.id))).version
    assert found.state == bots_pb2.VERSION_STATE_ACTIVE
    assert (found.check.state, found.check.verdict) == (bots_pb2.CHECK_STATE_PASSED, table_pb2.VERDICT_OK)
    (bot,) = (await arena.stub.ListBots(pb.ListBotsRequest(owner="ada"))).bots
    assert bot.active_version_id == version.id

    second = (await arena.submit(ada, "greedy", archive(readme="better"))).version
    arena.check(second.id, Verdict.OK)
    again = pb.ActivateVersionRequest(version_id=version.id)
    assert (await arena.stub.ActivateVersion(again, metadata=ada)).version.state == bots_pb2.VERSION_STATE_ACTIVE
    retire = pb.RetireVersionRequest(version_id=version.id)
    assert (await arena.stub.RetireVersion(retire, metadata=ada)).version.state == bots_pb2.VERSION_STATE_RETIRED
    listed = (await arena.stub.ListVersions(pb.ListVersionsRequest(bot="greedy"))).versions
    assert [item.number for item in listed] == [2, 1]


async def test_a_night_is_told_from_commitment_to_secret(arena: Served):
    boss = await arena.operator("boss")
    for author, bot in (("ada", "greedy"), ("bob", "planner")):
        await arena.active_bot(await arena.author(author), bot)
    opened = (await arena.stub.OpenNight(pb.OpenNightRequest(boards=1), metadata=boss)).event
    assert (opened.kind, opened.state) == (nights_pb2.EVENT_KIND_NIGHT, nights_pb2.EVENT_STATE_RUNNING)
    assert (opened.spec.rounds, opened.spec.boards, opened.spec.clocks.move_ms) == (1, 1, 1000)
    assert (len(opened.commitment), opened.secret) == (64, b"")
    assert decode_rules(opened.rules).name == "standard"

    (match,) = (await arena.stub.ListMatches(pb.ListMatchesRequest(event_id=opened.id))).matches
    assert match.state == nights_pb2.MATCH_STATE_QUEUED
    arena.play(match.id, points=3, verdict=Verdict.TIMED_OUT)

    told = await arena.stub.GetEvent(pb.GetEventRequest(event_id=opened.id))
    assert told.event.state == nights_pb2.EVENT_STATE_OVER
    assert len(told.event.secret) == 32
    (round_,) = told.rounds
    assert (round_.number, round_.closed, len(round_.matches)) == (1, True, 1)
    assert [row.place for row in told.standings] == [1, 2]
    assert (told.standings[0].wins, told.standings[1].losses) == (1, 1)
    assert {fault.verdict for row in told.standings for fault in row.faults} == {table_pb2.VERDICT_TIMED_OUT}

    rows = (await arena.stub.GetLadder(pb.GetLadderRequest())).rows
    assert [row.rank for row in rows] == [1, 2]
    assert rows[0].elo_milli - 1_500_000 == 1_500_000 - rows[1].elo_milli == abs(round_.matches[0].delta_milli) > 0
    assert all(row.provisional and row.active and row.games == 1 for row in rows)


async def test_a_match_tells_its_tables_verdicts_evidence_and_replays(arena: Served):
    boss = await arena.operator("boss")
    for author, bot in (("ada", "greedy"), ("bob", "planner")):
        await arena.active_bot(await arena.author(author), bot)
    await arena.stub.OpenNight(pb.OpenNightRequest(), metadata=boss)
    (match,) = (await arena.stub.ListMatches(pb.ListMatchesRequest(bot="planner"))).matches
    assert not match.tables
    arena.play(match.id, verdict=Verdict.CRASHED)

    told = (await arena.stub.GetMatch(pb.GetMatchRequest(match_id=match.id))).match
    assert (told.ending, told.score) == (nights_pb2.MATCH_ENDING_PLAYED, 12)
    assert {told.a.bot, told.b.bot} == {"greedy", "planner"}
    assert [(table.board, table.way) for table in told.tables] == [(1, 0), (1, 1), (2, 0), (2, 1)]
    report = told.tables[0].seats[0]
    assert (report.verdict, report.evidence) == (table_pb2.VERDICT_CRASHED, "it said: no")
    assert report.sentence
    assert report.sentence_zh
    paces = {(t.pace.decisions, t.pace.wall_us, t.pace.thinking_us, t.pace.overhead_us) for t in told.tables}
    assert paces == {(80, 500_000, 420_000, 1000)}

    request = pb.GetReplayRequest(table_id=told.tables[0].table_id)
    chunks = [response.chunk async for response in arena.stub.GetReplay(request)]
    assert b"".join(chunks) == REPLAY
    assert len(chunks) > 1


async def test_a_list_comes_in_pages_that_miss_nothing(arena: Served):
    ada = await arena.author("ada")
    names = [f"bot-{number:02}" for number in range(7)]
    for name in names:
        await arena.stub.CreateBot(pb.CreateBotRequest(name=name), metadata=ada)
    seen, token = [], ""
    for size in (3, 3, 3):
        page = await arena.stub.ListBots(pb.ListBotsRequest(page_size=size, page_token=token))
        seen += [bot.name for bot in page.bots]
        token = page.next_page_token
    assert (seen, token) == (names, "")
    huge = await arena.stub.ListBots(pb.ListBotsRequest(page_size=4_000_000_000))
    assert len(huge.bots) == 7


async def test_a_log_is_streamed_to_its_owner_and_refused_to_others(arena: Served):
    boss, ada, bob, eve = [await arena.author(name) for name in ("boss", "ada", "bob", "eve")]
    await arena.active_bot(ada, "greedy")
    await arena.active_bot(bob, "planner")
    accounts.set_operator(arena.ports, name="boss", operator=True)
    opened = (await arena.stub.OpenNight(pb.OpenNightRequest(boards=1), metadata=boss)).event
    (match,) = (await arena.stub.ListMatches(pb.ListMatchesRequest(event_id=opened.id))).matches
    arena.play(match.id, points=3, verdict=Verdict.TIMED_OUT)
    request = pb.GetLogsRequest(match_id=match.id)
    own = [part.log async for part in arena.stub.GetLogs(request, metadata=ada)]
    assert len(own) == 4
    assert len({(log.table_id, log.seat) for log in own}) == 4
    assert len([part async for part in arena.stub.GetLogs(request, metadata=boss)]) == 8
    for metadata, code in ((eve, "not_your_bot"), ((), "token_missing")):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            _ = [part async for part in arena.stub.GetLogs(request, metadata=metadata)]
        assert told(refused.value).code == code


async def test_decision_times_of_a_version_are_told_to_everyone(arena: Served):
    boss = await arena.operator("boss")
    for author, bot in (("ada", "greedy"), ("bob", "planner")):
        await arena.active_bot(await arena.author(author), bot)
    opened = (await arena.stub.OpenNight(pb.OpenNightRequest(boards=1), metadata=boss)).event
    (match,) = (await arena.stub.ListMatches(pb.ListMatchesRequest(event_id=opened.id))).matches
    arena.play(match.id, points=3, verdict=Verdict.OK)
    found = await arena.stub.GetDecisionTimes(pb.GetDecisionTimesRequest(version_id=match.a.version_id))
    assert (found.matches, found.clocks.move_ms, list(found.warnings)) == (1, 1000, [])


async def test_stages_are_told_to_everyone_and_their_logs_to_the_owner(arena: Served):
    ada, eve = await arena.author("ada"), await arena.author("eve")
    await arena.stub.CreateBot(pb.CreateBotRequest(name="greedy"), metadata=ada)
    version = (await arena.submit(ada, "greedy", archive())).version
    claim = checks.claim(arena.ports, version_id=version.id, worker="w")
    checks.begin(arena.ports, claim, StageName.UNPACKED)
    checks.done(arena.ports, claim, StageName.UNPACKED, log=b"a secret")
    checks.begin(arena.ports, claim, StageName.BUILT)
    missing = {"code": "runtime_not_built", "reason": "no node here", "hint": "ask the operator"}
    checks.stall(arena.ports, claim, **missing)
    asked = pb.GetVersionRequest(version_id=version.id)
    mine, other, nobody = [
        (await arena.stub.GetVersion(asked, metadata=who)).version.stages for who in (ada, eve, None)
    ]
    assert [(bots_pb2.StageName.Name(s.name)[11:], bots_pb2.StageState.Name(s.state)[12:]) for s in mine] == [
        *(("RECEIVED", "DONE"), ("UNPACKED", "DONE"), ("BUILT", "STALLED")),
        *(("CHECKED", "WAITING"), ("ACTIVE", "WAITING")),
    ]
    assert (mine[2].code, mine[2].reason, mine[2].hint) == tuple(missing.values())
    assert (mine[1].log, other[1].log, nobody[1].log) == ("a secret", "", "")
    assert (mine[1].HasField("end_time"), mine[3].HasField("start_time")) == (True, False)


async def test_a_bot_is_rolled_back_by_its_owner_only(arena: Served):
    ada, eve = await arena.author("ada"), await arena.author("eve")
    await arena.stub.CreateBot(pb.CreateBotRequest(name="greedy"), metadata=ada)
    request = pb.RollbackBotRequest(bot="greedy")
    for number in (1, 2):
        arena.check((await arena.submit(ada, "greedy", archive(readme=str(number)))).version.id, Verdict.OK)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await arena.stub.RollbackBot(request, metadata=eve)
    assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
    back = (await arena.stub.RollbackBot(request, metadata=ada)).version
    assert (back.number, back.state) == (1, bots_pb2.VERSION_STATE_ACTIVE)
