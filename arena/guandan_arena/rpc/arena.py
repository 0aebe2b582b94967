# ruff: noqa: N802 - methods are named by the schema
"""The servicer of ArenaService: each method parses, calls one service in a thread, and answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from guandan_arena.errors import Exhausted
from guandan_arena.ports import Ports
from guandan_arena.rpc.callers import caller_if_any, caller_of
from guandan_arena.rpc.limits import REPLAY_CHUNK_BYTES, UPLOADS
from guandan_arena.rpc.messages import account_of, bot_of, ladder_row_of, version_of
from guandan_arena.rpc.nights import event_of, event_page_of, log_of, match_of, version_times_of
from guandan_arena.rpc.paging import Page
from guandan_arena.rpc.uploads import received
from guandan_arena.services import accounts, bots, events, ladder, logs, matches, replays, stages, times, versions
from guandan_proto.codec import decode_clocks
from guandan_proto.v1 import arena_pb2 as pb
from guandan_proto.v1 import arena_pb2_grpc

_MATCHES_OF_A_NIGHT = 10_000


class ArenaServicer(arena_pb2_grpc.ArenaServiceServicer):
    """Authors, operators and readers of results."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._uploads = asyncio.Semaphore(UPLOADS)

    async def CreateAccount(self, request: pb.CreateAccountRequest, context: Any) -> pb.CreateAccountResponse:
        """Open an account."""
        issued = await asyncio.to_thread(accounts.register, self._ports, name=request.name)
        return pb.CreateAccountResponse(account=account_of(issued.account), token=issued.text)

    async def WhoAmI(self, request: pb.WhoAmIRequest, context: Any) -> pb.WhoAmIResponse:
        """Say whose token this is."""
        return pb.WhoAmIResponse(account=account_of(await caller_of(self._ports, context)))

    async def CreateBot(self, request: pb.CreateBotRequest, context: Any) -> pb.CreateBotResponse:
        """Reserve a name."""
        caller = await caller_of(self._ports, context)
        bot = await asyncio.to_thread(bots.create, self._ports, caller=caller, name=request.name)
        return pb.CreateBotResponse(bot=bot_of(bot))

    async def ListBots(self, request: pb.ListBotsRequest, context: Any) -> pb.ListBotsResponse:
        """List bots."""
        page = Page.parse(request.page_size, request.page_token)
        found = await asyncio.to_thread(
            bots.browse, self._ports, owner=request.owner or None, limit=page.fetch, offset=page.offset
        )
        items, token = page.cut(found)
        return pb.ListBotsResponse(bots=[bot_of(bot) for bot in items], next_page_token=token)

    async def SubmitVersion(
        self, requests: AsyncIterator[pb.SubmitVersionRequest], context: Any
    ) -> pb.SubmitVersionResponse:
        """Receive an archive."""
        caller = await caller_of(self._ports, context)
        if self._uploads.locked():
            raise Exhausted("too_many_uploads", f"{UPLOADS} uploads are running", "try again in a minute")
        async with self._uploads, received(requests, most_bytes=self._ports.settings.archive_max_bytes) as upload:
            submission, chunks = upload
            done = await asyncio.to_thread(
                versions.submit,
                self._ports,
                caller=caller,
                bot=submission.bot,
                archive=chunks,
                filename=submission.filename,
                message=submission.message,
            )
        return pb.SubmitVersionResponse(version=version_of(done.version), created=done.created)

    async def GetVersion(self, request: pb.GetVersionRequest, context: Any) -> pb.GetVersionResponse:
        """Tell a version and its check; what the bot wrote only to its owner and operators."""
        caller = await caller_if_any(self._ports, context)
        version = await asyncio.to_thread(versions.get, self._ports, version_id=request.version_id)
        check = await asyncio.to_thread(versions.check_of, self._ports, version_id=request.version_id, caller=caller)
        reports = await asyncio.to_thread(stages.of, self._ports, version_id=request.version_id, caller=caller)
        return pb.GetVersionResponse(version=version_of(version, check, reports))

    async def ListVersions(self, request: pb.ListVersionsRequest, context: Any) -> pb.ListVersionsResponse:
        """List the versions of a bot."""
        page = Page.parse(request.page_size, request.page_token)
        found = await asyncio.to_thread(
            versions.history, self._ports, bot=request.bot, limit=page.fetch, offset=page.offset
        )
        items, token = page.cut(found)
        return pb.ListVersionsResponse(versions=[version_of(item) for item in items], next_page_token=token)

    async def ActivateVersion(self, request: pb.ActivateVersionRequest, context: Any) -> pb.ActivateVersionResponse:
        """Make a checked version the one that plays."""
        caller = await caller_of(self._ports, context)
        done = await asyncio.to_thread(versions.activate, self._ports, caller=caller, version_id=request.version_id)
        return pb.ActivateVersionResponse(version=version_of(done))

    async def RetireVersion(self, request: pb.RetireVersionRequest, context: Any) -> pb.RetireVersionResponse:
        """Take a version out of coming events."""
        caller = await caller_of(self._ports, context)
        done = await asyncio.to_thread(versions.retire, self._ports, caller=caller, version_id=request.version_id)
        return pb.RetireVersionResponse(version=version_of(done))

    async def RollbackBot(self, request: pb.RollbackBotRequest, context: Any) -> pb.RollbackBotResponse:
        """Bring back the version that played before."""
        caller = await caller_of(self._ports, context)
        done = await asyncio.to_thread(versions.rollback, self._ports, caller=caller, bot=request.bot)
        return pb.RollbackBotResponse(version=version_of(done))

    async def GetLadder(self, request: pb.GetLadderRequest, context: Any) -> pb.GetLadderResponse:
        """List ratings."""
        page = Page.parse(request.page_size, request.page_token)
        found = await asyncio.to_thread(
            ladder.leaderboard,
            self._ports,
            limit=page.fetch,
            offset=page.offset,
            active_only=not request.all_versions,
        )
        items, token = page.cut(found)
        return pb.GetLadderResponse(rows=[ladder_row_of(line) for line in items], next_page_token=token)

    async def ListEvents(self, request: pb.ListEventsRequest, context: Any) -> pb.ListEventsResponse:
        """List events."""
        page = Page.parse(request.page_size, request.page_token)
        found = await asyncio.to_thread(events.browse, self._ports, limit=page.fetch, offset=page.offset)
        items, token = page.cut(found)
        return pb.ListEventsResponse(events=[event_of(event) for event in items], next_page_token=token)

    async def GetEvent(self, request: pb.GetEventRequest, context: Any) -> pb.GetEventResponse:
        """Tell an event with its standings and rounds."""
        return await asyncio.to_thread(_event_page, self._ports, request.event_id)

    async def OpenNight(self, request: pb.OpenNightRequest, context: Any) -> pb.OpenNightResponse:
        """Open a night."""
        caller = await caller_of(self._ports, context)
        accounts.require_operator(caller)
        event = await asyncio.to_thread(
            events.open_night,
            self._ports,
            rounds=request.rounds or None,
            boards=request.boards or None,
            rules=request.rules or None,
            clocks=decode_clocks(request.clocks) if request.HasField("clocks") else None,
            name=request.name or None,
            remote=request.remote,
            caller=caller,
        )
        return pb.OpenNightResponse(event=event_of(event))

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Any) -> pb.ListMatchesResponse:
        """List matches."""
        page = Page.parse(request.page_size, request.page_token)
        bot = await asyncio.to_thread(bots.get, self._ports, name=request.bot) if request.bot else None
        found = await asyncio.to_thread(
            matches.browse,
            self._ports,
            event_id=request.event_id or None,
            version_id=request.version_id or None,
            bot_id=None if bot is None else bot.id,
            limit=page.fetch,
            offset=page.offset,
        )
        items, token = page.cut(found)
        return pb.ListMatchesResponse(matches=[match_of(match) for match in items], next_page_token=token)

    async def GetMatch(self, request: pb.GetMatchRequest, context: Any) -> pb.GetMatchResponse:
        """Tell a match with its tables."""
        detail = await asyncio.to_thread(matches.get, self._ports, match_id=request.match_id)
        return pb.GetMatchResponse(match=match_of(detail.match, detail.tables))

    async def GetLogs(self, request: pb.GetLogsRequest, context: Any) -> AsyncIterator[pb.GetLogsResponse]:
        """Stream what the caller's bots wrote in a match."""
        caller = await caller_of(self._ports, context)
        found = await asyncio.to_thread(
            logs.of_match, self._ports, caller=caller, match_id=request.match_id, version_id=request.version_id
        )
        for log in found:
            yield pb.GetLogsResponse(log=log_of(log))

    async def GetCheckLog(self, request: pb.GetCheckLogRequest, context: Any) -> pb.GetCheckLogResponse:
        """Tell what a version wrote in its check."""
        caller = await caller_of(self._ports, context)
        log = await asyncio.to_thread(logs.of_check, self._ports, caller=caller, version_id=request.version_id)
        return pb.GetCheckLogResponse(log=log)

    async def GetDecisionTimes(self, request: pb.GetDecisionTimesRequest, context: Any) -> pb.GetDecisionTimesResponse:
        """Tell the decision times of a version."""
        return version_times_of(await asyncio.to_thread(times.of_version, self._ports, version_id=request.version_id))

    async def GetReplay(self, request: pb.GetReplayRequest, context: Any) -> AsyncIterator[pb.GetReplayResponse]:
        """Stream a replay."""
        replay = await asyncio.to_thread(replays.get, self._ports, table_id=request.table_id)
        for start in range(0, len(replay.lines), REPLAY_CHUNK_BYTES):
            yield pb.GetReplayResponse(chunk=replay.lines[start : start + REPLAY_CHUNK_BYTES])


def _event_page(ports: Ports, event_id: str) -> pb.GetEventResponse:
    event = events.get(ports, event_id=event_id)
    return event_page_of(
        event,
        events.standings(ports, event_id=event_id),
        events.rounds(ports, event_id=event_id),
        matches.browse(ports, event_id=event_id, limit=_MATCHES_OF_A_NIGHT),
    )
