"""Whole tables under conduct: every replay verifies, and nothing hidden is shown."""

from __future__ import annotations

import random

import pytest

from guandan_engine.events import Played
from guandan_engine.replay import verify
from guandan_engine.rules import load, presets
from guandan_engine.view import SeatView, cut, fold
from tests.dealing import STANDARD
from tests.umpiring import HURRIED, events_of, play_badly, replay_of, table_of


def played_badly(name, seed, **fields):
    table = table_of(load(name), clocks=HURRIED, seed=seed, **fields)
    play_badly(table, random.Random(seed))
    return table


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", presets())
def test_a_replay_with_rulings_warnings_and_skipped_turns_verifies_and_round_trips(name, seed):
    table = played_badly(name, seed, deals=3)
    replay = verify(replay_of(table))
    assert [record.event for record in replay.records] == list(events_of(table))


@pytest.mark.parametrize("name", presets())
def test_a_board_may_be_ruled_upon_as_well(name):
    verify(replay_of(played_badly(name, 3)))


@pytest.mark.parametrize("name", presets())
def test_no_view_holds_a_count_or_a_play_that_its_rules_hide(name):
    table, rules = played_badly(name, 4), load(name)
    for seat in range(4):
        view = SeatView(seat, rules)
        for event in events_of(table):
            view = fold(view, cut(event, seat))
            assert view.counts[seat] == len(view.hand)
            plays = [seen for seen in view.history if isinstance(seen, Played)]
            if rules.review == "none":
                assert len(plays) <= 1
            elif rules.review == "current_trick" and view.turn is not None:
                assert len(plays) == sum(move.play is not None for move in view.trick)
    if rules.count_view == "always":
        assert all(event.told or not event.left for event in events_of(table) if isinstance(event, Played))


def test_a_count_is_hidden_until_it_is_announced_and_counted_on_from_there():
    table = table_of(STANDARD)
    play_badly(table, random.Random(5), ruled=0)
    view, told = SeatView(1, STANDARD), set()
    for event in events_of(table):
        shown = cut(event, 1)
        view = fold(view, shown)
        if isinstance(event, Played) and event.seat != 1:
            assert (shown.left is None) is (not event.told and event.left > 0)
            told |= {event.seat} if event.told else set()
            assert (view.counts[event.seat] is None) is (event.seat not in told and event.left > 0)
            assert view.counts[event.seat] in (None, event.left)


def test_spectators_see_how_many_cards_are_left():
    table = table_of(STANDARD)
    play_badly(table, random.Random(5), ruled=0)
    assert all(cut(event, None) is event for event in events_of(table) if isinstance(event, Played))
