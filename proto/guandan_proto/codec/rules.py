"""Rule sets and clocks."""

from __future__ import annotations

from collections.abc import Mapping

from guandan_engine.clock import Clocks
from guandan_engine.errors import InvalidRules
from guandan_engine.rules import RuleSet, from_dict
from guandan_proto.codec.errors import CodecError
from guandan_proto.v1 import rules_pb2 as pb


def encode_rules(rules: RuleSet) -> pb.RuleSet:
    """Write a rule set in full."""
    return encode_parameters(rules.as_dict())


def encode_parameters(table: Mapping[str, object]) -> pb.RuleSet:
    """Write a rule set given as ``RuleSet.as_dict`` gives it."""
    values = {key: _encode_value(value) for key, value in table.items() if key != "name"}
    return pb.RuleSet(name=str(table.get("name", "")), parameters=values)


def decode_rules(message: pb.RuleSet) -> RuleSet:
    """Read a rule set; one that this engine cannot play is refused, since its legal plays would be wrong."""
    table = {key: _decode_value(value) for key, value in message.parameters.items()}
    try:
        return from_dict({"name": message.name, **table})
    except InvalidRules as error:
        raise CodecError("unknown_rules", str(error), "use a newer version of the engine") from None


def encode_clocks(clocks: Clocks) -> pb.Clocks:
    """Write the clocks of a table."""
    return pb.Clocks(
        connect_ms=clocks.connect_ms,
        move_ms=clocks.move_ms,
        bank_ms=clocks.bank_ms,
        increment_ms=clocks.increment_ms,
        no_play_clock=not clocks.play_clock,
    )


def decode_clocks(message: pb.Clocks) -> Clocks:
    """Read the clocks of a table."""
    try:
        return Clocks(
            message.connect_ms,
            message.move_ms,
            message.bank_ms,
            message.increment_ms,
            play_clock=not message.no_play_clock,
        )
    except InvalidRules as error:
        raise CodecError("impossible_clocks", str(error), "give a seat some time to answer") from None


def _encode_value(value: object) -> pb.RuleValue:
    if isinstance(value, bool):
        return pb.RuleValue(flag=value)
    if isinstance(value, int):
        return pb.RuleValue(number=value)
    if isinstance(value, str):
        return pb.RuleValue(text=value)
    if isinstance(value, list | tuple):
        return pb.RuleValue(list=pb.RuleValues(values=[_encode_value(item) for item in value]))
    if isinstance(value, Mapping):
        return pb.RuleValue(table=pb.RuleTable(parts={key: _encode_value(part) for key, part in value.items()}))
    raise TypeError(f"{value!r} cannot stand in a rule set")


def _decode_value(message: pb.RuleValue) -> object:
    field = message.WhichOneof("value")
    if field == "list":
        return [_decode_value(item) for item in message.list.values]
    if field == "table":
        return {key: _decode_value(part) for key, part in message.table.parts.items()}
    if field is None:
        raise CodecError("no_value", "a rule parameter without a value", "set one of text, number, flag and list")
    value: object = getattr(message, field)
    return value
