"""Hypothesis strategies for cards and hands, and seeded hands rich in combinations."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from guandan_engine.cards import CARDS, DECK, Card, Hand, Rank, Suit, wild_of

LEVELS = tuple(rank for rank in Rank if rank <= Rank.ACE)

levels = st.sampled_from(LEVELS)
cards = st.sampled_from(CARDS)


def hands(min_size: int = 1, max_size: int = 27) -> st.SearchStrategy[Hand]:
    """Any multiset of cards with at most two copies of each."""
    places = st.lists(st.sampled_from(range(len(DECK))), min_size=min_size, max_size=max_size, unique=True)
    return places.map(lambda chosen: Hand.of(DECK[place] for place in chosen))


def rich_hands(min_size: int = 4, max_size: int = 9) -> st.SearchStrategy[tuple[Hand, Rank]]:
    """A hand of few ranks or few suits, with 0 to 2 wilds, and its level."""
    seeds = st.integers(0, 2**32 - 1)
    return st.tuples(seeds, levels, st.integers(min_size, max_size), st.integers(0, 2)).map(
        lambda drawn: (rich_hand(random.Random(drawn[0]), drawn[1], drawn[2], drawn[3]), drawn[1])
    )


def rich_hand(rng: random.Random, level: Rank, size: int, wilds: int) -> Hand:
    """Draw a hand of ``size`` cards, ``wilds`` of them wild, from a part of the deck where combinations are dense."""
    wild = wild_of(level)
    pool = [card for card in _part_of_deck(rng) if card != wild]
    spare = [card for card in DECK if card != wild]
    rng.shuffle(pool)
    naturals = pool[: size - wilds]
    while len(naturals) < size - wilds:
        card = rng.choice(spare)
        if naturals.count(card) < 2:
            naturals.append(card)
    return Hand.of([*naturals, *[wild] * wilds])


def _part_of_deck(rng: random.Random) -> list[Card]:
    """The whole deck, a few neighbouring ranks (ace next to two), one suit, two suits, or jokers with a few ranks."""
    mode = rng.randrange(5)
    first, width = rng.randrange(13), rng.randint(1, 6)
    near = {Rank((first + step) % 13) for step in range(width)}
    suits = set(rng.sample(list(Suit), 2))
    parts = (
        lambda card: True,
        lambda card: card.rank in near,
        lambda card: card.suit in suits and (card.rank in near or len(near) < 3),
        lambda card: card.suit is min(suits),
        lambda card: card.is_joker or card.rank in near,
    )
    return [card for card in DECK if parts[mode](card)]
