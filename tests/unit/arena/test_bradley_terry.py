from __future__ import annotations

import random

import numpy as np
import pytest

from guandan_arena.ratings.bradley_terry import Observation, refit


def night(strengths: list[float], boards: int, *, seed: int, pairs: bool = False) -> list[Observation]:
    """Simulated boards between random versions of known strength (Elo); with ``pairs`` each is a mean of two."""
    rng = random.Random(seed)
    seen = []
    for _ in range(boards):
        a, b = rng.sample(range(len(strengths)), 2)
        share = 1 / (1 + 10 ** ((strengths[b] - strengths[a]) / 400))
        games = [float(rng.random() < share) for _ in range(2 if pairs else 1)]
        seen.append(Observation(f"v{a:02}", f"v{b:02}", sum(games) / len(games)))
    return seen


def coverage(*, pairs: bool) -> float:
    rng = random.Random(5)
    inside = total = 0
    for trial in range(20):
        strengths = [rng.gauss(0, 120) for _ in range(20)]
        fits = refit(night(strengths, 600, seed=trial, pairs=pairs), anchor_elo=0.0)
        truth = np.array(strengths) - np.mean(strengths)
        for fit in fits:
            inside += fit.low <= truth[int(fit.id[1:])] <= fit.high
            total += 1
    return inside / total


def test_the_95_percent_intervals_hold_the_truth_about_95_times_of_100() -> None:
    assert 0.92 <= coverage(pairs=False) <= 0.98


def test_the_intervals_of_board_means_are_honest_too() -> None:
    assert 0.92 <= coverage(pairs=True) <= 0.98


def test_boards_played_both_ways_give_narrower_intervals_than_single_games() -> None:
    strengths = [0.0, 50.0, 100.0, 150.0]
    single, paired = (refit(night(strengths, 800, seed=1, pairs=pairs)) for pairs in (False, True))
    assert paired[0].high - paired[0].low < 0.85 * (single[0].high - single[0].low)


def test_stronger_versions_are_fitted_higher_and_the_mean_is_1500() -> None:
    fits = refit(night([0.0, 200.0, 400.0], 900, seed=3))
    assert [f.id for f in fits] == ["v02", "v01", "v00"]
    assert np.mean([f.elo for f in fits]) == pytest.approx(1500)
    assert fits[0].elo - fits[2].elo == pytest.approx(400, abs=80)


def test_the_anchor_stays_where_it_is_put() -> None:
    fits = refit(night([0.0, 200.0, 400.0], 300, seed=3), anchor="v00", anchor_elo=1500.0)
    assert {f.id: f.elo for f in fits}["v00"] == pytest.approx(1500)


def test_the_unbeaten_stay_finite_and_ranks_part_only_when_intervals_do() -> None:
    clear = refit([Observation("a", "b", 1.0)] * 200)
    assert np.isfinite(clear[0].high)
    assert [(f.rank_best, f.rank_worst) for f in clear] == [(1, 1), (2, 2)]
    unclear = refit([Observation("a", "b", 1.0)])
    assert [(f.rank_best, f.rank_worst) for f in unclear] == [(1, 2), (1, 2)]


def test_a_copy_that_always_levels_keeps_an_interval() -> None:
    fits = refit([Observation("a", "b", 0.5)] * 4)
    assert fits[0].elo == pytest.approx(1500)
    assert fits[0].high - fits[0].low > 100


def test_the_answer_does_not_depend_on_the_order_of_boards() -> None:
    boards = night([0.0, 100.0, 200.0], 90, seed=9)
    forth, back = refit(boards), refit(boards[::-1])
    assert [f.id for f in forth] == [f.id for f in back]
    assert [f.elo for f in forth] == pytest.approx([f.elo for f in back], abs=1e-6)


@pytest.mark.parametrize(("gains", "share"), [((3, 3), 1.0), ((-3, -3), 0.0), ((2, -2), 0.5), ((3, -1), 8 / 12)])
def test_a_board_counts_by_the_mean_of_its_two_ways(gains: tuple[int, int], share: float) -> None:
    assert Observation.of_pair("a", "b", gains).score == pytest.approx(share)


@pytest.mark.parametrize(("gains", "share"), [((5, 5), 1.0), ((5, -5), 0.5), ((3, 1), 0.7), ((-9, -9), 0.0)])
def test_where_a_board_may_gain_five_that_is_its_whole_share(gains: tuple[int, int], share: float) -> None:
    assert Observation.of_pair("a", "b", gains, most=5).score == pytest.approx(share)


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="'x' has played no board"):
        refit([Observation("a", "b", 1)], anchor="x")
    with pytest.raises(ValueError, match=r"0\.\.1"):
        refit([Observation("a", "b", 3)])
    assert refit([]) == ()
