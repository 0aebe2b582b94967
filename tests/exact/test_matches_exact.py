"""Random matches from 2 to past A: 108 cards conserved, levels climb as written; 200, or 2,000 with GUANDAN_EXACT=1."""

from __future__ import annotations

import os
import random

import pytest

from guandan_engine import match as matches
from guandan_engine import shuffle
from guandan_engine.actions import Ask
from guandan_engine.cards import DECK, Rank
from guandan_engine.conduct import action_of
from guandan_engine.dealing import Dealt
from guandan_engine.events import DealEnded, DealStarted, MatchEnd, Played
from tests.dealing import STANDARD

MATCHES = 2_000 if os.environ.get("GUANDAN_EXACT") == "1" else 200
PARTS = 10


@pytest.mark.parametrize("part", range(PARTS))
def test_cards_are_conserved_and_levels_climb_through_whole_matches(part):
    for seed in range(part, MATCHES, PARTS):
        _play_and_check(seed)


def _play_and_check(seed: int) -> None:
    rng = random.Random(seed)
    match, events = matches.start(Dealt(_hands(seed, 1), rng.randrange(4)), STANDARD)
    history = list(events)
    while not match.ended:
        if match.awaits_deal:
            match, events = matches.next_deal(match, Dealt(_hands(seed, match.deal.number + 1)), STANDARD)
        else:
            match, events = _step(match, rng)
        history += events
    _check_history(history)
    assert match.ended.reason in (MatchEnd.PASSED_FINAL, MatchEnd.DEAL_LIMIT)
    assert sum(match.ended.points) == sum(event.gain for event in history if isinstance(event, DealEnded))


def _hands(seed: int, deal: int):
    return shuffle.shuffle(f"{seed}/{deal}".encode())


def _step(match, rng):
    question = rng.choice(matches.questions(match, STANDARD))
    assert question.seat not in match.deal.trick.finished or question.ask is not Ask.PLAY
    action = action_of(rng.choice(question.options), match.deal.hands[question.seat], match.deal.level)
    return matches.apply(match, question.seat, action, STANDARD)


def _check_history(history) -> None:
    levels = (Rank.TWO, Rank.TWO)
    laid = []
    for event in history:
        if isinstance(event, DealStarted):
            assert event.levels == levels
            assert event.level == (levels[event.order[0] % 2] if event.order else Rank.TWO)
            laid = []
        elif isinstance(event, Played):
            laid += event.play.cards
        elif isinstance(event, DealEnded):
            assert sorted([*laid, *(card for hand in event.hands for card in hand)]) == list(DECK)
            expected = min(levels[event.side] + event.gain, Rank.ACE)
            assert event.levels[event.side] == expected
            assert event.levels[1 - event.side] == levels[1 - event.side]
            levels = event.levels
