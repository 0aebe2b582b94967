"""Texts of combos, plays and actions, and back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from guandan_engine.actions import Choose, Give, Lay, Pass, Play, Resist
from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.combos import ALL_COMBOS, UNUSUAL_COMBOS, Reading
from guandan_engine.errors import MalformedText
from guandan_engine.notation import (
    action_text,
    combo_text,
    parse_action,
    parse_combo,
    parse_reading,
    play_text,
    reading_text,
)
from guandan_engine.plays import cards_of, interpret, legal_plays
from guandan_engine.rules import load
from tests.strategies import hands, levels

RULES = load("standard")


def test_every_combo_is_read_back_from_its_text():
    every = (*ALL_COMBOS, *UNUSUAL_COMBOS)
    assert all(parse_combo(combo_text(combo)) is combo for combo in every)
    assert len({combo_text(combo) for combo in every}) == len(every)


def test_every_reading_is_read_back_from_its_text():
    for combo in ALL_COMBOS:
        reading = Reading(combo.kind, combo.rank)
        assert parse_reading(reading_text(reading)) == reading


@given(hands(max_size=12), levels)
@settings(max_examples=60, deadline=None)
def test_a_play_is_read_back_from_its_text(hand, level):
    for combo in legal_plays(hand, None, RULES, level):
        cards = cards_of(combo, hand, level)
        lay = parse_action(play_text(Play(combo, cards), level))
        assert lay == Lay(cards, Reading(combo.kind, combo.rank))
        assert interpret(lay.cards, lay.reading, RULES, level) is combo


def test_a_wild_shows_what_it_stands_for():
    combo = parse_combo("Straight 3 *1")
    cards = tuple(Hand.parse("H2 S3 C4 D5 S6"))
    assert play_text(Play(combo, cards), Rank.TWO) == "Straight 3: H2=H7 S3 C4 D5 S6"


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Pass(), "pass"),
        (Give(Card.parse("H7")), "give H7"),
        (Resist(), "resist"),
        (Choose(3), "choose 3"),
        (Lay((Card.parse("S9"), Card.parse("D9"))), "S9 D9"),
        (Lay((Card.parse("H7"), Card.parse("S9")), parse_reading("Pair 9")), "Pair 9: H7 S9"),
    ],
)
def test_actions_are_written_and_read(action, text):
    assert action_text(action) == text
    assert parse_action(text) == action


@pytest.mark.parametrize(
    "text",
    [
        "",
        "S9 X9",
        "give",
        "give S9 D9",
        "Pear 9: S9 D9",
        "Pair 10: S9 D9",
        "Pair 9:",
        "S9=X",
        "pass S9",
        "choose 4",
        "choose",
    ],
)
def test_what_is_no_action_is_refused(text):
    with pytest.raises(MalformedText):
        parse_action(text)


@pytest.mark.parametrize(
    "text", ["", "Pair", "Pair 9 x3", "Bomb 9", "Bomb 9 x11", "Pair 9 *3", "Straight SB", "Pair 9\n"]
)
def test_what_is_no_combo_is_refused(text):
    with pytest.raises(MalformedText):
        parse_combo(text)
