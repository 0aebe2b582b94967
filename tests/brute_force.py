"""What may be played, found the slow way: every sub-multiset of a hand with every meaning of its wild cards.

Written from the text of docs/rules.md alone and sharing nothing with ``guandan_engine.plays`` but the value types, so
that two independent readings of the rules can be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement, product

from guandan_engine.cards import Card, Rank, Suit
from guandan_engine.combos import Combo, Kind

JOKERS = (Rank.SMALL_JOKER, Rank.BIG_JOKER)
PLAIN = tuple(rank for rank in Rank if rank not in JOKERS)
LINE = (Rank.ACE, *PLAIN)  # an ace stands at both ends of the line, and the line is no circle


def all_combos(hand: Iterable[Card], level: Rank, max_bomb: int = 10) -> set[Combo]:
    """Everything a hand can lay when it leads."""
    return {combo for cards in sub_multisets(hand) for combo in combos_of(cards, level, max_bomb)}


def followers(combos: Iterable[Combo], to_beat: Combo, level: Rank) -> set[Combo]:
    """Those of the combos that may be laid on another."""
    return {combo for combo in combos if outranks(combo, to_beat, level)}


def sub_multisets(hand: Iterable[Card]) -> Iterator[tuple[Card, ...]]:
    """Every choice of one or more cards, copies being alike."""
    counts = sorted(Counter(hand).items())
    for numbers in product(*(range(count + 1) for _, count in counts)):
        if any(numbers):
            yield tuple(card for (card, _), number in zip(counts, numbers, strict=True) for _ in range(number))


def combos_of(cards: Sequence[Card], level: Rank, max_bomb: int = 10) -> set[Combo]:
    """Everything that exactly these cards can be."""
    naturals = [card for card in cards if not is_wild(card, level)]
    wilds = len(cards) - len(naturals)
    found: set[Combo] = set()
    for meaning in meanings_of_wilds(wilds, level, alone=not naturals):
        ranks = tuple(sorted([*(card.rank for card in naturals), *meaning]))
        for kind, rank, pair in shapes(ranks, max_bomb):
            suits = [card.suit for card in naturals]
            if kind is Kind.STRAIGHT:
                found |= {Combo(k, rank, 5, None, wilds, suit) for k, suit in straight_or_flush(suits, wilds)}
            else:
                of_wilds = pair is not None and pair not in {card.rank for card in naturals}
                seen = pair_of_two_wilds(rank, level) if of_wilds else pair
                found.add(Combo(kind, rank, len(cards), seen, wilds))
    return found


def is_wild(card: Card, level: Rank) -> bool:
    return card.suit is Suit.HEARTS and card.rank is level


def meanings_of_wilds(wilds: int, level: Rank, *, alone: bool) -> Iterable[tuple[Rank, ...]]:
    """Wilds stand for any rank but a joker; without a natural card beside them they are level cards."""
    return [(level,) * wilds] if alone else combinations_with_replacement(PLAIN, wilds)


def straight_or_flush(suits: list[Suit | None], wilds: int) -> set[tuple[Kind, Suit | None]]:
    """Five ranks in a row are a straight flush when all cards are, or stand for, one suit; else a plain straight."""
    found: set[tuple[Kind, Suit | None]] = set()
    for meaning in product(Suit, repeat=wilds):
        different = {*suits, *meaning}
        found.add((Kind.STRAIGHT_FLUSH, different.pop()) if len(different) == 1 else (Kind.STRAIGHT, None))
    return found


def pair_of_two_wilds(triple: Rank, level: Rank) -> Rank:
    """Both wilds as the pair of a full house can be any rank but the triple's: it is written as the strongest."""
    return max((rank for rank in PLAIN if rank is not triple), key=lambda rank: strength(rank, level))


@cache
def shapes(ranks: tuple[Rank, ...], max_bomb: int) -> list[tuple[Kind, Rank, Rank | None]]:
    """The kinds, suits aside, that sorted ranks can be."""
    counts = Counter(ranks)
    size, different = len(ranks), list(counts)
    alike = len(different) == 1
    plain = different[-1] not in JOKERS
    found: list[tuple[Kind, Rank, Rank | None]] = []
    if size == 1:
        found.append((Kind.SINGLE, ranks[0], None))
    if size == 2 and alike:
        found.append((Kind.PAIR, ranks[0], None))
    if size == 3 and alike and plain:
        found.append((Kind.TRIPS, ranks[0], None))
    if 4 <= size <= max_bomb and alike and plain:
        found.append((Kind.BOMB, ranks[0], None))
    if counts == {Rank.SMALL_JOKER: 2, Rank.BIG_JOKER: 2}:
        found.append((Kind.JOKER_BOMB, Rank.BIG_JOKER, None))
    if sorted(counts.values()) == [2, 3]:
        triple = next(rank for rank in different if counts[rank] == 3)
        pair = next(rank for rank in different if counts[rank] == 2)
        found.append((Kind.THREE_WITH_TWO, triple, pair))
    for kind, length, each in ((Kind.STRAIGHT, 5, 1), (Kind.THREE_PAIR, 3, 2), (Kind.TWO_TRIPS, 2, 3)):
        for first in range(len(LINE) - length + 1):
            stretch = LINE[first : first + length]
            if size == length * each and counts == dict.fromkeys(stretch, each):
                found.append((kind, stretch[0], None))
    return found


def strength(rank: Rank, level: Rank) -> int:
    """2 3 .. K A, then the level, then the small joker, then the big one."""
    ladder = [*(r for r in PLAIN if r is not level), level, *JOKERS]
    return ladder.index(rank)


def outranks(a: Combo, b: Combo, level: Rank) -> bool:
    """Whether a beats b: higher on the ladder of bombs, or of the same kind and size and stronger."""
    if rung(a) != rung(b):
        return rung(a) > rung(b)
    if a.kind is not b.kind or a.size != b.size or a.kind is Kind.JOKER_BOMB:
        return False
    if a.kind in (Kind.STRAIGHT, Kind.THREE_PAIR, Kind.TWO_TRIPS, Kind.STRAIGHT_FLUSH):
        return LINE.index(a.rank) > LINE.index(b.rank)
    return strength(a.rank, level) > strength(b.rank, level)


LADDER = ("", "4", "5", "StraightFlush", "6", "7", "8", "9", "10", "JokerBomb")


def rung(combo: Combo) -> int:
    if combo.kind is Kind.BOMB:
        return LADDER.index(str(combo.size))
    return LADDER.index(str(combo.kind)) if str(combo.kind) in LADDER else 0
