"""The table of state transitions."""

from __future__ import annotations

import itertools

import pytest

from guandan_arena.errors import Refused
from guandan_arena.services.states import (
    ALLOWED,
    CheckState,
    EventState,
    MatchState,
    RoundState,
    StageState,
    VersionState,
    move,
)

KINDS = (VersionState, CheckState, StageState, EventState, RoundState, MatchState)
FINAL = {
    VersionState: {"retired"},
    CheckState: set(),
    StageState: set(),
    EventState: {"over"},
    RoundState: {"closed"},
    MatchState: {"done", "void"},
}


def test_the_table_holds_every_state_of_every_kind_and_moves_stay_within_it():
    assert set(ALLOWED) == set(KINDS)
    for kind in KINDS:
        assert set(ALLOWED[kind]) == set(kind)
        assert {type(state) for after in ALLOWED[kind].values() for state in after} <= {kind}


@pytest.mark.parametrize("kind", KINDS)
def test_every_pair_of_states_is_decided_by_the_table(kind):
    for before, after in itertools.product(kind, repeat=2):
        if after in ALLOWED[kind][before]:
            assert move(before, after, subject="it") is after
        else:
            with pytest.raises(Refused, match=f"it is {before}, so it cannot become {after}"):
                move(before, after, subject="it")


@pytest.mark.parametrize("kind", KINDS)
def test_only_final_states_are_left_by_nothing(kind):
    assert {state for state in kind if not ALLOWED[kind][state]} == FINAL[kind]


def test_states_of_two_kinds_with_the_same_text_keep_their_own_moves():
    assert move(CheckState.QUEUED, CheckState.STALLED, subject="it") is CheckState.STALLED
    with pytest.raises(Refused):
        move(MatchState.QUEUED, MatchState.DONE, subject="it")
