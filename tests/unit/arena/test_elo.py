from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guandan_arena.ratings import elo


@pytest.mark.parametrize(("gap", "share"), [(0, 0.5), (50, 0.5715), (100, 0.6401), (200, 0.7597), (400, 0.9091)])
def test_the_expected_share_follows_the_logistic_table(gap: int, share: float) -> None:
    assert elo.expected(1_500_000 + gap * 1000, 1_500_000) == pytest.approx(share, abs=5e-5)


def test_beating_a_bot_100_above_gains_12_8_points_with_k_20() -> None:
    assert elo.delta_milli(1_500_000, 1_600_000, 2, matches=(30, 30)) == 12_801


def test_provisional_versions_move_by_k_40_and_the_mean_counts_when_only_one_is() -> None:
    assert elo.delta_milli(1_500_000, 1_500_000, 2, matches=(0, 29)) == 20_000
    assert elo.delta_milli(1_500_000, 1_500_000, 2, matches=(0, 30)) == 15_000
    assert elo.delta_milli(1_500_000, 1_500_000, 2, matches=(30, 99)) == 10_000


def test_a_level_match_between_equals_moves_nothing() -> None:
    assert elo.delta_milli(1_500_000, 1_500_000, 1, matches=(0, 0)) == 0


ratings = st.integers(0, 4_000_000)
games = st.integers(0, 100)


@given(ratings, ratings, st.sampled_from((0, 1, 2)), games, games)
def test_what_one_side_gains_the_other_loses_whoever_is_called_a(a: int, b: int, points: int, m: int, n: int) -> None:
    forth = elo.delta_milli(a, b, points, matches=(m, n))
    back = elo.delta_milli(b, a, 2 - points, matches=(n, m))
    assert abs(forth + back) <= 1, "equal but for the rounding of a half"


@given(ratings, ratings, games, games)
def test_a_win_never_costs_and_a_loss_never_gains(a: int, b: int, m: int, n: int) -> None:
    assert elo.delta_milli(a, b, 2, matches=(m, n)) >= 0
    assert elo.delta_milli(a, b, 0, matches=(m, n)) <= 0


def test_points_that_are_no_result_are_refused() -> None:
    with pytest.raises(ValueError, match="0, 1 or 2"):
        elo.delta_milli(0, 0, 3, matches=(0, 0))
