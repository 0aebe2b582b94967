"""Choosing concrete cards for a combo."""

from __future__ import annotations

from guandan_engine.cards import BIG_JOKER, CARDS, SMALL_JOKER, Card, Hand, Rank, Suit, wild_of
from guandan_engine.combos import Combo, Kind, rank_of_wild_pair
from guandan_engine.errors import IllegalAction
from guandan_engine.kernel import shape


def cards_of(combo: Combo, hand: Hand, level: Rank) -> tuple[Card, ...]:
    """Return cards of the hand that make the combo, sorted by index, always the same ones for the same hand.

    Raise IllegalAction (``not_held``) when the hand cannot make it.
    """
    naturals = _naturals(combo, hand, level)
    wilds = (wild_of(level),) * combo.wilds
    missing = len(naturals) + len(wilds) < combo.size or hand.count(wild_of(level)) < combo.wilds
    if missing or _is_misread(combo, naturals, level):
        raise IllegalAction(
            "not_held", f"this hand cannot make {combo.kind} {combo.rank}", "choose from the legal plays"
        )
    return tuple(sorted((*naturals, *wilds)))


def _naturals(combo: Combo, hand: Hand, level: Rank) -> list[Card]:
    """Choose the natural cards: for each rank the first by index, then no more than the wilds leave room for."""
    chosen = [card for rank, count in shape(combo, level) for card in _held(hand, rank, combo.suit, level)[:count]]
    chosen = chosen[: combo.size - combo.wilds]
    if _is_flush_by_chance(combo, chosen):
        return _break_flush(chosen, hand, level)
    return chosen


def _held(hand: Hand, rank: Rank, suit: Suit | None, level: Rank) -> list[Card]:
    """Return the natural cards of a rank (and suit) in a hand; of one suit only the first copy counts."""
    if rank > Rank.ACE:
        joker = SMALL_JOKER if rank is Rank.SMALL_JOKER else BIG_JOKER
        return [joker] * hand.count(joker)
    suits = tuple(Suit) if suit is None else (suit,)
    cards = [CARDS[rank * 4 + one] for one in suits]
    most = 2 if suit is None else 1
    return [card for card in cards if not card.is_wild(level) for _ in range(min(most, hand.count(card)))]


def _is_misread(combo: Combo, naturals: list[Card], level: Rank) -> bool:
    """Whether wilds or suits make other than the combo of the cards that fill it.

    A wild for a joker (§4.1), wilds alone (§4.2), a flush (§4.4), a pair of both wilds (§4.5).
    """
    ranks = [card.rank for card in naturals]
    if combo.pair is not None and combo.pair > Rank.ACE:
        return sum(rank > Rank.ACE for rank in ranks) < 2
    if not naturals:
        return combo.rank is not level
    if combo.pair is not None and combo.pair not in ranks:
        return combo.pair is not rank_of_wild_pair(combo.rank, level)
    return _is_flush_by_chance(combo, naturals)


def _is_flush_by_chance(combo: Combo, naturals: list[Card]) -> bool:
    """Whether five natural cards chosen for a plain straight are of one suit, which makes them a straight flush."""
    return combo.kind is Kind.STRAIGHT and len(naturals) == 5 and len({card.suit for card in naturals}) == 1


def _break_flush(naturals: list[Card], hand: Hand, level: Rank) -> list[Card]:
    """Change the suit of one card, the lowest possible; leave them all when there is no other suit to choose."""
    for place, card in enumerate(naturals):
        others = [other for other in _held(hand, card.rank, None, level) if other.suit != card.suit]
        if others:
            return [*naturals[:place], others[0], *naturals[place + 1 :]]
    return naturals
