"""A table on a real gRPC socket: the seat under test comes over the wire, the other three sit in this process."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from guandan_engine.board import Board
from guandan_engine.cards import Rank
from guandan_engine.conduct import Verdict
from guandan_engine.events import MatchEnded
from guandan_engine.exchange import AskSeat, Effect, Record, Refuse, TableSpec, Tell
from guandan_engine.rules import load
from guandan_engine.shuffle import deal, shuffle
from guandan_engine.table import Table
from guandan_proto import codec
from guandan_proto.v1 import table_pb2 as pb
from guandan_proto.v1.table_pb2_grpc import TableServiceServicer, add_TableServiceServicer_to_server
from guandan_sdk.bot import TimeLeft, Welcome
from guandan_sdk.bots.greedy import GreedyBot
from guandan_sdk.local import NO_LIMIT
from guandan_sdk.seat import Seat

RULES = load("standard")
SPEC = TableSpec("t1", RULES, clocks=NO_LIMIT, seeds=(11, 12, 13, 14), board=Board(shuffle(b"a board"), Rank.FIVE, 2))
MATCH = TableSpec("m1", RULES, clocks=NO_LIMIT, seeds=(11, 12, 13, 14), deal_limit=4)
SEAT = 2


class TableServer(TableServiceServicer):
    """Serves one seat of one table. ``drop_after``: break the stream once, in place of the answer's acknowledgement."""

    def __init__(
        self, spec: TableSpec = SPEC, *, drop_after: int = 0, refuse: tuple[str, str, str] | None = None
    ) -> None:
        self.spec = spec
        self.table = Table(spec, lambda n: deal(f"deal {n}".encode(), spec.rules), opened_ms=_now())
        self.others = {
            seat: Seat(GreedyBot, Welcome(spec.table_id, seat, RULES, spec.clocks, spec.seeds[seat]))
            for seat in range(4)
            if seat != SEAT
        }
        self.hellos: list[codec.Hello] = []
        self.notes: list[str] = []
        self._drop_after = drop_after
        self._refuse = refuse
        self._asked = 0
        self._unsent: list[Record] = []
        self._effects: deque[Effect] = deque()

    def Play(  # noqa: N802 - named by the protocol
        self, request_iterator: Iterator[pb.PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[pb.PlayResponse]:
        hello = codec.decode_hello(next(request_iterator))
        self.hellos.append(hello)
        if self._refuse is not None:
            context.abort_with_status(_status(*self._refuse))
        resumed = len(self.hellos) > 1
        assert hello.session_token == ("again" if resumed else "")
        yield codec.encode_welcome(
            codec.Welcome(
                1, "again", self.spec.table_id, SEAT, RULES, self.spec.clocks, self.spec.seeds[SEAT], resumed=resumed
            )
        )
        self._unsent.clear()
        for seat in (SEAT,) if resumed else range(4):
            self._effects.extend(self.table.joined(seat, _now()))
        yield from self._frames(request_iterator, context)
        yield codec.encode_closed(
            codec.Closed(self.spec.table_id, tuple(self._unsent), Verdict.OK, "played to the end")
        )
        assert next(request_iterator, None) is None, "the bot does not half-close after Closed"

    def _frames(self, requests: Iterator[pb.PlayRequest], context: grpc.ServicerContext) -> Iterator[pb.PlayResponse]:
        while self._effects:
            effect = self._effects.popleft()
            match effect:
                case Tell(seat=seat, record=record) if seat == SEAT:
                    self._unsent.append(record)
                case Tell(seat=seat, record=record):
                    self.others[seat].happened(record.event)
                case Refuse(refusal=refusal):
                    yield codec.encode_refusal(refusal, table_id=self.spec.table_id)
                    if refusal.attempts_left:
                        self._take(next(requests))
                case AskSeat(seat=seat, request=request) if seat != SEAT:
                    self._effects.extend(self.table.sent(seat, request.id, _now()))
                    answer = self.others[seat].answer(request.question, TimeLeft(0, 0))
                    self._effects.extend(self.table.answered(seat, request.id, answer, _now()))
                case AskSeat(request=request):
                    message = codec.encode_request(
                        request,
                        table_id=self.spec.table_id,
                        events=[codec.encode_record(record) for record in self._unsent],
                    )
                    self._unsent.clear()
                    self._effects.extend(self.table.sent(SEAT, request.id, _now()))
                    yield codec.encode_requests([message])
                    frame = next(requests)
                    self._asked += 1
                    if self._asked == self._drop_after:
                        self.table.lost(SEAT, _now())
                        context.abort(grpc.StatusCode.UNAVAILABLE, "the line broke")
                    self._take(frame)

    def _take(self, frame: pb.PlayRequest) -> None:
        for action in frame.actions.actions:
            answered = codec.decode_answer(action)
            self.notes.append(answered.answer.note)
            self._effects.extend(self.table.answered(SEAT, answered.request_id, answered.answer, _now()))

    @property
    def finished(self) -> bool:
        return isinstance(self.table.log[-1].event, MatchEnded)


@contextmanager
def serving(service: TableServer, folder: Path) -> Iterator[str]:
    """Listen on a socket in the folder; give its target."""
    target = f"unix:{folder / 's'}"
    server = grpc.server(ThreadPoolExecutor(4))
    add_TableServiceServicer_to_server(service, server)
    server.add_insecure_port(target)
    server.start()
    try:
        yield target
    finally:
        server.stop(None).wait()


def _now() -> int:
    return time.monotonic_ns() // 1_000_000


def _status(code: str, reason: str, hint: str) -> rpc_status.grpc.Status:
    info = error_details_pb2.ErrorInfo(reason=code.upper(), metadata={"code": code, "hint": hint})
    packed = any_pb2.Any()
    packed.Pack(info)
    return rpc_status.to_status(status_pb2.Status(code=code_pb2.FAILED_PRECONDITION, message=reason, details=[packed]))
