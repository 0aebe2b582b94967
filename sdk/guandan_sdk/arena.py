"""The arena as an author's program sees it: calls return messages or raise ``ServerError`` with reason and hint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import grpc

from guandan_proto.v1 import arena_pb2 as pb
from guandan_proto.v1 import bots_pb2, lounge_pb2, nights_pb2
from guandan_proto.v1.arena_pb2_grpc import ArenaServiceStub
from guandan_proto.v1.lounge_pb2_grpc import LoungeServiceStub
from guandan_sdk.channels import open_channel
from guandan_sdk.status import is_broken, server_error, server_gone

DEADLINE_SECONDS: Final = 30.0
UPLOAD_SECONDS: Final = 330.0
"""A little more than the arena waits for an upload, so that its own words are heard."""
CHUNK_BYTES: Final = 256 * 1024
_PING_MS: Final = 60_000

T = TypeVar("T")


class Arena:
    """A connection to an arena. Use as a context manager."""

    def __init__(self, server: str, token: str = "") -> None:
        """Name the server; an empty token reaches what is public."""
        self._server = server
        self._channel = open_channel(server)
        self._stub = ArenaServiceStub(self._channel)
        self._lounge = LoungeServiceStub(self._channel)
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._channel.close()

    def _call(self, method: Callable[..., T], request: object, *, seconds: float = DEADLINE_SECONDS) -> T:
        try:
            return method(request, metadata=self._metadata, timeout=seconds)
        except grpc.RpcError as error:
            raise server_error(error) from None

    def create_account(self, name: str) -> pb.CreateAccountResponse:
        """Open an account; the answer holds its token, shown only this once."""
        return self._call(self._stub.CreateAccount, pb.CreateAccountRequest(name=name))

    def who_am_i(self) -> bots_pb2.Account:
        """Say whose token this is."""
        return self._call(self._stub.WhoAmI, pb.WhoAmIRequest()).account

    def create_bot(self, name: str) -> bots_pb2.Bot:
        """Reserve a name for a line of versions."""
        return self._call(self._stub.CreateBot, pb.CreateBotRequest(name=name)).bot

    def bots(self, owner: str = "") -> Iterator[bots_pb2.Bot]:
        """List bots by name, all or those of one account."""
        token = ""
        while True:
            page = self._call(self._stub.ListBots, pb.ListBotsRequest(owner=owner, page_token=token))
            yield from page.bots
            token = page.next_page_token
            if not token:
                return

    def submit(self, bot: str, filename: str, data: bytes, message: str) -> pb.SubmitVersionResponse:
        """Upload an archive as the next version of a bot; the same bytes again give the version there is."""
        head = pb.Submission(bot=bot, message=message, filename=filename, size_bytes=len(data))

        def parts() -> Iterator[pb.SubmitVersionRequest]:
            yield pb.SubmitVersionRequest(submission=head)
            for start in range(0, len(data), CHUNK_BYTES):
                yield pb.SubmitVersionRequest(chunk=data[start : start + CHUNK_BYTES])

        return self._call(self._stub.SubmitVersion, parts(), seconds=UPLOAD_SECONDS)

    def version(self, version_id: str) -> bots_pb2.Version:
        """Return a version with what its check found."""
        return self._call(self._stub.GetVersion, pb.GetVersionRequest(version_id=version_id)).version

    def versions(self, bot: str, limit: int) -> list[bots_pb2.Version]:
        """List the newest versions of a bot, newest first, each with its stages and what its check found."""
        return [self.version(version.id) for version in self.version_list(bot, limit)]

    def version_list(self, bot: str, limit: int) -> list[bots_pb2.Version]:
        """List the newest versions of a bot, newest first."""
        found: list[bots_pb2.Version] = []
        token = ""
        while len(found) < limit:
            request = pb.ListVersionsRequest(bot=bot, page_size=min(200, limit - len(found)), page_token=token)
            page = self._call(self._stub.ListVersions, request)
            found.extend(page.versions)
            token = page.next_page_token
            if not token:
                break
        return found

    def activate(self, version_id: str) -> bots_pb2.Version:
        """Make a checked version the one that plays."""
        request = pb.ActivateVersionRequest(version_id=version_id)
        return self._call(self._stub.ActivateVersion, request).version

    def retire(self, version_id: str) -> bots_pb2.Version:
        """Take a version out of coming events for good."""
        return self._call(self._stub.RetireVersion, pb.RetireVersionRequest(version_id=version_id)).version

    def rollback(self, bot: str) -> bots_pb2.Version:
        """Bring back the version that played before the present one."""
        return self._call(self._stub.RollbackBot, pb.RollbackBotRequest(bot=bot)).version

    def ladder(self, top: int) -> list[nights_pb2.LadderRow]:
        """List the highest ratings."""
        rows: list[nights_pb2.LadderRow] = []
        token = ""
        while len(rows) < top:
            size = min(200, top - len(rows))
            page = self._call(self._stub.GetLadder, pb.GetLadderRequest(page_size=size, page_token=token))
            rows.extend(page.rows)
            token = page.next_page_token
            if not token:
                break
        return rows

    def matches(self, *, event: str = "", bot: str = "", limit: int = 50) -> list[nights_pb2.Match]:
        """List the newest matches, of an event or a bot."""
        request = pb.ListMatchesRequest(event_id=event, bot=bot, page_size=limit)
        return list(self._call(self._stub.ListMatches, request).matches)

    def match(self, match_id: str) -> nights_pb2.Match:
        """Return a match with its tables."""
        return self._call(self._stub.GetMatch, pb.GetMatchRequest(match_id=match_id)).match

    def logs(self, match_id: str, version_id: str = "") -> list[nights_pb2.SeatLog]:
        """Return what one's own bots wrote in a match, by table and seat."""
        request = pb.GetLogsRequest(match_id=match_id, version_id=version_id)
        call: Any = self._stub.GetLogs(request, metadata=self._metadata, timeout=DEADLINE_SECONDS)
        try:
            return [part.log for part in call]
        except grpc.RpcError as error:
            raise server_error(error) from None

    def check_log(self, version_id: str) -> str:
        """Return what one's own version wrote in its check."""
        return self._call(self._stub.GetCheckLog, pb.GetCheckLogRequest(version_id=version_id)).log

    def decision_times(self, version_id: str) -> pb.GetDecisionTimesResponse:
        """Return the decision times of a version over its newest matches."""
        return self._call(self._stub.GetDecisionTimes, pb.GetDecisionTimesRequest(version_id=version_id))

    def wait_in_lounge(self, name: str, against: str, boards: int) -> Iterator[lounge_pb2.WaitResponse]:
        """Ask for an unrated game of a remote bot and yield what happens to it, its end last."""
        request = lounge_pb2.WaitRequest(name=name, against=against, boards=boards)
        call: Any = self._lounge.Wait(request, metadata=self._metadata)
        try:
            yield from call
        except grpc.RpcError as error:
            raise server_error(error) from None
        finally:
            call.cancel()

    def attend(self, bot: str, event_id: str) -> Iterator[lounge_pb2.AttendResponse]:
        """Attend for a remote bot and yield what happens to it; raise ServerGone when the line breaks."""
        request = lounge_pb2.AttendRequest(bot=bot, event_id=event_id)
        with open_channel(self._server, ping_ms=_PING_MS) as channel:
            call: Any = LoungeServiceStub(channel).Attend(request, metadata=self._metadata)
            try:
                yield from call
            except grpc.RpcError as error:
                raise (server_gone if is_broken(error) else server_error)(error) from None
            finally:
                call.cancel()

    def replay(self, table_id: str) -> bytes:
        """Download the replay of one table."""
        request = pb.GetReplayRequest(table_id=table_id)
        call: Any = self._stub.GetReplay(request, metadata=self._metadata, timeout=DEADLINE_SECONDS)
        try:
            return b"".join(part.chunk for part in call)
        except grpc.RpcError as error:
            raise server_error(error) from None
