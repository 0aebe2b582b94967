"""Reference bots and local tables: reproducible, fair, and each clearly better than the one before."""

from __future__ import annotations

import pytest

from guandan_engine import replay
from guandan_engine.rules import load
from guandan_sdk.interval import estimate
from guandan_sdk.loading import find_bot
from guandan_sdk.local import Pair, Series, play_boards, play_pair, play_pairs, replay_of

RULES = load("standard")


def series(a: str, b: str, *, seed: int = 7, classic: bool = False) -> Series:
    return Series(a=find_bot(a), b=find_bot(b), rules=RULES, seed=seed, classic=classic)


def events(pair: Pair) -> list[object]:
    return [record.event for game in pair.games for record in game.records]


@pytest.mark.parametrize("name", ["random", "greedy", "planner"])
def test_the_same_seed_gives_the_same_plays(name: str) -> None:
    first, second = (play_pair(series(name, "random"), 1) for _ in range(2))
    assert events(first) == events(second)


def test_another_seed_gives_other_cards_and_another_chance() -> None:
    assert events(play_pair(series("random", "random"), 1)) != events(play_pair(series("random", "random", seed=8), 1))


def test_random_bots_in_different_seats_have_different_chance() -> None:
    pair = play_pair(series("random", "random"), 1)
    assert events(pair)[: len(pair.games[0].records)] != events(pair)[len(pair.games[0].records) :]


@pytest.mark.parametrize(("name", "boards"), [("greedy", 200), ("planner", 3)])
def test_a_deterministic_bot_nets_exactly_nothing_against_its_copy(name: str, boards: int) -> None:
    pairs = play_boards(name, name, boards=boards, seed=3)
    assert all(pair.mean == 0 for pair in pairs)


@pytest.mark.parametrize(("better", "worse", "boards"), [("greedy", "random", 40), ("planner", "greedy", 25)])
def test_better_bots_win(better: str, worse: str, boards: int) -> None:
    pairs = play_boards(better, worse, boards=boards, seed=11)
    assert estimate([pair.mean for pair in pairs]).low > 0
    assert not any(game.evidence for pair in pairs for game in pair.games)


def test_a_board_is_the_same_cards_both_ways_with_partnerships_swapped() -> None:
    first, second = play_pair(series("greedy", "random"), 4).games
    assert first.records[0].event == second.records[0].event


def test_processes_do_not_change_the_outcome() -> None:
    alone, shared = (list(play_pairs(series("greedy", "random"), 3, jobs=jobs)) for jobs in (1, 2))
    assert [events(pair) for pair in alone] == [events(pair) for pair in shared]


@pytest.mark.parametrize("classic", [False, True])
def test_replays_of_local_tables_verify_with_their_shuffle(classic: bool) -> None:
    chosen = series("planner", "greedy", classic=classic)
    pair = play_pair(chosen, 2)
    for way, game in enumerate(pair.games):
        data = replay_of(chosen, 2, way, game)
        read = replay.verify(data)
        assert read.records == game.records
        assert len(read.secrets) == sum(type(record.event).__name__ == "DealStarted" for record in game.records)


def test_an_interval_of_one_board_is_unknown_and_of_many_shrinks() -> None:
    assert estimate([1.0]).margin == float("inf")
    assert estimate([1.0, 2.0]).margin == pytest.approx(12.706 * 0.5, rel=1e-3)
    assert estimate([0.0, 1.0] * 5).margin == pytest.approx(2.262 * 0.527 / 10**0.5, rel=2e-3)
