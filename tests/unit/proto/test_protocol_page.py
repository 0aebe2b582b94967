"""The page about the protocol shows real messages, and names every event, fault of form and refusal that there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from google.protobuf import text_format
from google.protobuf.descriptor import FieldDescriptor, FileDescriptor

from guandan_engine.actions import Lay
from guandan_engine.cards import Hand, Rank
from guandan_engine.combos import Kind, Reading
from guandan_engine.errors import IllegalAction
from guandan_engine.plays import interpret, readings
from guandan_engine.rules import load
from guandan_proto import codec
from guandan_proto.v1 import arena_pb2, cards_pb2, events_pb2, rules_pb2, table_pb2

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```textproto\n# (PlayRequest|PlayResponse)[^\n]*\n(.*?)```", PAGE, re.DOTALL)
FRAMES = [text_format.Parse(text, getattr(table_pb2, name)()) for name, text in BLOCKS]
RULES = load("standard")
FILES = [module.DESCRIPTOR for module in (cards_pb2, rules_pb2, events_pb2, table_pb2)]
LOOK_UP = PAGE.partition("## Every message of a table")[2].partition("\n## ")[0]
ROWS = {
    name: cells[1]
    for cells in re.findall(r"^\| (`[^|]*) \| ([^|]*) \|$", LOOK_UP, re.MULTILINE)
    for name in re.findall(r"`(\w+)`", cells[0])
}


def _only(field: str) -> list:
    return [getattr(frame, field) for frame in FRAMES if frame.WhichOneof("frame") == field]


def test_the_worked_exchange_shows_every_frame_but_events():
    shown = {frame.WhichOneof("frame") for frame in FRAMES}
    assert shown == {"hello", "welcome", "requests", "actions", "refused", "closed"}


def test_every_message_of_the_worked_exchange_can_be_read():
    assert codec.choose_version(codec.decode_hello(FRAMES[0])) == 1
    for requests in _only("requests"):
        assert codec.decode_request(requests.requests[0], RULES).records
    assert codec.decode_refusal(_only("refused")[0]).attempts_left == 1
    assert codec.decode_closed(_only("closed")[0]).verdict == "ok"


def test_the_hand_in_the_page_is_the_hand_in_the_message():
    asked = codec.decode_request(_only("requests")[0].requests[0], RULES)
    written = re.search(r"brings the cards: `([^`]*)`", PAGE)
    assert written
    assert asked.records[0].event.hands[3] == Hand.parse(written[1])


def test_the_engine_refuses_and_accepts_as_the_page_says():
    first, second = (codec.decode_answer(actions.actions[0]).answer.choice for actions in _only("actions"))
    assert isinstance(first, Lay)
    assert len(readings(first.cards, RULES, Rank.NINE)) == 2
    with pytest.raises(IllegalAction) as caught:
        interpret(first.cards, first.reading, RULES, Rank.NINE)
    refusal = codec.decode_refusal(_only("refused")[0])
    assert (caught.value.code, caught.value.reason, caught.value.hint) == (
        refusal.code,
        refusal.reason,
        refusal.hint,
    )
    assert second.reading == Reading(Kind.STRAIGHT, Rank.FIVE)
    assert interpret(second.cards, second.reading, RULES, Rank.NINE).rank is Rank.FIVE


def test_every_event_is_in_the_table_of_events():
    for field in events_pb2.TableEvent.DESCRIPTOR.oneofs_by_name["event"].fields:
        assert f"`{field.name}`" in PAGE


def _mark(field: FieldDescriptor) -> str:
    """How the page marks a field: a list, one that may be absent, or neither."""
    if field.is_repeated:
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        return "" if is_map else "[]"
    chosen = field.containing_oneof is not None and not field.containing_oneof.name.startswith("_")
    return "*" if field.has_presence and not chosen else ""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.rpartition("/")[2])
def test_every_message_of_a_table_is_listed_with_all_its_fields_and_no_other(file: FileDescriptor):
    messages = file.message_types_by_name
    wanted = {name: {f"{f.name}{_mark(f)}" for f in message.fields} for name, message in messages.items()}
    shown = {
        name: {word + mark for word, mark in re.findall(r"`([a-z_]+)`(\*|\[\])?", ROWS.get(name, "no row"))}
        for name in messages
    }
    assert shown == wanted


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.rpartition("/")[2])
def test_every_value_of_an_enum_is_listed_with_its_number(file: FileDescriptor):
    for name, enum in file.enum_types_by_name.items():
        prefix = f"{re.sub(r'(?<=[a-z])(?=[A-Z])', '_', name).upper()}_"
        wanted = {(value.name.removeprefix(prefix), str(value.number)) for value in enum.values if value.number}
        assert set(re.findall(r"`([A-Z_]+)` (\d+)", ROWS[name])) == wanted


def test_the_list_holds_nothing_that_is_gone():
    names = {name for file in FILES for name in (*file.message_types_by_name, *file.enum_types_by_name)}
    assert set(ROWS) == names


def test_every_call_of_the_arena_is_listed_with_the_token_it_wants():
    for method in arena_pb2.DESCRIPTOR.services_by_name["ArenaService"].methods:
        assert f"`{method.name}`" in PAGE


def test_every_refusal_of_the_engine_is_listed():
    codes = set()
    for path in (ROOT / "engine" / "guandan_engine").rglob("*.py"):
        if path.parent.name == "kernel":  # refuses programs that search, never a seat
            continue
        source = path.read_text(encoding="utf-8")
        codes |= set(re.findall(r'IllegalAction\(\s*"([a-z_]+)"', source))
        codes |= set(re.findall(r'Refusal\([a-z_]+, "([a-z_]+)"', source))
    assert codes
    assert {code for code in codes if f"`{code}`" not in PAGE} == set()
