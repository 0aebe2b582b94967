"""Tribute and return (进贡, 还贡, 抗贡) before the first lead of a deal (docs/rules.md §8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from guandan_engine.board import Hands, side_of
from guandan_engine.cards import BIG_JOKER, Card, Hand, Rank, order_key
from guandan_engine.rules import RuleSet
from guandan_engine.trick import is_double_down


@dataclass(frozen=True, slots=True)
class Gift:
    """One card on its way from ``seat`` to ``to``."""

    seat: int
    to: int
    card: Card


def payers(order: tuple[int, ...]) -> tuple[int, ...]:
    """Return the seats that pay after a deal that ended so: the last, or both losers of a double-down."""
    return order[2:] if is_double_down(order) else order[3:]


def resisting(order: tuple[int, ...], hands: Hands) -> tuple[int, ...]:
    """Return the paying seats that hold big jokers when together they hold both (抗贡), else ()."""
    holders = tuple(seat for seat in payers(order) if BIG_JOKER in hands[seat])
    return holders if sum(hands[seat].count(BIG_JOKER) for seat in holders) == 2 else ()


def payable(hand: Hand, level: Rank) -> tuple[Card, ...]:
    """Return the cards a payer may choose from: its highest rank, wild cards aside."""
    cards = [card for card in dict.fromkeys(hand) if not card.is_wild(level)]
    highest = max(order_key(card.rank, level) for card in cards)
    return tuple(card for card in cards if order_key(card.rank, level) == highest)


def returnable(hand: Hand, level: Rank, *, to_partner: bool, rules: RuleSet) -> tuple[Card, ...]:
    """Return the cards a receiver may give back: up to ten and not of the level rank; when none, its lowest."""
    limit = rules.return_max_partner if to_partner else rules.return_max_opponent
    cards = tuple(dict.fromkeys(hand))
    small = tuple(card for card in cards if card.rank <= limit - 2 and _may_return(card, level, rules))
    if small:
        return small
    lowest = min(order_key(card.rank, level) for card in cards)
    return tuple(card for card in cards if order_key(card.rank, level) == lowest)


def _may_return(card: Card, level: Rank, rules: RuleSet) -> bool:
    return rules.return_level_card or card.rank != level


def pair_up(order: tuple[int, ...], paid: Mapping[int, Card], level: Rank) -> tuple[tuple[Gift, ...], int]:
    """Return who receives which card, and who leads.

    Single: the first receives, the payer leads. Double: the bigger card goes to the first and its payer leads; of
    equal cards each goes to the seat before its payer, and the payer of the first leads.
    """
    first, second = order[0], order[1]
    if len(paid) == 1:
        ((payer, card),) = paid.items()
        return (Gift(payer, first, card),), payer
    after_first = (first + 1) % 4
    bigger = max(paid, key=lambda seat: (order_key(paid[seat].rank, level), seat == after_first))
    smaller = next(seat for seat in paid if seat != bigger)
    gifts = {bigger: Gift(bigger, first, paid[bigger]), smaller: Gift(smaller, second, paid[smaller])}
    return tuple(gifts[seat] for seat in sorted(gifts)), bigger


def to_partner(gift: Gift) -> bool:
    """Whether a gift stays within a side: the last paid its own partner."""
    return side_of(gift.seat) == side_of(gift.to)
