"""Whatever the engine says survives the wire: encode, serialize, parse, decode gives an equal value."""

from __future__ import annotations

from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from guandan_engine.cards import CARDS, DECK, Hand, Rank
from guandan_engine.conduct import Verdict
from guandan_engine.exchange import Record, Request
from guandan_engine.rules import load, presets
from guandan_proto import codec
from guandan_proto.v1 import cards_pb2, events_pb2, table_pb2
from tests import wire


def over_the_wire(message: Message) -> Message:
    return type(message).FromString(message.SerializeToString())


@given(wire.hands)
def test_a_hand_comes_back_whole(hand: Hand):
    assert codec.decode_hand(codec.encode_cards(hand)) == hand


def test_every_rank_has_the_number_of_its_face():
    names = {rank: cards_pb2.Rank.Name(codec.encode_rank(rank)) for rank in Rank}
    assert names[Rank.TWO] == "RANK_TWO"
    assert names[Rank.ACE] == "RANK_ACE"
    assert names == {rank: f"RANK_{rank.name}" for rank in Rank}
    assert codec.encode_rank(Rank.TEN) == 10
    assert all(codec.decode_rank(codec.encode_rank(rank)) is rank for rank in Rank)


def test_every_card_follows_the_formula_of_the_schema():
    for card in CARDS[:52]:
        assert card.index == 4 * (codec.encode_rank(card.rank) - 2) + "SHCD".index(str(card.suit))
    assert [str(card) for card in codec.decode_cards(bytes([52, 53]))] == ["SB", "HR"]


@given(wire.plays)
def test_a_play_comes_back_with_its_combo_and_cards(play):
    assert codec.decode_play(over_the_wire(codec.encode_play(play))) == play


@given(wire.combos)
def test_a_combo_read_twice_is_one_object(combo):
    message = codec.encode_combo(combo)
    assert codec.decode_combo(message) is codec.decode_combo(over_the_wire(message))


@given(wire.records)
def test_every_event_comes_back_with_its_number_and_times(record: Record):
    assert codec.decode_record(over_the_wire(codec.encode_record(record))) == record


def test_every_kind_of_event_has_a_field_on_the_wire():
    fields = {field.name for field in events_pb2.TableEvent.DESCRIPTOR.oneofs_by_name["event"].fields}
    assert fields == set(codec.events._DECODERS)
    assert fields == {field for field, _ in codec.events._ENCODERS.values()}


@given(wire.answers, st.text(max_size=20), wire.MS)
def test_every_answer_comes_back_with_its_table_and_request(answer, table_id, request_id):
    answered = codec.Answered(table_id, request_id, answer)
    frame = over_the_wire(codec.encode_actions([answered, answered]))
    assert [codec.decode_answer(action) for action in frame.actions.actions] == [answered, answered]


@given(wire.requests, st.lists(wire.records, max_size=4), st.none() | wire.views())
def test_a_request_comes_back_with_its_events_and_view(request: Request, records, view):
    frame = codec.encode_requests(
        [
            codec.encode_request(
                request, table_id="t", events=[codec.encode_record(record) for record in records], view=view
            )
        ]
    )
    (message,) = over_the_wire(frame).requests.requests
    asked = codec.decode_request(message, wire.RULES)
    question = request.question
    assert asked.view == view
    assert asked.records == tuple(records)
    assert (asked.table_id, asked.id, asked.ask, asked.to_beat) == ("t", request.id, question.ask, question.to_beat)
    assert (asked.clock_ms, asked.bank_ms) == (request.clock_ms, request.bank_ms)
    assert asked.options == (() if question.ask == "play" else question.options)


@given(wire.options)
def test_every_option_comes_back(choices):
    assert tuple(codec.decode_option(over_the_wire(codec.encode_option(c))) for c in choices) == choices


@given(wire.refusals)
def test_a_refusal_comes_back_with_reason_and_substitute(refusal):
    message = over_the_wire(codec.encode_refusal(refusal, table_id="t")).refused
    assert message.table_id == "t"
    assert codec.decode_refusal(message) == refusal


@given(wire.views())
def test_a_view_comes_back_whole(view):
    assert codec.decode_view(over_the_wire(codec.encode_view(view)), wire.RULES) == view


def test_every_preset_comes_back_with_all_its_parameters():
    for name in presets():
        assert codec.decode_rules(over_the_wire(codec.encode_rules(load(name)))) == load(name)


@given(wire.clocks)
def test_clocks_come_back(clocks):
    assert codec.decode_clocks(over_the_wire(codec.encode_clocks(clocks))) == clocks


@given(
    st.builds(
        codec.Hello,
        client=wire.TEXT,
        lowest=st.just(1),
        highest=st.integers(1, 9),
        ticket=wire.TEXT,
        session_token=wire.TEXT,
        wishes=st.builds(codec.Wishes, st.booleans(), st.booleans(), st.booleans(), st.integers(1, 64)),
    )
)
def test_hello_comes_back(hello: codec.Hello):
    assert codec.decode_hello(over_the_wire(codec.encode_hello(hello))) == hello


@given(wire.clocks, wire.seats, st.integers(0, 2**64 - 1), st.booleans())
def test_welcome_comes_back_with_rules_clocks_and_seed(clocks, seat, seed, resumed):
    welcome = codec.Welcome(1, "s", "t", seat, wire.RULES, clocks, seed, resumed)
    assert codec.decode_welcome(over_the_wire(codec.encode_welcome(welcome)).welcome) == welcome


@given(st.lists(wire.records, max_size=3).map(tuple), st.sampled_from(Verdict))
def test_told_and_closed_come_back(records, verdict):
    told = over_the_wire(codec.encode_told("t", records)).events
    assert codec.decode_told(told) == codec.Told("t", records)
    closed = codec.Closed("t", records, verdict, "why")
    assert codec.decode_closed(over_the_wire(codec.encode_closed(closed)).closed) == closed


def test_every_verdict_of_the_engine_has_one_on_the_wire():
    names = {f"VERDICT_{verdict.name}" for verdict in Verdict} | {"VERDICT_UNSPECIFIED"}
    assert names == set(table_pb2.Verdict.keys())


def test_a_hand_with_a_tribute_not_yet_returned_comes_back() -> None:
    hand = Hand.of(DECK[:28])
    assert codec.decode_hand(codec.encode_cards(hand)) == hand
