"""Many deals at once: every row shows what the seat on turn knows and may do, and goes as a state goes."""

from __future__ import annotations

import random

import pytest

from guandan_engine.cards import Rank
from guandan_engine.errors import EngineError, IllegalAction
from guandan_engine.kernel import LEGAL, ROW_BYTES, Batch, random_state
from guandan_engine.rules import load

RULES = load("standard")
GAMES = 5


def row(batch: Batch, game: int) -> bytes:
    return bytes(memoryview(batch.obs).cast("B")[ROW_BYTES * game : ROW_BYTES * (game + 1)])


def legal(batch: Batch, game: int) -> list[int]:
    return list(batch.legal[LEGAL * game : LEGAL * game + batch.cnt[game]])


@pytest.mark.parametrize("name", ["standard", "digest_004", "anhui_jianzhu_2017"])
def test_rows_show_what_states_show_while_deals_end_and_begin(name: str) -> None:
    rules, rng = load(name), random.Random(name)
    batch = Batch(GAMES, rules)
    batch.reset(9)
    states = [batch.state(game) for game in range(GAMES)]
    ended = 0
    for _ in range(400):
        for game, state in enumerate(states):
            assert row(batch, game) == state.observe(state.turn)
            assert legal(batch, game) == state.legal_actions()
            assert (batch.turn[game], batch.level[game]) == (state.turn, state.level)
        chosen = [rng.randrange(count) for count in batch.cnt]
        acts = [legal(batch, game)[which] for game, which in enumerate(chosen)]
        batch.step(chosen)
        for game, state in enumerate(states):
            state.apply(acts[game])
            assert batch.done[game] == state.over
            assert batch.reward[game] == state.points[0] - state.points[1]
            if state.over:
                ended += 1
                assert tuple(batch.order[4 * game : 4 * game + 4]) == state.order
                states[game] = batch.state(game)
                assert states[game].counts == (27, 27, 27, 27)
    assert ended > GAMES


def play(batch: Batch, steps: int) -> list[bytes]:
    """The rows of the first game, step by step, always laying the last play."""
    rows = []
    for _ in range(steps):
        rows.append(row(batch, 0))
        batch.step([count - 1 for count in batch.cnt])
    return rows


def test_the_deals_of_a_game_follow_from_seed_and_number_alone() -> None:
    one, many = Batch(1, RULES), Batch(GAMES, RULES)
    one.reset(4)
    many.reset(4)
    rows = play(one, 300)
    assert rows == play(many, 300)
    assert sum(number[108:112] == bytes([27] * 4) for number in rows) > 1
    one.reset(5)
    assert play(one, 3) != rows[:3]
    many.reset(4)
    assert play(many, 50) == rows[:50]


def test_a_level_may_be_given() -> None:
    batch = Batch(GAMES, RULES, level=Rank.NINE)
    play(batch, 300)
    assert set(batch.level) == {Rank.NINE}


@pytest.mark.parametrize("wrong", [[0] * 4, [0] * 6, [], [0, 0, 0, 0, -1], [0, 0, 0, 0, 1024], [10**30, 0, 0, 0, 0]])
def test_a_wrong_choice_is_refused_before_anything_is_done(wrong: list[int]) -> None:
    batch = Batch(GAMES, RULES)
    before = [list(batch.words), bytes(memoryview(batch.obs))]
    with pytest.raises(IllegalAction):
        batch.step(wrong)
    assert [list(batch.words), bytes(memoryview(batch.obs))] == before


def test_a_position_can_take_a_games_place() -> None:
    batch = Batch(GAMES, RULES)
    state = random_state(77, RULES, level=Rank.FIVE)
    state.play(state.legal()[3])
    batch.load(2, state)
    assert list(batch.state(2).words)[:101] == list(state.words)[:101]
    assert row(batch, 2) == state.observe(state.turn)
    assert legal(batch, 2) == state.legal_actions()


@pytest.mark.parametrize("game", [-1, GAMES, 10**30])
def test_there_is_no_such_game(game: int) -> None:
    batch = Batch(GAMES, RULES)
    with pytest.raises(EngineError):
        batch.state(game)
    with pytest.raises(EngineError):
        batch.load(game, random_state(1, RULES))


def test_a_position_of_other_rules_is_not_taken() -> None:
    with pytest.raises(EngineError):
        Batch(1, RULES).load(0, random_state(1, load("digest_004")))


@pytest.mark.parametrize("games", [0, -1, 65_537, 10**30])
def test_so_many_games_are_refused(games: int) -> None:
    with pytest.raises(EngineError):
        Batch(games, RULES)


@pytest.mark.parametrize("seat", [-1, 4, 10**30])
def test_nobody_sits_there_to_observe(seat: int) -> None:
    with pytest.raises(EngineError):
        random_state(1, RULES).observe(seat)
