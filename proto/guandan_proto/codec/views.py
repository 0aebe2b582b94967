"""A seat's whole picture of a deal, for clients that keep no state."""

from __future__ import annotations

from guandan_engine.errors import EngineError
from guandan_engine.events import (
    AntiTribute,
    CardOffered,
    DealEnded,
    DealVoided,
    Event,
    MatchEnded,
    TributePaid,
    TributeReturned,
)
from guandan_engine.rules import RuleSet
from guandan_engine.view import SeatView, TrickMove
from guandan_proto.codec.cards import (
    RANK_OFFSET,
    decode_cards,
    decode_hand,
    decode_level,
    decode_play,
    encode_cards,
    encode_play,
)
from guandan_proto.codec.errors import CodecError
from guandan_proto.codec.events import (
    decode_event,
    decode_levels,
    decode_seat,
    decode_seats,
    encode_event,
    encode_levels,
)
from guandan_proto.v1 import events_pb2 as events
from guandan_proto.v1 import table_pb2 as pb


def encode_view(view: SeatView) -> pb.SeatView:
    """Write a seat's view; the rule set is not repeated."""
    if view.seat is None or view.hand is None:
        raise EngineError("a spectator's view is not sent to a bot")
    return pb.SeatView(
        seat=view.seat,
        deal=view.deal,
        level=view.level + RANK_OFFSET,  # type: ignore[arg-type]  # the stub's enum is an int
        levels=encode_levels(view.levels),
        hand=encode_cards(view.hand),
        counts=[count or 0 for count in view.counts],
        uncounted=[seat for seat, count in enumerate(view.counts) if count is None],
        leader=view.leader,
        trick=[_encode_move(move) for move in view.trick],
        to_beat=None if view.to_beat is None else encode_play(view.to_beat),
        turn=view.turn,
        finished=view.finished,
        order=view.order,
        history=[encode_event(event) for event in view.history],
        exposed=[events.SeatHand(seat=i, cards=encode_cards(held)) for i, held in enumerate(view.exposed) if held],
    )


def decode_view(message: pb.SeatView, rules: RuleSet) -> SeatView:
    """Read a seat's view; what only repeats the history is taken from there."""
    if len(message.counts) != 4:
        raise CodecError("not_four_seats", f"{len(message.counts)} counts", "one for each seat")
    counts = [None if seat in message.uncounted else count for seat, count in enumerate(message.counts)]
    exposed = {decode_seat(item.seat): decode_cards(item.cards) for item in message.exposed}
    history = tuple([decode_event(item) for item in message.history])
    return SeatView(
        seat=decode_seat(message.seat),
        rules=rules,
        deal=message.deal,
        level=decode_level(message.level),
        levels=decode_levels(message.levels),
        hand=decode_hand(message.hand),
        counts=(counts[0], counts[1], counts[2], counts[3]),
        leader=decode_seat(message.leader) if message.HasField("leader") else None,
        trick=tuple([_decode_move(move) for move in message.trick]),
        to_beat=decode_play(message.to_beat) if message.HasField("to_beat") else None,
        turn=decode_seat(message.turn) if message.HasField("turn") else None,
        finished=decode_seats(message.finished),
        order=decode_seats(message.order),
        tributes=tuple([e for e in history if isinstance(e, AntiTribute | TributePaid | TributeReturned)]),
        offers=_offers(history),
        history=history,
        exposed=(exposed.get(0, ()), exposed.get(1, ()), exposed.get(2, ()), exposed.get(3, ())),
        result=next((e for e in history if isinstance(e, DealEnded)), None),
        ended=next((e for e in history if isinstance(e, MatchEnded)), None),
    )


def _offers(history: tuple[Event, ...]) -> tuple[CardOffered, ...]:
    """Return the cards laid out among which seats are choosing."""
    offers: tuple[CardOffered, ...] = ()
    for event in history:
        if isinstance(event, CardOffered):
            offers = (*offers, event)
        elif isinstance(event, TributePaid | TributeReturned | DealVoided):
            offers = ()
    return offers


def _encode_move(move: TrickMove) -> pb.TrickMove:
    return pb.TrickMove(seat=move.seat, play=None if move.play is None else encode_play(move.play))


def _decode_move(message: pb.TrickMove) -> TrickMove:
    play = decode_play(message.play) if message.HasField("play") else None
    return TrickMove(decode_seat(message.seat), play)
