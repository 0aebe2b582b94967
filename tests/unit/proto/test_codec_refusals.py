"""Messages that mean nothing are refused with code, reason and hint; nothing else is ever raised."""

from __future__ import annotations

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from guandan_proto import codec
from guandan_proto.v1 import cards_pb2, events_pb2, rules_pb2, table_pb2
from tests import wire

SEATS = {"number": 1, "passed": events_pb2.Passed(seat=4)}
BAD = [
    ("unknown_card", lambda: codec.decode_card(54)),
    ("unknown_card", lambda: codec.decode_cards(bytes([3, 99]))),
    ("too_many_cards", lambda: codec.decode_cards(bytes(29))),
    ("impossible_hand", lambda: codec.decode_hand(bytes([7, 7, 7]))),
    ("unknown_rank", lambda: codec.decode_rank(0)),
    ("unknown_rank", lambda: codec.decode_rank(17)),
    ("unknown_kind", lambda: codec.decode_reading(cards_pb2.Reading(kind=11, rank=2))),
    ("unknown_kind", lambda: codec.decode_reading(cards_pb2.Reading(rank=2))),
    ("unknown_suit", lambda: codec.decode_combo(cards_pb2.Combo(kind=8, rank=2, size=5, suit=5))),
    ("impossible_combo", lambda: codec.decode_combo(cards_pb2.Combo(kind=1, rank=2, size=0))),
    ("no_choice", lambda: codec.decode_answer(table_pb2.Action(request_id=1))),
    ("no_choice", lambda: codec.decode_option(table_pb2.Option())),
    ("no_cards", lambda: codec.decode_answer(table_pb2.Action(lay=table_pb2.Lay()))),
    ("unknown_card", lambda: codec.decode_answer(table_pb2.Action(give=table_pb2.Give(card=54)))),
    ("no_event", lambda: codec.decode_record(events_pb2.TableEvent(number=9))),
    ("unknown_seat", lambda: codec.decode_event(events_pb2.TableEvent(**SEATS))),
    ("unknown_ask", lambda: codec.decode_request(table_pb2.Request(), wire.RULES)),
    ("not_four_seats", lambda: codec.decode_view(table_pb2.SeatView(), wire.RULES)),
    ("unknown_verdict", lambda: codec.decode_verdict(0)),
    ("no_hello", lambda: codec.decode_hello(table_pb2.PlayRequest())),
    ("impossible_versions", lambda: codec.decode_hello(codec.encode_hello(codec.Hello(lowest=3, highest=2)))),
    ("impossible_versions", lambda: codec.decode_hello(table_pb2.PlayRequest(hello=table_pb2.Hello()))),
    ("text_too_long", lambda: codec.decode_hello(codec.encode_hello(codec.Hello(client="x" * 201)))),
    ("version_not_spoken", lambda: codec.choose_version(codec.Hello(lowest=2, highest=5))),
    ("impossible_clocks", lambda: codec.decode_clocks(rules_pb2.Clocks())),
    ("no_value", lambda: codec.decode_rules(rules_pb2.RuleSet(parameters={"max_bomb": rules_pb2.RuleValue()}))),
    ("unknown_rules", lambda: codec.decode_rules(rules_pb2.RuleSet(name="x", parameters={"n": _number(1)}))),
]


def _number(value: int) -> rules_pb2.RuleValue:
    return rules_pb2.RuleValue(number=value)


@pytest.mark.parametrize(("code", "decode"), BAD)
def test_a_message_that_means_nothing_is_refused_with_code_reason_and_hint(code, decode):
    with pytest.raises(codec.CodecError) as caught:
        decode()
    assert caught.value.code == code
    assert caught.value.reason
    assert caught.value.hint


@given(st.binary(max_size=200))
def test_garbage_bytes_are_a_decode_error_or_a_codec_error_or_mean_something(data: bytes):
    try:
        frame = table_pb2.PlayRequest.FromString(data)
        if frame.WhichOneof("frame") == "actions":
            for action in frame.actions.actions:
                codec.decode_answer(action)
        else:
            codec.decode_hello(frame)
    except (DecodeError, codec.CodecError):
        pass


def test_a_note_is_cut_to_one_kilobyte_between_characters():
    note = "炸" * 400
    answered = codec.decode_answer(table_pb2.Action(pass_turn=table_pb2.Pass(), note=note))
    assert answered.answer.note == "炸" * 341
