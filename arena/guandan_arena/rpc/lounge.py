# ruff: noqa: N802 - methods are named by the schema
"""The servicer of LoungeService: asks for a game and passes on what happens to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from guandan_arena.ports import Ports
from guandan_arena.rpc.callers import caller_of
from guandan_arena.services import lounge
from guandan_engine.conduct import Verdict
from guandan_proto import codec
from guandan_proto.v1 import lounge_pb2 as pb
from guandan_proto.v1 import lounge_pb2_grpc


class LoungeServicer(lounge_pb2_grpc.LoungeServiceServicer):
    """Authors whose bots run on their own machine."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    async def Wait(self, request: pb.WaitRequest, context: Any) -> AsyncIterator[pb.WaitResponse]:
        """Ask for a game and tell what happens to it."""
        caller = await caller_of(self._ports, context)
        game = await asyncio.to_thread(
            lounge.ask,
            self._ports,
            caller=caller,
            name=request.name,
            against=request.against,
            boards=request.boards or 1,
        )
        yield pb.WaitResponse(queued=pb.GameQueued(game_id=game.id, against=game.against))
        notices = lounge.notices(self._ports, game)
        while (notice := await asyncio.to_thread(next, notices, _END)) is not _END:
            if notice is None:
                await asyncio.sleep(lounge.LOOK_MS / 1000)  # here, since threads are few and authors wait long
            else:
                yield _response(notice)


def _response(notice: dict[str, Any]) -> pb.WaitResponse:
    notice = dict(notice)
    kind = notice.pop("notice")
    if kind == "invitation":
        return pb.WaitResponse(invitation=pb.Invitation(**notice))
    if kind == "over":
        return pb.WaitResponse(over=pb.GameOver(**notice))
    verdicts = [codec.encode_verdict(Verdict(verdict)) for verdict in notice.pop("verdicts")]
    return pb.WaitResponse(table=pb.TablePlayed(**notice, verdicts=verdicts))


_END: Any = object()
