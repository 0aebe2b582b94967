"""``beats`` is a strict order, and agrees with the rules read a second time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guandan_engine.cards import Rank
from guandan_engine.combos import ALL_COMBOS, Combo, Kind
from guandan_engine.plays import beats, may_follow
from guandan_engine.rules import load
from tests.brute_force import outranks
from tests.strategies import LEVELS, levels

RULES = load("standard")
combos = st.sampled_from(ALL_COMBOS)


def different_combos() -> Iterator[Combo]:
    """One combo for each kind, size and rank: the rest of a combo must make no difference."""
    key = lambda combo: (combo.kind, combo.size, combo.rank)  # noqa: E731
    return (next(group) for _, group in groupby(sorted(ALL_COMBOS, key=key), key=key))


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_beating_agrees_with_the_ladder_for_every_two_combos(level):
    table = list(different_combos())
    for a in table:
        for b in table:
            assert beats(a, b, RULES, level) == outranks(a, b, level, RULES), (a, b)


@pytest.mark.parametrize("level", [Rank.TWO, Rank.NINE, Rank.ACE], ids=str)
def test_beating_is_a_strict_partial_order(level):
    table = list(different_combos())
    beaten = {a: {b for b in table if beats(a, b, RULES, level)} for a in table}
    for a, below in beaten.items():
        assert a not in below
        assert all(a not in beaten[b] for b in below)
        assert all(beaten[b] <= below for b in below)


@given(combos, combos, combos, levels)
def test_beating_is_irreflexive_asymmetric_and_transitive(a, b, c, level):
    assert not beats(a, a, RULES, level)
    assert not (beats(a, b, RULES, level) and beats(b, a, RULES, level))
    if beats(a, b, RULES, level) and beats(b, c, RULES, level):
        assert beats(a, c, RULES, level)


@given(combos, combos, levels)
def test_wilds_suits_and_the_pair_make_no_difference(a, b, level):
    likes = [c for c in ALL_COMBOS if (c.kind, c.size, c.rank) == (a.kind, a.size, a.rank)]
    assert len({beats(like, b, RULES, level) for like in likes}) == 1


def test_anything_may_be_led():
    assert all(may_follow(combo, None, RULES, Rank.TWO) for combo in ALL_COMBOS)
    jokers = next(combo for combo in ALL_COMBOS if combo.kind is Kind.JOKER_BOMB)
    assert not any(may_follow(combo, jokers, RULES, Rank.TWO) for combo in ALL_COMBOS)
