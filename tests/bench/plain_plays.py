"""Legal leading plays listed the plain way, the baseline of ``bench_engine``: dictionaries of counts, loops over ranks.

Gives the same set of plays as ``legal_plays``; a unit test holds them together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

from guandan_engine.cards import Hand, Rank, Suit
from guandan_engine.combos import RUN_LENGTHS, SIZES, Combo, Kind, combo, rank_of_wild_pair, run_ranks

PLAIN = tuple(Rank)[:13]
JOKERS = (Rank.SMALL_JOKER, Rank.BIG_JOKER)


def plain_plays(hand: Hand, level: Rank) -> list[Combo]:
    """List every combo the hand can lead."""
    naturals = [card for card in hand if not card.is_wild(level)]
    counts = Counter(card.rank for card in naturals)
    wilds = len(hand) - len(naturals)
    suited = {(card.rank, card.suit) for card in naturals}
    return [
        *groups(counts, wilds, level),
        *full_houses(counts, wilds, level),
        *runs(counts, wilds),
        *straights(suited, wilds),
    ]


def groups(counts: Counter[Rank], wilds: int, level: Rank) -> Iterator[Combo]:
    for size, used in product(range(1, 11), range(wilds + 1)):
        kind = {1: Kind.SINGLE, 2: Kind.PAIR, 3: Kind.TRIPS}.get(size, Kind.BOMB)
        if size == used:
            yield combo(kind, level, wilds=used)
        elif size > used:
            yield from (combo(kind, r, size=size, wilds=used) for r in PLAIN if counts[r] >= size - used)
        if used == 0 and size <= 2:
            yield from (combo(kind, joker) for joker in JOKERS if counts[joker] >= size)
    if counts[Rank.SMALL_JOKER] == counts[Rank.BIG_JOKER] == 2:
        yield combo(Kind.JOKER_BOMB, Rank.BIG_JOKER)


def full_houses(counts: Counter[Rank], wilds: int, level: Rank) -> Iterator[Combo]:
    for triple in PLAIN:
        for used in range(max(0, 3 - counts[triple]), min(wilds, 2) + 1):
            left = used - max(0, 3 - counts[triple])
            for pair in (*PLAIN, *JOKERS):
                lacking = max(0, 2 - counts[pair])
                fits = lacking <= left and (pair not in JOKERS or not lacking)
                written = lacking < 2 or pair is rank_of_wild_pair(triple, level)
                if pair is not triple and fits and written and counts[triple]:
                    yield combo(Kind.THREE_WITH_TWO, triple, pair=pair, wilds=used)


def runs(counts: Counter[Rank], wilds: int) -> Iterator[Combo]:
    for kind in (Kind.THREE_PAIR, Kind.TWO_TRIPS):
        each = SIZES[kind] // RUN_LENGTHS[kind]
        for first in run_ranks(RUN_LENGTHS[kind]):
            lacking = sum(max(0, each - counts[rank]) for rank in stretch(first, RUN_LENGTHS[kind]))
            yield from (combo(kind, first, wilds=used) for used in range(lacking, wilds + 1))


def straights(suited: set[tuple[Rank, Suit | None]], wilds: int) -> Iterator[Combo]:
    for first in run_ranks(5):
        ranks = stretch(first, 5)
        held = [[suit for suit in Suit if (rank, suit) in suited] for rank in ranks]
        lacking = sum(not suits for suits in held)
        mixed = len({suit for suits in held for suit in suits}) > 1
        yield from (combo(Kind.STRAIGHT, first, wilds=used) for used in range(lacking, wilds + 1) if used or mixed)
        for suit in Suit:
            lacking = sum(suit not in suits for suits in held)
            yield from (combo(Kind.STRAIGHT_FLUSH, first, wilds=used, suit=suit) for used in range(lacking, wilds + 1))


def stretch(first: Rank, length: int) -> list[Rank]:
    start = -1 if first is Rank.ACE else int(first)
    return [Rank(place % 13) for place in range(start, start + length)]
