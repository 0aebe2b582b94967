"""Faults, verdicts, clocks, and what the table plays for a seat."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guandan_engine.actions import Ask, Give, Lay, Pass, Question
from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.clock import Clocks
from guandan_engine.combos import Kind, combo
from guandan_engine.conduct import SENTENCES, VERDICTS, Fault, Verdict, substitute, verdict_of
from guandan_engine.errors import InvalidRules
from guandan_engine.plays import legal_plays
from tests.dealing import STANDARD
from tests.strategies import hands, levels

CLOCKS = Clocks(move_ms=100, bank_ms=500, increment_ms=50)


def test_every_fault_has_a_verdict_and_every_verdict_its_sentences():
    assert set(VERDICTS) == set(Fault)
    assert set(SENTENCES) == set(Verdict)
    assert all(en and zh for en, zh in SENTENCES.values())


def test_without_faults_all_is_well():
    assert verdict_of([]) is Verdict.OK


def test_our_own_faults_outweigh_the_bots():
    assert verdict_of([Fault.CRASHED, Fault.INFRASTRUCTURE, Fault.TIMEOUT]) is Verdict.INFRASTRUCTURE_FAULT
    assert verdict_of([Fault.MEMORY_EXCEEDED, Fault.CRASHED, Fault.ILLEGAL]) is Verdict.MEMORY_EXCEEDED


def test_every_verdict_but_ok_is_either_the_bots_or_ours():
    for verdict in Verdict:
        assert verdict.is_bots + verdict.is_ours == (verdict is not Verdict.OK)


@given(hands(), levels)
def test_a_substitute_leads_its_lowest_single(hand, level):
    options = tuple(legal_plays(hand, None, STANDARD, level))
    action = substitute(Question(0, Ask.PLAY, options), hand, level)
    assert isinstance(action, Lay)
    (card,) = action.cards
    assert card in hand
    assert all(not (other.rank < card.rank and other.rank != level) for other in hand) or card.rank == level


def test_a_substitute_passes_when_it_may():
    question = Question(0, Ask.PLAY, (None, combo(Kind.SINGLE, Rank.NINE)))
    assert substitute(question, Hand.parse("S9"), Rank.TWO) == Pass()


def test_a_substitute_gives_the_lowest_card_allowed():
    options = tuple(map(Card.parse, ("H5", "S3", "D4")))
    assert substitute(Question(0, Ask.RETURN, options), Hand.parse("S3 D4 H5"), Rank.TWO) == Give(Card.parse("S3"))


@pytest.mark.parametrize(
    ("bank", "used", "left"),
    [(500, 0, 500), (500, 100, 500), (300, 80, 350), (500, 200, 450), (500, 600, 0), (0, 99, 50)],
)
def test_the_bank_pays_what_is_over_the_free_time(bank, used, left):
    assert CLOCKS.left(bank, used) == left


@given(st.integers(0, 500), st.integers(0, 2_000))
def test_a_bank_is_never_negative_nor_above_its_start(bank, used):
    assert 0 <= CLOCKS.left(bank, used) <= CLOCKS.bank_ms


@pytest.mark.parametrize("times", [{"move_ms": -1}, {"move_ms": 0, "bank_ms": 0}])
def test_clocks_that_leave_no_time_are_refused(times):
    with pytest.raises(InvalidRules, match="clocks"):
        Clocks(**times)
