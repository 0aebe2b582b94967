"""The observation of a seat: the same from its view as from the whole truth, and nothing that it may not know."""

from __future__ import annotations

import random

import pytest

from guandan_engine.combos import ALL_COMBOS
from guandan_engine.rules import RuleSet, load, presets
from guandan_engine.view import SeatView
from guandan_sdk import observation
from guandan_sdk.memory import Memory
from guandan_sdk.observation import ACTIONS, OBSERVATION_BYTES, action_count, action_of, describe, observe
from tests.witnesses import Moment, moments

RULES = load("standard")


def truth(moment: Moment, seat: int) -> bytes:
    """What a seat may know, taken from the state of the deal instead of from the seat's view."""
    deal, trick = moment.deal, moment.deal.trick
    return describe(
        seat,
        hand=deal.hands[seat],
        laid=moment.laid,
        counts=[len(hand) for hand in deal.hands],
        finished=trick.finished,
        level=deal.level,
        to_beat=trick.combo,
        owner=trick.owner,
        passes=trick.passes,
        turn=trick.turn,
    )


@pytest.mark.parametrize("name", ["standard", "yangzhou", "library_shift3", "canmou_tournament"])
def test_a_view_gives_the_observation_that_the_truth_gives(name: str) -> None:
    rules = load(name)
    for number in range(6):
        for moment in moments(number.to_bytes(4, "big"), rules, random.Random(number)):
            for seat, witness in enumerate(moment.witnesses):
                assert observe(witness.view, witness.memory) == truth(moment, seat)


@pytest.mark.parametrize("announce", ["none", "auto_once"])
@pytest.mark.parametrize("review", ["none", "all"])
def test_counting_along_gives_the_same_observation_whatever_may_be_looked_at_again(review: str, announce: str) -> None:
    rules = RuleSet(review=review, announce=announce)
    for moment in moments(b"review", rules, random.Random(1)):
        seat = moment.deal.trick.turn
        witness = moment.witnesses[seat]
        assert observe(witness.view, witness.memory) == truth(moment, seat)


def test_the_seat_that_looks_is_seat_zero() -> None:
    for moment in moments(b"relative", RULES, random.Random(2)):
        trick = moment.deal.trick
        for seat in range(4):
            row = truth(moment, seat)
            assert row[observation.COUNTS][2] == len(moment.deal.hands[(seat + 2) % 4])
            assert row[observation.TURN] == (trick.turn - seat) % 4
            assert row[observation.OWNER] == (0 if trick.owner is None else (trick.owner - seat) % 4)
            assert sum(row[observation.HAND]) == row[observation.COUNTS][0] == len(moment.deal.hands[seat])


def test_every_combo_is_described_by_other_bytes() -> None:
    def shown(play: object) -> bytes:
        row = describe(
            0, hand=(), laid=(), counts=[0] * 4, finished=(), level=0, to_beat=play, owner=1, passes=0, turn=0
        )
        assert len(row) == OBSERVATION_BYTES
        return row

    assert len({shown(play) for play in ACTIONS}) == len(ACTIONS)


def test_a_spectator_has_no_observation() -> None:
    with pytest.raises(ValueError, match="spectator"):
        observe(SeatView(None, RULES), Memory())


def test_passing_is_number_zero_and_every_play_has_one_number() -> None:
    assert ACTIONS[0] is None
    assert [action_of(play) for play in ACTIONS] == list(range(len(ACTIONS)))
    assert ACTIONS[1 : len(ALL_COMBOS) + 1] == ALL_COMBOS


@pytest.mark.parametrize("name", presets())
def test_every_play_of_a_rule_set_has_a_number_below_its_count(name: str) -> None:
    rules = load(name)
    count = action_count(rules)
    for moment in moments(b"numbers", rules, random.Random(3)):
        assert all(action_of(play) < count for play in moment.options)


def test_only_rules_with_unusual_combos_need_all_numbers() -> None:
    few, all_numbers = len(ALL_COMBOS) + 1, len(ACTIONS)
    assert action_count(RULES) == few < all_numbers
    unusual = ({"seq_wrap": True}, {"seq_level_card": "elevated"}, {"mixed_joker_pair": True})
    for change in (*unusual, {"full_house_same_rank": True}):
        assert action_count(RuleSet(**change)) == all_numbers
