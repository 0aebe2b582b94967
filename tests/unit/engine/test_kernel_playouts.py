"""Random playouts: what they count, that they follow from the seed, and that their chances are even."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from guandan_engine.cards import Hand, Rank
from guandan_engine.errors import EngineError
from guandan_engine.kernel import Playouts, playouts, position, random_state
from guandan_engine.kernel.chance import draw, sow
from guandan_engine.kernel.types import i64
from guandan_engine.kernel.words import bit, columns
from guandan_engine.rules import load, presets

RULES = load("standard")


def hands(*texts: str) -> list[Hand]:
    return [Hand.parse(text) for text in texts]


@pytest.mark.parametrize("name", presets())
def test_points_are_those_of_the_orders_and_the_state_is_left_alone(name: str) -> None:
    rules = load(name)
    state = random_state(5, rules)
    before = list(state.words)
    found = playouts(state, 1, 30)
    assert list(state.words) == before
    assert sum(found.orders.values()) == found.n == 30
    points = [0, 0]
    for order, times in found.orders.items():
        assert sorted(order) == [0, 1, 2, 3]
        points[order[0] % 2] += times * rules.gains[order.index((order[0] + 2) % 4) - 1]
    assert tuple(points) == found.points


def test_the_same_seed_plays_the_same_and_another_seed_does_not() -> None:
    state = random_state(5, RULES)
    assert playouts(state, 1, 20) == playouts(state.clone(), 1, 20) != playouts(state, 2, 20)
    assert playouts(state, 2**64 + 1, 20) == playouts(state, 1, 20)  # a seed counts with its 64 low bits


def test_every_legal_play_and_passing_have_equal_chances() -> None:
    """0 leads one of two singles; 1 passes or goes out, 2 and 3 hold too little: who is out first tells all."""
    state = position(hands("S4 S5", "S9", "S3 D3", "C3 H3"), 0, Rank.TWO, RULES)
    found = playouts(state, 3, 5_000)
    first = Counter()
    for order, times in found.orders.items():
        first[order[0]] += times
    # Seat 1 lays its nine on the first trick or passes; then 0 leads its last card.
    assert abs(first[1] / found.n - 0.5) < 0.03
    assert first[0] + first[1] == found.n


def test_a_deal_that_is_over_counts_as_often_as_asked() -> None:
    state = position(hands("S9", "S3", "ST", "S5"), 0, Rank.TWO, RULES)
    while not state.over:
        state.apply(state.legal_actions()[-1])
    assert state.order == (0, 2, 1, 3)
    assert playouts(state, 1, 7) == Playouts(7, (21, 0), {state.order: 7})
    assert playouts(state, 1, 0) == Playouts(0, (0, 0), {})


@pytest.mark.parametrize("n", [-1, 10**9 + 1, 10**30])
def test_so_many_playouts_are_refused(n: int) -> None:
    with pytest.raises(EngineError):
        playouts(random_state(1, RULES), 1, n)


def test_draws_are_even() -> None:
    words = random_state(1, RULES).words
    sow(words, 0, 1, 2, 3, 4)
    drawn = Counter(draw(words, 0, 13) for _ in range(13_000))
    assert sorted(drawn) == list(range(13))
    assert all(850 < times < 1_150 for times in drawn.values())


@pytest.mark.parametrize("place", range(61))
def test_a_bit_is_where_it_should_be(place: int) -> None:
    assert bit(place) == 1 << place


def test_nibbles_are_transposed_into_columns() -> None:
    rng = random.Random(1)
    for _ in range(200):
        nibbles = [rng.randrange(16) for _ in range(15)] + [rng.randrange(4)]
        word = sum(nibble << 4 * place for place, nibble in enumerate(nibbles))
        expected = sum((nibble >> b & 1) << 16 * b + k for k, nibble in enumerate(nibbles) for b in range(4))
        assert columns(i64(word)) == expected
