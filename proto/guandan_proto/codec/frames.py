"""The frames that open, tell and close: Hello, Welcome, Events, Closed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from guandan_engine.clock import Clocks
from guandan_engine.conduct import Verdict
from guandan_engine.exchange import NOTE_BYTES, Record
from guandan_engine.rules import RuleSet
from guandan_proto.codec.errors import CodecError
from guandan_proto.codec.events import decode_record, decode_seat, encode_record
from guandan_proto.codec.rules import decode_clocks, decode_rules, encode_clocks, encode_rules
from guandan_proto.v1 import table_pb2 as pb

PROTOCOL_VERSION: Final = 1
MESSAGE_BYTES: Final = 64 * 1024
_LONGEST_TEXT: Final = 200
_VERDICT_PREFIX: Final = "VERDICT_"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a bot wants to be sent beyond the least."""

    options: bool = False
    view: bool = False
    stream_events: bool = False
    batch_size: int = 1


@dataclass(frozen=True, slots=True)
class Hello:
    """How a bot introduces itself."""

    client: str = ""
    lowest: int = PROTOCOL_VERSION
    highest: int = PROTOCOL_VERSION
    ticket: str = ""
    session_token: str = ""
    wishes: Wishes = field(default_factory=Wishes)


@dataclass(frozen=True, slots=True)
class Welcome:
    """A seat at a table."""

    version: int
    session_token: str
    table_id: str
    seat: int
    rules: RuleSet
    clocks: Clocks
    seed: int
    resumed: bool = False
    message_bytes: int = MESSAGE_BYTES
    note_bytes: int = NOTE_BYTES


@dataclass(frozen=True, slots=True)
class Told:
    """Events of one table that came without a request."""

    table_id: str
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Closed:
    """The end of a table for this seat."""

    table_id: str
    records: tuple[Record, ...]
    verdict: Verdict
    reason: str


def encode_hello(hello: Hello) -> pb.PlayRequest:
    """Write the first frame of a bot."""
    wishes = pb.Wishes(
        options=hello.wishes.options,
        view=hello.wishes.view,
        stream_events=hello.wishes.stream_events,
        batch_size=hello.wishes.batch_size,
    )
    message = pb.Hello(
        lowest_version=hello.lowest,
        highest_version=hello.highest,
        client=hello.client,
        ticket=hello.ticket,
        session_token=hello.session_token,
        wishes=wishes,
    )
    return pb.PlayRequest(hello=message)


def decode_hello(frame: pb.PlayRequest) -> Hello:
    """Read the first frame of a bot; raise CodecError when it is another one, or its versions are upside down."""
    if frame.WhichOneof("frame") != "hello":
        raise CodecError("no_hello", "the first frame is not Hello", "send PlayRequest.hello first, and once")
    message = frame.hello
    if not 1 <= message.lowest_version <= message.highest_version:
        raise CodecError(
            "impossible_versions",
            f"versions {message.lowest_version} to {message.highest_version}",
            f"send lowest_version and highest_version; this is version {PROTOCOL_VERSION}",
        )
    for name in ("client", "ticket", "session_token"):
        if len(getattr(message, name)) > _LONGEST_TEXT:
            raise CodecError("text_too_long", f"{name} is longer than {_LONGEST_TEXT} characters", "shorten it")
    asked = message.wishes
    wishes = Wishes(asked.options, asked.view, asked.stream_events, max(1, asked.batch_size))
    return Hello(
        message.client,
        message.lowest_version,
        message.highest_version,
        message.ticket,
        message.session_token,
        wishes,
    )


def choose_version(hello: Hello) -> int:
    """Return the protocol version both sides speak; raise CodecError when there is none."""
    if hello.lowest <= PROTOCOL_VERSION <= hello.highest:
        return PROTOCOL_VERSION
    raise CodecError(
        "version_not_spoken",
        f"the bot speaks protocol versions {hello.lowest} to {hello.highest}, the table speaks {PROTOCOL_VERSION}",
        "update the client library" if hello.highest < PROTOCOL_VERSION else "use an older client library",
    )


def encode_welcome(welcome: Welcome) -> pb.PlayResponse:
    """Write the answer to Hello."""
    message = pb.Welcome(
        version=welcome.version,
        session_token=welcome.session_token,
        table_id=welcome.table_id,
        seat=welcome.seat,
        rules=encode_rules(welcome.rules),
        clocks=encode_clocks(welcome.clocks),
        seed=welcome.seed,
        resumed=welcome.resumed,
        limits=pb.Limits(message_bytes=welcome.message_bytes, note_bytes=welcome.note_bytes),
    )
    return pb.PlayResponse(welcome=message)


def decode_welcome(message: pb.Welcome) -> Welcome:
    """Read the answer to Hello."""
    return Welcome(
        message.version,
        message.session_token,
        message.table_id,
        decode_seat(message.seat),
        decode_rules(message.rules),
        decode_clocks(message.clocks),
        message.seed,
        message.resumed,
        message.limits.message_bytes,
        message.limits.note_bytes,
    )


def encode_told(table_id: str, records: Sequence[Record]) -> pb.PlayResponse:
    """Write events that come without a request."""
    return pb.PlayResponse(events=pb.Events(table_id=table_id, events=[encode_record(r) for r in records]))


def decode_told(message: pb.Events) -> Told:
    """Read events that came without a request."""
    return Told(message.table_id, tuple([decode_record(item) for item in message.events]))


def encode_verdict(verdict: Verdict) -> Any:
    """Write how a seat's game ended."""
    return pb.Verdict.Value(_VERDICT_PREFIX + verdict.name)


def decode_verdict(value: int) -> Verdict:
    """Read how a seat's game ended."""
    verdict = _VERDICTS.get(value)
    if verdict is None:
        raise CodecError("unknown_verdict", f"there is no verdict {value}", "update the client")
    return verdict


def encode_closed(closed: Closed) -> pb.PlayResponse:
    """Write the end of a table."""
    message = pb.Closed(
        table_id=closed.table_id,
        events=[encode_record(record) for record in closed.records],
        verdict=encode_verdict(closed.verdict),
        reason=closed.reason,
    )
    return pb.PlayResponse(closed=message)


def decode_closed(message: pb.Closed) -> Closed:
    """Read the end of a table."""
    records = tuple([decode_record(item) for item in message.events])
    return Closed(message.table_id, records, decode_verdict(message.verdict), message.reason)


_VERDICTS: Final = {int(encode_verdict(verdict)): verdict for verdict in Verdict}
