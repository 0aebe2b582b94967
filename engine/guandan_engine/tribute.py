"""Tribute and return (进贡, 还贡, 抗贡): who owes what to whom, and who leads for it (docs/rules.md §8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from guandan_engine.board import Hands, side_of
from guandan_engine.cards import BIG_JOKER, Card, Hand, Rank, order_key
from guandan_engine.plays import rank_strength
from guandan_engine.rules import RuleSet
from guandan_engine.trick import is_double_down, partner_of

RANKS_BELOW_TWO: Final = 2  # a limit is written as people count, 2 to 10; ranks are counted from 0


@dataclass(frozen=True, slots=True)
class Gift:
    """One card on its way from ``seat`` to ``to``."""

    seat: int
    to: int
    card: Card


def payers(order: tuple[int, ...], rules: RuleSet) -> tuple[int, ...]:
    """Return the seats that pay after a deal that ended so: the last, both losers of a double-down, or none (§8.1)."""
    if not order or not rules.tribute:
        return ()
    if is_double_down(order):
        return order[2:]
    return order[3:] if rules.tribute_partner or partner_of(order[0]) != order[3] else ()


def resisting(order: tuple[int, ...], hands: Hands, rules: RuleSet) -> tuple[int, ...]:
    """Return the paying seats that hold big jokers when together they hold both (抗贡), else () (§8.3)."""
    holders = tuple(sorted(seat for seat in payers(order, rules) if BIG_JOKER in hands[seat]))
    both = sum(hands[seat].count(BIG_JOKER) for seat in holders) == 2
    return holders if both and rules.anti_tribute == "both_big" else ()


def payable(hand: Hand, level: Rank, rules: RuleSet) -> tuple[Card, ...]:
    """Return the cards a payer may choose from: its highest rank, wild cards aside (§8.2)."""
    cards = [card for card in dict.fromkeys(hand) if not card.is_wild(level)]
    highest = max(rank_strength(card.rank, rules, level) for card in cards)
    return tuple(card for card in cards if rank_strength(card.rank, rules, level) == highest)


def returnable(hand: Hand, level: Rank, *, to_partner: bool, rules: RuleSet) -> tuple[Card, ...]:
    """Return the cards a receiver may give back, and what it may give when it has none within the limit (§8.5)."""
    cards = tuple(dict.fromkeys(hand))
    within = tuple(card for card in cards if within_limit(card, level, to_partner=to_partner, rules=rules))
    if within or rules.return_fallback == "any":
        return within or cards
    lowest = min(rank_strength(card.rank, rules, level) for card in cards)
    return tuple(card for card in cards if rank_strength(card.rank, rules, level) == lowest)


def within_limit(card: Card, level: Rank, *, to_partner: bool, rules: RuleSet) -> bool:
    """Whether a card is low enough to be given back (§8.5)."""
    limit = rules.return_max_partner if to_partner else rules.return_max_opponent
    if isinstance(limit, str):
        return limit == "any" or order_key(card.rank, level) < order_key(level, level)
    return card.rank <= limit - RANKS_BELOW_TWO and (rules.return_level_card or card.rank != level)


def equal(paid: Mapping[int, Card], level: Rank) -> bool:
    """Whether two tributes were paid and neither is higher."""
    return len(paid) == 2 and len({order_key(card.rank, level) for card in paid.values()}) == 1


def choosers(order: tuple[int, ...], paid: Mapping[int, Card], level: Rank, rules: RuleSet) -> tuple[int, ...]:
    """Return the receivers that choose among equal tributes, () where these go as the rules say (§8.4).

    Where both choose, equal jokers go round like other equal cards: there is nothing to choose between them.
    """
    if rules.tribute_pairing == "clockwise" or not equal(paid, level):
        return ()
    if rules.tribute_tie == "first_chooses":
        return order[:1]
    jokers = any(card.is_joker for card in paid.values())
    return order[:2] if rules.tribute_tie == "winners_choose" and not jokers else ()


def pair_up(
    order: tuple[int, ...], paid: Mapping[int, Card], level: Rank, rules: RuleSet, *, lot: int = 0
) -> tuple[Gift, ...]:
    """Return who receives which tribute where nobody chooses, sorted by payer (§8.4). ``lot`` settles ties by chance.

    Clockwise, each card goes to the seat before its payer, so that the first receives from its next seat.
    """
    first, second = order[0], order[1]
    if len(paid) == 1:
        ((payer, card),) = paid.items()
        return (Gift(payer, first, card),)
    to_first = (first + 1) % 4
    if rules.tribute_pairing == "by_rank":
        if not equal(paid, level):
            to_first = biggest(paid, level, rules)
        elif rules.tribute_tie == "random":
            to_first = sorted(paid)[lot % 2]
    return tuple(Gift(seat, first if seat == to_first else second, paid[seat]) for seat in sorted(paid))


def biggest(paid: Mapping[int, Card], level: Rank, rules: RuleSet) -> int:
    """Return who paid the bigger of two unequal tributes."""
    return max(paid, key=lambda seat: rank_strength(paid[seat].rank, rules, level))


def receiver_of_return(gift: Gift, order: tuple[int, ...], rules: RuleSet) -> int:
    """Return to whom the receiver of a tribute gives its return: the payer, or its own next seat (§8.5)."""
    if rules.return_to == "next_seat" and is_double_down(order):
        return (gift.to + 1) % 4
    return gift.seat


def leader(
    order: tuple[int, ...], gifts: tuple[Gift, ...], returns: tuple[Gift, ...], level: Rank, rules: RuleSet
) -> int | None:
    """Return who leads once all has been paid and returned; None when the payers choose it (§8.7)."""
    paid = {gift.seat: gift.card for gift in gifts}
    if len(paid) == 1:
        return gifts[0].seat
    if not equal(paid, level):
        return biggest(paid, level, rules)
    first = order[0]
    if rules.tie_lead == "lower_return":
        return _lower_returned(first, returns, level, rules)
    named: dict[str, int | None] = {
        "payer_of_first": payer_of_first(order, gifts),
        "next_of_first": (first + 1) % 4,
        "prev_of_first": (first + 3) % 4,
        "last_in_order": order[3],
        "payers_choose": None,
    }
    return named[rules.tie_lead]


def payer_of_first(order: tuple[int, ...], gifts: tuple[Gift, ...]) -> int:
    """Return who paid the first of the deal before."""
    return next(gift.seat for gift in gifts if gift.to == order[0])


def _lower_returned(first: int, returns: tuple[Gift, ...], level: Rank, rules: RuleSet) -> int:
    """Return who was given the lower card back; of equal ones the seat after the first."""
    keys = {gift.to: rank_strength(gift.card.rank, rules, level) for gift in returns}
    after_first = (first + 1) % 4
    return min(keys, key=lambda seat: (keys[seat], seat != after_first))


def to_partner(gift: Gift) -> bool:
    """Whether a gift stays within a side: the last paid its own partner."""
    return side_of(gift.seat) == side_of(gift.to)
