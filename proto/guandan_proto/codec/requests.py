"""Questions put to a seat, and refusals of its answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guandan_engine.actions import Ask, Play, Question
from guandan_engine.cards import Card
from guandan_engine.combos import Combo
from guandan_engine.exchange import Record, Refusal, Request
from guandan_engine.plays import cards_of
from guandan_engine.rules import RuleSet
from guandan_engine.view import SeatView
from guandan_proto.codec.actions import Choice, decode_option, encode_option, get_action, set_action
from guandan_proto.codec.cards import decode_play, encode_play
from guandan_proto.codec.events import decode_ask, decode_record, encode_ask
from guandan_proto.codec.views import decode_view, encode_view
from guandan_proto.v1 import events_pb2
from guandan_proto.v1 import table_pb2 as pb


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as a seat reads it.

    ``records``: events since the last frame of this table. ``options`` is () for a play unless the bot wished them;
    ``view`` is None unless it wished one.
    """

    table_id: str
    id: int
    ask: Ask
    records: tuple[Record, ...]
    to_beat: Play | None
    clock_ms: int
    bank_ms: int
    options: tuple[Choice, ...] = ()
    view: SeatView | None = None


def encode_request(
    request: Request,
    *,
    table_id: str,
    events: Sequence[events_pb2.TableEvent] = (),
    options_from: SeatView | None = None,
    view: SeatView | None = None,
) -> pb.Request:
    """Write a question.

    ``events``: what has happened since the last frame, written by ``encode_record``. ``options_from``: the seat's
    view, when the bot wished options; cards are picked from its hand. ``view``: the same, when the bot wished the
    whole view. Cards that may be given are always listed.
    """
    question = request.question
    return pb.Request(
        table_id=table_id,
        request_id=request.id,
        ask=encode_ask(question.ask),
        events=events,
        to_beat=None if question.to_beat is None else encode_play(question.to_beat),
        move_ms=request.clock_ms,
        bank_ms=request.bank_ms,
        options=_options(question, options_from),
        view=None if view is None else encode_view(view),
    )


def decode_request(message: pb.Request, rules: RuleSet) -> Asked:
    """Read a question put at a table of these rules."""
    return Asked(
        message.table_id,
        message.request_id,
        decode_ask(message.ask),
        tuple([decode_record(item) for item in message.events]),
        decode_play(message.to_beat) if message.HasField("to_beat") else None,
        message.move_ms,
        message.bank_ms,
        tuple([decode_option(option) for option in message.options]),
        decode_view(message.view, rules) if message.HasField("view") else None,
    )


def encode_requests(requests: Sequence[pb.Request]) -> pb.PlayResponse:
    """Put written requests, of one table or several, into a frame."""
    return pb.PlayResponse(requests=pb.Requests(requests=requests))


def encode_refusal(refusal: Refusal, *, table_id: str) -> pb.PlayResponse:
    """Write why an answer was not taken, as a frame."""
    message = pb.Refused(
        table_id=table_id,
        request_id=refusal.request_id,
        code=refusal.code,
        reason=refusal.reason,
        hint=refusal.hint,
        attempts_left=refusal.attempts_left,
    )
    if refusal.substitute is not None:
        set_action(message, refusal.substitute)
    return pb.PlayResponse(refused=message)


def decode_refusal(message: pb.Refused) -> Refusal:
    """Read why an answer was not taken."""
    field = message.WhichOneof("substitute")
    substitute = None if field is None else get_action(message, field)
    return Refusal(message.request_id, message.code, message.reason, message.hint, message.attempts_left, substitute)


def _options(question: Question, view: SeatView | None) -> list[pb.Option]:
    if view is None:
        return [] if question.ask is Ask.PLAY else [encode_option(choice) for choice in question.options]
    return [encode_option(choice, _cards(choice, view)) for choice in question.options]


def _cards(choice: Choice, view: SeatView) -> tuple[Card, ...]:
    if not isinstance(choice, Combo) or view.hand is None:
        return ()
    return cards_of(choice, view.hand, view.level)
