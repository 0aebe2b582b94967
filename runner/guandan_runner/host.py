"""The table host: four gRPC servers, one on each seat's socket, moving bytes between bots and the adjudicator.

All decisions are ``engine.table``'s: the host tells it what came when and carries out what it says. Everything here
runs in one event loop. A seat is its socket: no message can claim another.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import grpc
from google.protobuf.message import DecodeError

from guandan_engine.answering import TOO_MANY_JOINS
from guandan_engine.conduct import SENTENCES, Fault
from guandan_engine.conduct.rulings import APPLIED, RefereeRuling
from guandan_engine.events import Event
from guandan_engine.exchange import (
    AskSeat,
    Dealer,
    Effect,
    Effects,
    Over,
    Record,
    Refuse,
    RulingRefused,
    TableSpec,
    Tell,
)
from guandan_engine.pace import Pace
from guandan_engine.table import Table
from guandan_proto import codec
from guandan_proto.codec import CodecError, Hello, Welcome
from guandan_proto.v1 import events_pb2
from guandan_proto.v1 import table_pb2 as pb
from guandan_runner.errors import HarnessFault
from guandan_runner.line import Line, Stream
from guandan_runner.service import NotWelcome, listen
from guandan_runner.stopwatch import Stopwatch

__all__ = ["TableHost"]

TICK_S: Final = 0.02
FAREWELL_S: Final = 1.0  # how long bots may take to close their streams after the table has
_BROKEN: Final = grpc.StatusCode.INVALID_ARGUMENT  # the client does not speak the protocol


class TableHost:
    """Hosts one table. ``open``, then ``play`` once the bots have been started, then ``close`` whatever happened."""

    def __init__(
        self,
        spec: TableSpec,
        folders: Sequence[Path],
        *,
        dealer: Dealer | None = None,
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """Prepare a table whose seat i is reached by the socket in ``folders[i]``."""
        self.spec = spec
        self._dealer = dealer
        self._clock_ns = clock_ns
        self._stopwatch = Stopwatch(clock_ns)
        self._folders = folders
        self._lines = [Line(seat) for seat in range(4)]
        self._servers: list[grpc.aio.Server] = []
        self._table: Table | None = None
        self._begun = asyncio.Event()
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._told: tuple[int, list[tuple[Event, events_pb2.TableEvent]]] = (0, [])
        self._decisions = 0
        self._thinking_ns = 0
        self._first_ns = 0
        self._wall_ns = 0
        self._ended_ns = 0
        self._handlers: set[asyncio.Task[object]] = set()

    @property
    def table(self) -> Table:
        """The adjudicator, once play has begun."""
        if self._table is None:
            raise HarnessFault("the table has not begun")
        return self._table

    @property
    def pace(self) -> Pace:
        """Where the time went."""
        return Pace(self._decisions, self._wall_ns, self._thinking_ns)

    def refusals(self, seat: int) -> tuple[int, str]:
        """How many answers of a seat were not taken, forgiven ones too, and why the last was not."""
        return self._lines[seat].refusals, self._lines[seat].last_refusal

    def signs_of_life(self, seat: int) -> tuple[int | None, int]:
        """How long before the end a seat was last heard (None: never), and how long the table itself stood still."""
        heard_ns = self._lines[seat].heard_ns
        silent_ms = max(0, self._ended_ns - heard_ns) // 1_000_000 if heard_ns and self._ended_ns else None
        return silent_ms, self._stopwatch.stalled_ms

    async def open(self) -> None:
        """Listen on all four sockets. Bots that come before play begins are welcomed and wait."""
        for line, folder in zip(self._lines, self._folders, strict=True):
            self._servers.append(await listen(folder, partial(self.serve, line)))

    async def play(self) -> None:
        """Play the table to its end; raise HarnessFault when our own code fails."""
        self._table = Table(self.spec, self._dealer, opened_ms=self._stopwatch.now_ms())
        self._begun.set()
        ticking = asyncio.create_task(self._tick())
        try:
            await self._over
        finally:
            ticking.cancel()
        self._ended_ns = self._clock_ns()
        self._wall_ns = self._ended_ns - (self._first_ns or self._ended_ns)
        self._say_farewell()

    async def close(self) -> None:
        """Let streams end, then stop listening."""
        if self._over.done() and not self._over.cancelled() and not self._over.exception() and self._handlers:
            await asyncio.wait(self._handlers, timeout=FAREWELL_S)
        self._over.cancel()
        # Forgotten here and not with the host: a server that outlives its event loop cannot be taken down.
        servers, self._servers = self._servers, []
        await asyncio.gather(*(server.stop(None) for server in servers))

    async def seat_ended(self, seat: int, fault: Fault, detail: str) -> None:
        """A seat's process has ended: nobody will come back on its line."""
        await self._begun.wait()
        self._feed(lambda table, now: table.broken(seat, fault, detail, now))

    def rule(self, ruling: RefereeRuling) -> str:
        """Have a referee's ruling carried out now; return ``APPLIED``, or why it was not."""
        if self._table is None or self._over.done():
            return "nothing is being played at this table"
        refused: list[str] = []

        def ruled(table: Table, now_ms: int) -> Effects:
            effects = table.ruled(ruling, now_ms)
            refused.extend(f"{e.reason}; {e.hint}" for e in effects if isinstance(e, RulingRefused))
            return effects

        self._feed(ruled)
        return refused[0] if refused else APPLIED

    # Streams

    async def serve(self, line: Line, stream: Stream) -> None:
        """Hold one stream of a seat from Hello to its end; raise NotWelcome when we end it."""
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        try:
            await self._serve(line, stream)
        except (NotWelcome, asyncio.CancelledError):
            raise
        except Exception as error:
            self._fail(error)
            raise
        finally:
            self._handlers.discard(task)

    async def _serve(self, line: Line, stream: Stream) -> None:
        hello = await self._hello(line, stream)
        if hello is None:
            return
        line.open(stream, hello.wishes)
        writer = asyncio.create_task(line.write_all(stream))
        try:
            line.send(codec.encode_welcome(self._welcome(line)))
            line.welcomed = True
            if not await line.holds(stream, until=self._begun):
                raise NotWelcome("another stream of this seat has come", "keep one stream for a table")
            self._join(line)
            await self._listen(line, stream)
        finally:
            writer.cancel()
            with contextlib.suppress(asyncio.CancelledError, grpc.RpcError, grpc.aio.BaseError):
                await writer
            if line.stream is stream:
                self._leave(line)

    async def _hello(self, line: Line, stream: Stream) -> Hello | None:
        """Read the first frame; None when the stream ends before it."""
        frame = await self._read(line, stream)
        if frame is None:
            return None
        try:
            hello = codec.decode_hello(frame)
            codec.choose_version(hello)
        except CodecError as error:
            raise await self._broken(line, error.reason, error.hint) from error
        if line.stream is None:
            return hello
        if hello.session_token == line.token:  # the bot noticed before us that its stream is dead
            self._leave(line)
            return hello
        raise await self._broken(line, "a second connection to this seat", "a seat is one process with one stream")

    def _leave(self, line: Line) -> None:
        """A seat's stream is no more; a table that has not begun knows of none."""
        line.stream = None
        if self._begun.is_set():
            self._feed(lambda table, now: table.lost(line.seat, now))

    def _welcome(self, line: Line) -> Welcome:
        spec = self.spec
        return Welcome(
            codec.PROTOCOL_VERSION,
            line.token,
            spec.table_id,
            line.seat,
            spec.rules,
            spec.clocks,
            spec.seeds[line.seat],
            resumed=line.welcomed,
        )

    def _join(self, line: Line) -> None:
        """Seat a welcomed bot; the table may have given the seat up by now."""
        for effect in self._feed(lambda table, now: table.joined(line.seat, now)):
            if isinstance(effect, Refuse) and effect.seat == line.seat:
                line.stream = None
                status = _BROKEN if effect.refusal.code == TOO_MANY_JOINS.code else grpc.StatusCode.FAILED_PRECONDITION
                raise NotWelcome(effect.refusal.reason, effect.refusal.hint, status)

    async def _listen(self, line: Line, stream: Stream) -> None:
        """Take in the bot's answers until its stream ends."""
        while (frame := await self._read(line, stream)) is not None:
            read_ns = self._clock_ns()
            if frame.WhichOneof("frame") != "actions":
                raise await self._broken(line, "a frame that is not Actions", "after Hello, send Actions only")
            for message in frame.actions.actions:
                try:
                    answered = codec.decode_answer(message)
                except CodecError as error:
                    raise await self._broken(line, error.reason, error.hint) from error
                if answered.table_id != self.spec.table_id:
                    raise await self._broken(
                        line, f"an answer for table {answered.table_id!r}", f"this is table {self.spec.table_id}"
                    )
                self._answered(line, answered, read_ns)
                if self.table.floods(line.seat):
                    raise NotWelcome("answers nobody asked for", "answer each request once", _BROKEN)
                if line.stream is not stream:
                    raise NotWelcome("the table plays for this seat", "read the refusals before this one")
            await asyncio.sleep(0)  # what this answer led to is written before the next one is waited for

    def _answered(self, line: Line, answered: codec.Answered, read_ns: int) -> None:
        asked_ns = line.asked_ns
        effects = self._feed(lambda table, now: table.answered(line.seat, answered.request_id, answered.answer, now))
        if not any(isinstance(effect, Refuse) and effect.seat == line.seat for effect in effects):
            self._decisions += 1
            # A fast answer may be read before the write of its request has returned to us.
            self._thinking_ns += read_ns - asked_ns if asked_ns else 0

    async def _read(self, line: Line, stream: Stream) -> pb.PlayRequest | None:
        """Return the next frame, or None at the end of the stream."""
        data = await stream.read()
        if not isinstance(data, bytes):
            return None
        line.heard_ns = self._clock_ns()
        if len(data) > codec.MESSAGE_BYTES:
            raise await self._broken(
                line, f"a message of {len(data)} bytes", f"messages have at most {codec.MESSAGE_BYTES} bytes"
            )
        try:
            return pb.PlayRequest.FromString(data)
        except DecodeError:
            reason = f"{len(data)} bytes that are no PlayRequest: {data[:16].hex(' ')}"
            raise await self._broken(line, reason, "generate the client from the proto files") from None

    async def _broken(self, line: Line, reason: str, hint: str) -> NotWelcome:
        """Give a seat up that does not speak the protocol; return what to tell it."""
        await self._begun.wait()
        line.stream = None
        self._feed(lambda table, now: table.broken(line.seat, Fault.PROTOCOL_BROKEN, reason, now))
        return NotWelcome(reason, hint, _BROKEN)

    # The adjudicator

    def _feed(self, happened: Callable[[Table, int], Effects]) -> Effects:
        """Tell the adjudicator what happened now, do what it says, and return that."""
        try:
            effects = happened(self.table, self._stopwatch.now_ms())
            for effect in effects:
                self._carry_out(effect)
        except Exception as error:
            self._fail(error)
            raise
        return effects

    def _carry_out(self, effect: Effect) -> None:
        if isinstance(effect, Tell):
            self._lines[effect.seat].tell(self._written(effect.record), table_id=self.spec.table_id)
        elif isinstance(effect, AskSeat):
            self._ask(effect)
        elif isinstance(effect, Refuse):
            self._lines[effect.seat].refusals += 1
            self._lines[effect.seat].last_refusal = effect.refusal.reason
            self._lines[effect.seat].send(codec.encode_refusal(effect.refusal, table_id=self.spec.table_id))
        elif isinstance(effect, Over) and not self._over.done():
            self._over.set_result(None)

    def _written(self, record: Record) -> events_pb2.TableEvent:
        """Return a record as a message: seats are told one after the other, and most events are the same for all."""
        if self._told[0] != record.n:
            self._told = record.n, []
        for event, message in self._told[1]:  # kept with its message, so that no other is ever taken for it
            if event is record.event:
                return message
        message = codec.encode_record(record)
        self._told[1].append((record.event, message))
        return message

    def _ask(self, effect: AskSeat) -> None:
        line, request = self._lines[effect.seat], effect.request
        self._first_ns = self._first_ns or self._clock_ns()
        wishes = line.wishes
        view = self.table.view(effect.seat) if wishes.options or wishes.view else None
        message = codec.encode_request(
            request,
            table_id=self.spec.table_id,
            events=line.take_untold(),
            options_from=view if wishes.options else None,
            view=view if wishes.view else None,
        )

        def written() -> None:
            line.asked_ns = self._clock_ns()
            self._feed(lambda table, now: table.sent(effect.seat, request.id, now))

        line.asked_ns = 0
        line.send(codec.encode_requests((message,)), written)

    def _say_farewell(self) -> None:
        """Close the table for every seat that is still there."""
        verdicts = self.table.verdicts
        for line, verdict in zip(self._lines, verdicts, strict=True):
            frame = codec.encode_closed(codec.Closed(self.spec.table_id, (), verdict, SENTENCES[verdict][0]))
            frame.closed.events.extend(line.take_untold())
            line.send(frame)

    # Time

    async def _tick(self) -> None:
        """Have the adjudicator's deadlines kept; a late tick does no harm, since it judges all by its own time."""
        while True:
            await asyncio.sleep(TICK_S)
            now, due = self._stopwatch.now_ms(), self.table.deadline_ms
            if due is not None and due <= now and not self._over.done():
                self._feed(lambda table, now: table.tick(now))

    def _fail(self, error: Exception) -> None:
        """Our own code failed: the table cannot count."""
        if not self._over.done():
            fault = HarnessFault(f"table {self.spec.table_id}: {type(error).__name__}: {error}")
            fault.__cause__ = error
            self._over.set_exception(fault)
