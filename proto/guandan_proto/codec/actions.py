"""What a seat answers, and the options it is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from guandan_engine.actions import Action, Choose, Give, Lay, Option, Pass, Resist
from guandan_engine.cards import Card
from guandan_engine.exchange import NOTE_BYTES, Answer
from guandan_engine.quoting import cut
from guandan_proto.codec.cards import (
    decode_card,
    decode_cards,
    decode_combo,
    decode_reading,
    encode_cards,
    encode_combo,
    encode_reading,
)
from guandan_proto.codec.errors import CodecError
from guandan_proto.codec.events import decode_seat
from guandan_proto.v1 import table_pb2 as pb

PASS: Final = Pass()

Choice: TypeAlias = Option
"""One canonical answer, as in ``Question.options``; None is a pass."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer and the request it answers."""

    table_id: str
    request_id: int
    answer: Answer


def encode_lay(action: Lay) -> pb.Lay:
    """Write cards laid, with their reading when one is declared."""
    reading = None if action.reading is None else encode_reading(action.reading)
    return pb.Lay(cards=encode_cards(action.cards), reading=reading)


def decode_lay(message: pb.Lay) -> Lay:
    """Read cards laid; none at all is not a play."""
    if not message.cards:
        raise CodecError("no_cards", "a lay without cards", "send pass_turn to pass")
    reading = decode_reading(message.reading) if message.HasField("reading") else None
    return Lay(decode_cards(message.cards), reading)


def set_action(message: pb.Action | pb.Refused, action: Action) -> None:
    """Set the field of an explicit action in a message that has one for each kind of action."""
    if isinstance(action, Pass):
        message.pass_turn.SetInParent()
    elif isinstance(action, Resist):
        message.resist.SetInParent()
    elif isinstance(action, Choose):
        message.choose.CopyFrom(pb.Choose(seat=action.seat))
    elif isinstance(action, Lay):
        message.lay.CopyFrom(encode_lay(action))
    else:
        message.give.card = action.card.index


def get_action(message: pb.Action | pb.Refused, field: str) -> Action:
    """Read the explicit action in one of those fields."""
    if field == "pass_turn":
        return PASS
    if field == "lay":
        return decode_lay(message.lay)
    if field == "resist":
        return Resist()
    if field == "choose":
        return Choose(decode_seat(message.choose.seat))
    return Give(decode_card(message.give.card))


def encode_answer(answered: Answered) -> pb.Action:
    """Write an answer."""
    choice = answered.answer.choice
    answer = answered.answer
    message = pb.Action(
        table_id=answered.table_id, request_id=answered.request_id, note=answer.note, announce=answer.announce
    )
    if isinstance(choice, int):
        message.option = choice
    else:
        set_action(message, choice)
    return message


def decode_answer(message: pb.Action) -> Answered:
    """Read an answer; a note longer than 1 KB is cut."""
    field = message.WhichOneof("choice")
    if field is None:
        raise CodecError(
            "no_choice", "an action that chooses nothing", "set one of option, pass_turn, lay, give, resist and choose"
        )
    choice = message.option if field == "option" else get_action(message, field)
    announce = message.announce if message.HasField("announce") else None
    return Answered(
        message.table_id, message.request_id, Answer(choice, cut(message.note, most_bytes=NOTE_BYTES), announce)
    )


def encode_actions(answers: Sequence[Answered]) -> pb.PlayRequest:
    """Write a frame with one answer or several."""
    return pb.PlayRequest(actions=pb.Actions(actions=[encode_answer(answered) for answered in answers]))


def encode_option(choice: Choice, cards: tuple[Card, ...] = ()) -> pb.Option:
    """Write an option; ``cards`` make the combo."""
    if choice is None:
        return pb.Option(pass_turn=pb.Pass())
    if isinstance(choice, Card):
        return pb.Option(card=choice.index)
    if isinstance(choice, Resist):
        return pb.Option(resist=pb.Resist())
    if isinstance(choice, Choose):
        return pb.Option(choose=pb.Choose(seat=choice.seat))
    return pb.Option(combo=encode_combo(choice), cards=encode_cards(cards))


def decode_option(message: pb.Option) -> Choice:
    """Read an option, without the cards shown beside it."""
    field = message.WhichOneof("choice")
    if field is None:
        raise CodecError("no_choice", "an option that is nothing", "set one of its kinds")
    if field == "pass_turn":
        return None
    if field == "resist":
        return Resist()
    if field == "choose":
        return Choose(decode_seat(message.choose.seat))
    return decode_card(message.card) if field == "card" else decode_combo(message.combo)
