"""Events of a table and the numbered records that carry them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

from guandan_engine import events as e
from guandan_engine.actions import Ask
from guandan_engine.cards import Hand, Rank
from guandan_engine.exchange import Record
from guandan_proto.codec.cards import (
    RANK_OFFSET,
    decode_card,
    decode_hand,
    decode_level,
    decode_play,
    encode_cards,
    encode_play,
)
from guandan_proto.codec.errors import CodecError
from guandan_proto.v1 import events_pb2 as pb

T = TypeVar("T")

_ASKS: Final = (
    Ask.PAY,
    Ask.RETURN,
    Ask.PLAY,
    Ask.ANTI,
    Ask.CHOOSE_TRIBUTE,
    Ask.CHOOSE_RETURN,
    Ask.CHOOSE_LEADER,
)
_ASK_NUMBERS: Final = {ask: number for number, ask in enumerate(_ASKS, 1)}
_ENDS: Final = (
    e.MatchEnd.PASSED_FINAL,
    e.MatchEnd.BOARD_PLAYED,
    e.MatchEnd.DEAL_LIMIT,
    e.MatchEnd.TIME_UP,
    e.MatchEnd.EXTRA_DEAL,
    e.MatchEnd.FORFEITED,
    e.MatchEnd.DISQUALIFIED,
)
_END_NUMBERS: Final = {end: number for number, end in enumerate(_ENDS, 1)}


def encode_record(record: Record) -> pb.TableEvent:
    """Write a record of the log, already cut for its reader."""
    return pb.TableEvent(number=record.n, used_ms=record.ms, bank_ms=record.left, **_fields(record.event))


def decode_record(message: pb.TableEvent) -> Record:
    """Read a record."""
    return Record(message.number, decode_event(message), message.used_ms, message.bank_ms)


def encode_event(event: e.Event) -> pb.TableEvent:
    """Write an event without number and times."""
    return pb.TableEvent(**_fields(event))


def decode_event(message: pb.TableEvent) -> e.Event:
    """Read what happened."""
    field = message.WhichOneof("event")
    if field is None:
        raise CodecError("no_event", f"event {message.number} is empty or newer than this client", "update the client")
    event: e.Event = _DECODERS[field](getattr(message, field))
    return event


def encode_ask(ask: Ask) -> Any:
    """Write what is asked."""
    return _ASK_NUMBERS[ask]


def decode_ask(value: int) -> Ask:
    """Read what is asked."""
    return _choose(_ASKS, value, "ask")


def decode_seat(value: int) -> int:
    """Read a seat."""
    if not 0 <= value < 4:
        raise CodecError("unknown_seat", f"there is no seat {value}", "seats are 0 to 3")
    return value


def decode_seats(values: Iterable[int]) -> tuple[int, ...]:
    """Read seats."""
    return tuple([decode_seat(value) for value in values])


def decode_levels(values: Sequence[int]) -> tuple[Rank, Rank]:
    """Read the levels of both sides."""
    if len(values) != 2:
        raise CodecError("not_two_levels", f"{len(values)} levels", "one level for each side")
    return decode_level(values[0]), decode_level(values[1])


def encode_levels(levels: tuple[Rank, Rank]) -> Any:
    """Write the levels of both sides."""
    return [level + RANK_OFFSET for level in levels]


def _fields(event: e.Event) -> dict[str, Any]:
    field, encode = _ENCODERS[type(event)]
    return {field: encode(event)}


def _choose(values: tuple[T, ...], number: int, what: str) -> T:
    if not 1 <= number <= len(values):
        raise CodecError(f"unknown_{what}", f"there is no {what} {number}", f"1 to {len(values)} are known")
    return values[number - 1]


def _encode_hands(hands: Iterable[Hand | None]) -> list[pb.SeatHand]:
    return [pb.SeatHand(seat=i, cards=encode_cards(hand)) for i, hand in enumerate(hands) if hand is not None]


def _decode_hands(messages: Iterable[pb.SeatHand]) -> dict[int, Hand]:
    return {decode_seat(message.seat): decode_hand(message.cards) for message in messages}


def _encode_deal_started(event: e.DealStarted) -> pb.DealStarted:
    return pb.DealStarted(
        deal=event.deal,
        level=event.level + RANK_OFFSET,  # type: ignore[arg-type]  # the stub's enum is an int
        levels=encode_levels(event.levels),
        leader=event.leader,
        hands=_encode_hands(event.hands),
        order=event.order,
        drawer=event.drawer,
        face_up=None if event.face_up is None else event.face_up.index,
        lot=event.lot,
    )


def _decode_deal_started(message: pb.DealStarted) -> e.DealStarted:
    hands = _decode_hands(message.hands)
    return e.DealStarted(
        message.deal,
        decode_level(message.level),
        decode_levels(message.levels),
        decode_seat(message.leader) if message.HasField("leader") else None,
        (hands.get(0), hands.get(1), hands.get(2), hands.get(3)),
        decode_seats(message.order),
        decode_seat(message.drawer) if message.HasField("drawer") else None,
        decode_card(message.face_up) if message.HasField("face_up") else None,
        message.lot if message.HasField("lot") else None,
    )


def _encode_deal_ended(event: e.DealEnded) -> pb.DealEnded:
    return pb.DealEnded(
        deal=event.deal,
        order=event.order,
        side=event.side,
        gain=event.gain,
        levels=encode_levels(event.levels),
        hands=_encode_hands(event.hands),
    )


def _decode_deal_ended(message: pb.DealEnded) -> e.DealEnded:
    order, hands = decode_seats(message.order), _decode_hands(message.hands)
    if sorted(order) != [0, 1, 2, 3] or len(hands) != 4:
        raise CodecError("not_four_seats", f"order {order} and {len(hands)} hands", "an ended deal shows all four")
    return e.DealEnded(
        message.deal,
        (order[0], order[1], order[2], order[3]),
        _decode_side(message.side),
        message.gain,
        decode_levels(message.levels),
        (hands[0], hands[1], hands[2], hands[3]),
    )


def _encode_deal_voided(event: e.DealVoided) -> pb.DealVoided:
    return pb.DealVoided(deal=event.deal, levels=encode_levels(event.levels), hands=_encode_hands(event.hands))


def _decode_deal_voided(message: pb.DealVoided) -> e.DealVoided:
    hands = _decode_hands(message.hands)
    if len(hands) != 4:
        raise CodecError("not_four_seats", f"{len(hands)} hands", "a voided deal shows all four")
    return e.DealVoided(message.deal, decode_levels(message.levels), (hands[0], hands[1], hands[2], hands[3]))


def _encode_leg_ended(event: e.LegEnded) -> pb.LegEnded:
    reason: Any = _END_NUMBERS[event.reason]
    levels = encode_levels(event.levels)
    return pb.LegEnded(leg=event.leg, side=event.side, levels=levels, wins=event.wins, reason=reason)


def _decode_leg_ended(message: pb.LegEnded) -> e.LegEnded:
    if len(message.wins) != 2:
        raise CodecError("not_two_wins", f"{len(message.wins)} numbers of wins", "one for each side")
    return e.LegEnded(
        message.leg,
        _decode_side(message.side) if message.HasField("side") else None,
        decode_levels(message.levels),
        (message.wins[0], message.wins[1]),
        _choose(_ENDS, message.reason, "match_end"),
    )


def _encode_card_offered(event: e.CardOffered) -> pb.CardOffered:
    return pb.CardOffered(seat=event.seat, ask=encode_ask(event.ask), card=event.card.index)


def _decode_card_offered(message: pb.CardOffered) -> e.CardOffered:
    return e.CardOffered(decode_seat(message.seat), decode_ask(message.ask), decode_card(message.card))


def _encode_chose(event: e.Chose) -> pb.Chose:
    return pb.Chose(seat=event.seat, ask=encode_ask(event.ask), chosen=event.chosen)


def _encode_match_ended(event: e.MatchEnded) -> pb.MatchEnded:
    reason: Any = _END_NUMBERS[event.reason]
    return pb.MatchEnded(
        side=event.side,
        points=[max(0, points) for points in event.points],
        levels=encode_levels(event.levels),
        reason=reason,
        debts=[max(0, -points) for points in event.points] if min(event.points) < 0 else (),
    )


def _decode_match_ended(message: pb.MatchEnded) -> e.MatchEnded:
    if len(message.points) != 2:
        raise CodecError("not_two_points", f"{len(message.points)} points", "one sum for each side")
    debts = tuple(message.debts) or (0, 0)
    return e.MatchEnded(
        _decode_side(message.side) if message.HasField("side") else None,
        (message.points[0] - debts[0], message.points[1] - debts[-1]),
        decode_levels(message.levels),
        _choose(_ENDS, message.reason, "match_end"),
    )


def _decode_side(value: int) -> int:
    if not 0 <= value < 2:
        raise CodecError("unknown_side", f"there is no side {value}", "0 is seats 0 and 2, 1 is seats 1 and 3")
    return value


def _encode_ruling(event: e.Ruling) -> pb.Ruling:
    return pb.Ruling(seat=event.seat, fault=event.fault, ask=encode_ask(event.ask), detail=event.detail)


def _encode_played(event: e.Played) -> pb.Played:
    return pb.Played(
        seat=event.seat,
        play=encode_play(event.play),
        left=event.left or 0,
        told=event.told,
        silent=event.silent,
        untold=event.left is None,
    )


def _decode_played(message: pb.Played) -> e.Played:
    left = None if message.untold else message.left
    return e.Played(decode_seat(message.seat), decode_play(message.play), left, message.told, message.silent)


def _encode_sanctioned(event: e.Sanctioned) -> pb.Sanctioned:
    return pb.Sanctioned(
        seat=event.seat,
        offence=event.offence,
        sanction=event.sanction,
        amount=event.amount,
        levels=() if event.levels is None else encode_levels(event.levels),
        cards=encode_cards(event.cards),
        leader=event.leader,
        referee=event.referee,
        reason=event.reason,
    )


def _decode_sanctioned(message: pb.Sanctioned) -> e.Sanctioned:
    return e.Sanctioned(
        decode_seat(message.seat),
        message.offence,
        message.sanction,
        message.amount,
        decode_levels(message.levels) if message.levels else None,
        tuple(decode_hand(message.cards)),
        decode_seat(message.leader) if message.HasField("leader") else None,
        message.referee,
        message.reason,
    )


# Event class -> (field of TableEvent, how to write it).
_ENCODERS: Final[dict[type, tuple[str, Callable[[Any], object]]]] = {
    e.DealStarted: ("deal_started", _encode_deal_started),
    e.Resisted: ("resisted", lambda x: pb.Resisted(seat=x.seat)),
    e.AntiTribute: ("anti_tribute", lambda x: pb.AntiTribute(seats=x.seats, hidden=not x.shown)),
    e.CardOffered: ("card_offered", _encode_card_offered),
    e.Chose: ("chose", _encode_chose),
    e.TributePaid: ("tribute_paid", lambda x: pb.TributePaid(seat=x.seat, to=x.to, card=x.card.index)),
    e.TributeReturned: ("tribute_returned", lambda x: pb.TributeReturned(seat=x.seat, to=x.to, card=x.card.index)),
    e.LeaderNamed: ("leader_named", lambda x: pb.LeaderNamed(seat=x.seat)),
    e.Ruling: ("ruling", _encode_ruling),
    e.Sanctioned: ("sanctioned", _encode_sanctioned),
    e.LeadPassed: ("lead_passed", lambda x: pb.LeadPassed(seat=x.seat, to=x.to)),
    e.Played: ("played", _encode_played),
    e.Passed: ("passed", lambda x: pb.Passed(seat=x.seat)),
    e.Finished: ("finished", lambda x: pb.Finished(seat=x.seat, place=x.place)),
    e.TrickWon: ("trick_won", lambda x: pb.TrickWon(seat=x.seat, jiefeng=x.jiefeng)),
    e.DealEnded: ("deal_ended", _encode_deal_ended),
    e.DealVoided: ("deal_voided", _encode_deal_voided),
    e.LegEnded: ("leg_ended", _encode_leg_ended),
    e.MatchEnded: ("match_ended", _encode_match_ended),
}

# Field of TableEvent -> how to read it.
_DECODERS: Final[dict[str, Callable[[Any], e.Event]]] = {
    "deal_started": _decode_deal_started,
    "resisted": lambda m: e.Resisted(decode_seat(m.seat)),
    "anti_tribute": lambda m: e.AntiTribute(decode_seats(m.seats), not m.hidden),
    "card_offered": _decode_card_offered,
    "chose": lambda m: e.Chose(decode_seat(m.seat), decode_ask(m.ask), decode_seat(m.chosen)),
    "tribute_paid": lambda m: e.TributePaid(decode_seat(m.seat), decode_seat(m.to), decode_card(m.card)),
    "tribute_returned": lambda m: e.TributeReturned(decode_seat(m.seat), decode_seat(m.to), decode_card(m.card)),
    "leader_named": lambda m: e.LeaderNamed(decode_seat(m.seat)),
    "ruling": lambda m: e.Ruling(decode_seat(m.seat), m.fault, decode_ask(m.ask), m.detail),
    "sanctioned": _decode_sanctioned,
    "lead_passed": lambda m: e.LeadPassed(decode_seat(m.seat), decode_seat(m.to)),
    "played": _decode_played,
    "passed": lambda m: e.Passed(decode_seat(m.seat)),
    "finished": lambda m: e.Finished(decode_seat(m.seat), m.place),
    "trick_won": lambda m: e.TrickWon(decode_seat(m.seat), m.jiefeng),
    "deal_ended": _decode_deal_ended,
    "deal_voided": _decode_deal_voided,
    "leg_ended": _decode_leg_ended,
    "match_ended": _decode_match_ended,
}
