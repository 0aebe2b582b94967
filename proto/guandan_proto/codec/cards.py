"""Cards, ranks, combos and plays. On the wire a rank is its face value (2..16) and a card its index in one byte."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from guandan_engine.actions import Play
from guandan_engine.cards import CARDS, Card, Hand, Rank, Suit
from guandan_engine.combos import Combo, Kind, Reading
from guandan_engine.errors import EngineError
from guandan_proto.codec.errors import CodecError
from guandan_proto.v1 import cards_pb2 as pb

RANK_OFFSET: Final = 2
_RANKS: Final = tuple(Rank)
_KINDS: Final[tuple[Kind | None, ...]] = (None, *Kind)
_SUITS: Final[tuple[Suit | None, ...]] = (None, *Suit)
_MOST_CARDS: Final = 28  # 27, and a tribute that was received and is not yet returned
_CARD_HINT: Final = "a card is 4 * (rank - 2) + suit with rank 2..14 and suit 0..3, or 52 and 53 for the jokers"


def encode_cards(cards: Iterable[Card]) -> bytes:
    """Write cards in the order given; a Hand gives them in ascending order."""
    return bytes([card.index for card in cards])


def decode_cards(data: bytes) -> tuple[Card, ...]:
    """Read at most 28 cards, keeping their order."""
    if len(data) > _MOST_CARDS:
        raise CodecError("too_many_cards", f"{len(data)} cards; a hand has at most {_MOST_CARDS}", "one byte per card")
    try:
        return tuple([CARDS[index] for index in data])
    except IndexError:
        raise CodecError("unknown_card", f"there is no card {max(data)}", _CARD_HINT) from None


def decode_card(index: int) -> Card:
    """Read one card."""
    if not 0 <= index < 54:
        raise CodecError("unknown_card", f"there is no card {index}", _CARD_HINT)
    return CARDS[index]


def decode_hand(data: bytes) -> Hand:
    """Read a hand; three copies of a card are refused."""
    try:
        return Hand.of(decode_cards(data))
    except EngineError as error:
        raise CodecError("impossible_hand", str(error), "each card comes at most twice") from None


def encode_rank(rank: Rank) -> pb.Rank:
    """Write a rank as its face value."""
    return rank + RANK_OFFSET  # type: ignore[return-value]  # the stub's enum is an int


def decode_rank(value: int) -> Rank:
    """Read a rank, jokers included."""
    if not RANK_OFFSET <= value < RANK_OFFSET + 15:
        raise CodecError("unknown_rank", f"there is no rank {value}", "RANK_TWO is 2, RANK_ACE 14, RANK_BIG_JOKER 16")
    return _RANKS[value - RANK_OFFSET]


def decode_level(value: int) -> Rank:
    """Read a level: a rank that is not a joker."""
    rank = decode_rank(value)
    if rank > Rank.ACE:
        raise CodecError("unknown_level", f"{rank} is not a level", "levels are RANK_TWO to RANK_ACE")
    return rank


def decode_kind(value: int) -> Kind:
    """Read a kind of combination."""
    kind = _KINDS[value] if 0 <= value < len(_KINDS) else None
    if kind is None:
        raise CodecError("unknown_kind", f"there is no kind {value}", "KIND_SINGLE is 1, KIND_JOKER_BOMB 10")
    return kind


def encode_combo(combo: Combo) -> pb.Combo:
    """Write a combo."""
    return pb.Combo(
        kind=combo.kind,  # type: ignore[arg-type]  # an int, as all enums below
        rank=combo.rank + RANK_OFFSET,  # type: ignore[arg-type]
        size=combo.size,
        pair=0 if combo.pair is None else combo.pair + RANK_OFFSET,  # type: ignore[arg-type]
        wilds=combo.wilds,
        suit=0 if combo.suit is None else combo.suit + 1,  # type: ignore[arg-type]
        top=0 if combo.top is None else combo.top + RANK_OFFSET,  # type: ignore[arg-type]
    )


def decode_combo(message: pb.Combo) -> Combo:
    """Read a combo; equal combos are the same object."""
    return _combo(message.kind, message.rank, message.size, message.pair, message.wilds, message.suit, message.top)


@lru_cache(maxsize=4096)
def _combo(kind: int, rank: int, size: int, pair: int, wilds: int, suit: int, top: int) -> Combo:  # noqa: PLR0917
    if not 1 <= size <= 10 or wilds > 2:
        raise CodecError("impossible_combo", f"a combo of {size} cards with {wilds} wild", "1 to 10 cards, 0 to 2 wild")
    if not 0 <= suit < len(_SUITS):
        raise CodecError("unknown_suit", f"there is no suit {suit}", "SUIT_SPADES is 1, SUIT_DIAMONDS 4")
    second = None if pair == 0 else decode_rank(pair)
    highest = None if top == 0 else decode_rank(top)
    return Combo(decode_kind(kind), decode_rank(rank), size, second, wilds, _SUITS[suit], highest)


def encode_play(play: Play) -> pb.Play:
    """Write a play."""
    return pb.Play(combo=encode_combo(play.combo), cards=encode_cards(play.cards))


def decode_play(message: pb.Play) -> Play:
    """Read a play."""
    return Play(decode_combo(message.combo), decode_cards(message.cards))


def encode_reading(reading: Reading) -> pb.Reading:
    """Write a declared reading."""
    return pb.Reading(kind=reading.kind, rank=reading.rank + RANK_OFFSET)  # type: ignore[arg-type]


def decode_reading(message: pb.Reading) -> Reading:
    """Read a declared reading."""
    return Reading(decode_kind(message.kind), decode_rank(message.rank))
