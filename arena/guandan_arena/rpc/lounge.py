# ruff: noqa: N802 - methods are named by the schema
"""The servicer of LoungeService: asks for a game, or attends for a bot, and passes on what happens to it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Final

from guandan_arena.errors import Exhausted
from guandan_arena.ports import Ports
from guandan_arena.rpc.callers import caller_of
from guandan_arena.rpc.limits import ATTENDANTS, ATTENDANTS_OF_ONE
from guandan_arena.rpc.nights import entrant_of, standing_of
from guandan_arena.services import attendance, lounge
from guandan_arena.services.records import Account
from guandan_engine.conduct import Verdict
from guandan_proto import codec
from guandan_proto.v1 import lounge_pb2 as pb
from guandan_proto.v1 import lounge_pb2_grpc


class LoungeServicer(lounge_pb2_grpc.LoungeServiceServicer):
    """Authors whose bots run on their own machine."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._attendants: Counter[str] = Counter()

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

    async def Attend(self, request: pb.AttendRequest, context: Any) -> AsyncIterator[pb.AttendResponse]:
        """Attend for a remote bot and tell what happens to it."""
        caller = await caller_of(self._ports, context)
        with self._attendant_of(caller):
            attended = await asyncio.to_thread(
                attendance.attend, self._ports, caller=caller, bot=request.bot, event_id=request.event_id
            )
            notices, looks = attendance.notices(self._ports, attended), 0
            while (notice := await asyncio.to_thread(next, notices, _END)) is not _END:
                if notice is None:
                    if looks % _LOOKS_A_SIGN == 0:
                        yield pb.AttendResponse()
                    looks += 1
                    await asyncio.sleep(attendance.LOOK_MS / 1000)
                    await caller_of(self._ports, context)  # a token that was taken back opens no more seats
                else:
                    yield _attended(notice)

    @contextmanager
    def _attendant_of(self, account: Account) -> Iterator[None]:
        """Count who attends while the block runs; raise Exhausted when there is no place for it."""
        if self._attendants[account.id] >= ATTENDANTS_OF_ONE:
            reason = f"{account.name} attends {ATTENDANTS_OF_ONE} times already"
            raise Exhausted("too_many_attendants", reason, "one `guandan connect` attends for a bot; end the others")
        if self._attendants.total() >= ATTENDANTS:
            raise Exhausted("too_many_attendants", f"{ATTENDANTS} remote bots are attended for", "try again later")
        self._attendants[account.id] += 1
        try:
            yield
        finally:
            self._attendants[account.id] -= 1
            self._attendants += Counter()  # forgets those of whom nobody attends


def _response(notice: dict[str, Any]) -> pb.WaitResponse:
    notice = dict(notice)
    kind = notice.pop("notice")
    if kind == "invitation":
        return pb.WaitResponse(invitation=pb.Invitation(**notice))
    if kind == "over":
        return pb.WaitResponse(over=pb.GameOver(**notice))
    verdicts = [codec.encode_verdict(Verdict(verdict)) for verdict in notice.pop("verdicts")]
    return pb.WaitResponse(table=pb.TablePlayed(**notice, verdicts=verdicts))


def _attended(notice: attendance.Notice) -> pb.AttendResponse:
    match notice:
        case attendance.Attended(event, entrant):
            told = pb.EventAttended(event_id=event.id, name=event.name, entrant=entrant_of(entrant))
            return pb.AttendResponse(event=told)
        case attendance.Invited():
            return pb.AttendResponse(invitation=pb.Invitation(**asdict(notice)))
        case attendance.Ended(event_id, standing):
            return pb.AttendResponse(ended=pb.EventEnded(event_id=event_id, standing=standing_of(standing)))


_LOOKS_A_SIGN: Final = 20
_END: Any = object()
