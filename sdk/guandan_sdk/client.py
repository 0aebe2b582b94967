"""The network side of a bot: one stream to its table, resumed when it breaks, ended cleanly."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from typing import Final

import grpc

from guandan_engine.actions import Ask, Question
from guandan_engine.conduct import Verdict
from guandan_engine.conduct.exposed import may_lead
from guandan_engine.exchange import Answer, Record
from guandan_engine.plays import legal_plays
from guandan_proto import codec
from guandan_proto.codec import Answered, Asked, Hello
from guandan_proto.v1 import table_pb2 as pb
from guandan_proto.v1.table_pb2_grpc import TableServiceStub
from guandan_sdk.bot import TimeLeft, Welcome
from guandan_sdk.channels import open_channel
from guandan_sdk.errors import BotBroken, InvalidInput, SdkError, ServerError, TableClosed
from guandan_sdk.seat import Seat, Seatable
from guandan_sdk.status import is_broken, server_error

CLIENT_NAME: Final = "guandan-sdk-python/0.1.0"
CONNECT_SECONDS: Final = 10.0
TICKET_SECONDS: Final = 30.0  # a door may be full for a while; a ticket is good for at least so long
RETRY_SECONDS: Final = 0.1
LONGEST_RETRY_SECONDS: Final = 2.0


def play_table(bot: Seatable) -> None:
    """Play one table to its end as this bot, then end the process' part in it.

    A refusal is told on stderr with exit code 3 (2 when started without a table); Ctrl-C exits with 130. Exceptions
    of the bot pass through, so that the interpreter prints their traceback and exits with 1.
    """
    try:
        target = os.environ.get("GUANDAN_TABLE", "")
        if not target:
            raise InvalidInput(
                "no table to play at: GUANDAN_TABLE is not set",
                "a bot is started by a table; to play here use: guandan play FILE greedy",
            )
        Connection(target, bot, ticket=os.environ.get("GUANDAN_TICKET", "")).play()
    except BotBroken:
        raise
    except SdkError as error:
        print(f"error: {error.reason}\nhint: {error.hint}", file=sys.stderr)  # noqa: T201
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)


class Connection:
    """A bot's way to its table. ``clock`` and ``pause`` say how long to keep trying to (re)connect."""

    def __init__(
        self,
        target: str,
        bot: Seatable,
        *,
        ticket: str = "",
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """Name the table's address; nothing is opened yet."""
        self._target = target
        self._bot = bot
        self._ticket = ticket
        self._patience = TICKET_SECONDS if ticket else CONNECT_SECONDS
        self._clock = clock
        self._pause = pause
        self._game: _Game | None = None

    def play(self) -> None:
        """Play until the table closes, resuming the stream when it breaks while the table lives."""
        deadline = self._clock() + self._patience
        wait = RETRY_SECONDS
        while True:
            heard = 0 if self._game is None else self._game.heard
            try:
                if self._stream():
                    return
                failure: SdkError = TableClosed("the table ended the stream before the game was over", "see its log")
            except grpc.RpcError as error:
                failure = server_error(error)
                if not is_broken(error):
                    raise failure from None
            if self._game is not None and self._game.heard > heard:
                deadline = self._clock() + self._patience
                wait = RETRY_SECONDS
            if self._clock() > deadline:
                raise failure from None
            self._pause(wait)
            wait = min(LONGEST_RETRY_SECONDS, wait * 2)

    def _stream(self) -> bool:
        """Hold one stream; return whether the table closed it.

        A call that is not read to its end can hang the interpreter at exit, so whatever happens it is drained and
        the channel closed.
        """
        frames: SimpleQueue[pb.PlayRequest | None] = SimpleQueue()
        with open_channel(self._target) as channel:
            call = TableServiceStub(channel).Play(iter(frames.get, None))
            token = "" if self._game is None else self._game.token
            frames.put(codec.encode_hello(Hello(CLIENT_NAME, ticket=self._ticket, session_token=token)))
            closed = False
            try:
                for frame in call:
                    closed = self._read(frame, frames)
                    if closed:
                        break
            except BaseException:
                call.cancel()  # type: ignore[no-untyped-call]
                raise
            finally:
                frames.put(None)
                _drain(call)
            return closed

    def _read(self, frame: pb.PlayResponse, out: SimpleQueue[pb.PlayRequest | None]) -> bool:
        """Take in one frame, answering what it asks; return whether the table is over."""
        kind = frame.WhichOneof("frame")
        if kind == "welcome":
            self._welcomed(codec.decode_welcome(frame.welcome))
            return False
        if self._game is None:
            raise ServerError("protocol_broken", f"the table sent {kind} before welcome", "update guandan-sdk")
        if kind == "requests":
            out.put(codec.encode_actions([self._game.asked(request) for request in frame.requests.requests]))
        elif kind == "events":
            self._game.told(codec.decode_told(frame.events).records)
        elif kind == "refused":
            answered = self._game.refused(frame.refused)
            if answered is not None:
                out.put(codec.encode_actions([answered]))
        elif kind == "closed":
            ending = codec.decode_closed(frame.closed)
            self._game.told(ending.records)
            if ending.verdict is not Verdict.OK:
                print(f"table closed: {ending.reason} ({ending.verdict})", file=sys.stderr)  # noqa: T201
            return True
        return False

    def _welcomed(self, welcome: codec.Welcome) -> None:
        if self._game is None:
            self._game = _Game(self._bot, welcome)
        self._game.token = welcome.session_token


class _Game:
    """What outlives a stream: the bot in its seat, what it has heard, what it was asked and answered last."""

    def __init__(self, bot: Seatable, welcome: codec.Welcome) -> None:
        self.token = welcome.session_token
        self.heard = 0
        self._rules = welcome.rules
        self._open: dict[int, tuple[Question, Answer]] = {}
        sdk_welcome = Welcome(welcome.table_id, welcome.seat, welcome.rules, welcome.clocks, welcome.seed)
        self._seat = Seat(bot, sdk_welcome)

    def told(self, records: tuple[Record, ...]) -> None:
        """Tell the bot what is new; after a resumed stream old events come again."""
        for record in records:
            if record.n > self.heard:
                self.heard = record.n
                self._seat.happened(record.event)

    def asked(self, message: pb.Request) -> Answered:
        """Answer a request; one that comes again because the stream broke gets the same answer."""
        asked = codec.decode_request(message, self._rules)
        self.told(asked.records)
        known = self._open.get(asked.id)
        if known is None:
            question = self._question(asked)
            answer = self._seat.answer(question, TimeLeft(asked.clock_ms, asked.bank_ms))
            known = question, answer
            self._open = {asked.id: known}
        return Answered(asked.table_id, asked.id, known[1])

    def _question(self, asked: Asked) -> Question:
        """List the legal plays here instead of asking the table to send them."""
        view = self._seat.view
        assert view.seat is not None
        assert view.hand is not None
        if asked.ask is not Ask.PLAY:
            return Question(view.seat, asked.ask, asked.options)
        combo = None if asked.to_beat is None else asked.to_beat.combo
        plays = legal_plays(view.hand, combo, self._rules, view.level)
        options = may_lead(plays, view.exposed[view.seat]) if combo is None else (None, *plays)
        return Question(view.seat, asked.ask, options, asked.to_beat)

    def refused(self, message: pb.Refused) -> Answered | None:
        """Answer again while the request is open, as the table would."""
        known = self._open.get(message.request_id)
        if known is None:
            return None
        answer = self._seat.refused(known[0], codec.decode_refusal(message))
        if answer is None:
            return None
        self._open[message.request_id] = known[0], answer
        return Answered(message.table_id, message.request_id, answer)


def _drain(call: Iterable[pb.PlayResponse]) -> None:
    """Read a call to its end, whatever end that is."""
    try:
        for _ in call:
            pass
    except grpc.RpcError:
        pass
