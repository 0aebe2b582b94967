"""Many deals at once: live views of the engine's memory, the same games from the same seed, nothing hidden shown."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from guandan_engine import deal as deals
from guandan_engine.board import side_of
from guandan_engine.cards import Hand, Rank
from guandan_engine.combos import Combo
from guandan_engine.conduct import action_of
from guandan_engine.errors import IllegalAction
from guandan_engine.kernel import State, position
from guandan_engine.plays import legal_plays
from guandan_engine.promotion import gain_of
from guandan_engine.rules import RuleSet, load, presets
from guandan_sdk.envs import GuandanEnv, VecEnv
from guandan_sdk.errors import InvalidInput
from guandan_sdk.observation import ACTIONS, describe, observe
from tests.witnesses import Moment, moments

ARRAYS = ("observations", "legal", "counts", "turn", "levels", "done", "points", "orders")


def random_choices(env: VecEnv, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(env.games) * env.counts).astype(np.int64)


def played(env: VecEnv, steps: int, seed: int = 0) -> bytes:
    """Everything that a random policy saw, as bytes."""
    rng = np.random.default_rng(seed)
    seen = bytearray()
    for _ in range(steps):
        env.step(random_choices(env, rng))
        listed = np.arange(env.legal.shape[1]) < env.counts[:, None]
        seen += b"".join(getattr(env, name).tobytes() for name in ARRAYS if name != "legal")
        seen += env.legal[listed].tobytes()
    return bytes(seen)


def test_arrays_are_made_once_live_and_not_writable() -> None:
    env = VecEnv(3, seed=1)
    before = {name: (getattr(env, name), getattr(env, name).copy()) for name in ARRAYS}
    env.step(np.zeros(3, np.int64))
    for name, (array, copy) in before.items():
        assert getattr(env, name) is array
        assert not array.flags.writeable
        assert array.base is not None  # a view of other memory
        assert array.shape == copy.shape
    seen, old = before["observations"]
    assert not np.array_equal(seen, old)


def test_the_same_seed_and_choices_give_the_same_games_and_another_seed_others() -> None:
    assert played(VecEnv(4, seed=7), 200) == played(VecEnv(4, seed=7), 200)
    assert played(VecEnv(4, seed=7), 5) != played(VecEnv(4, seed=8), 5)
    again = VecEnv(4, seed=8)
    played(again, 50)
    again.reset(7)
    assert played(again, 200) == played(VecEnv(4, seed=7), 200)


def test_the_source_of_the_kernel_gives_the_same_games_as_the_compiled_kernel() -> None:
    code = (
        "from guandan_engine import compiled\n"
        "from tests.unit.sdk.test_envs_vec import fingerprint\n"
        "print(compiled, fingerprint())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[3],
        env=os.environ | {"GUANDAN_PURE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == ["False", fingerprint()]


def fingerprint() -> str:
    return sha256(played(VecEnv(8, seed=4), 150)).hexdigest()


def test_a_game_does_not_depend_on_how_many_are_played_beside_it() -> None:
    few, many = VecEnv(2, seed=3), VecEnv(5, seed=3)
    for _ in range(300):
        assert np.array_equal(few.observations, many.observations[:2])
        few.step(few.counts - 1)
        many.step(many.counts - 1)


def test_a_step_that_ends_a_deal_tells_what_it_brought_and_shows_the_next_one() -> None:
    env, rng = VecEnv(8, seed=5), np.random.default_rng(5)
    ended = 0
    for _ in range(400):
        env.step(random_choices(env, rng))
        rewards = env.rewards()
        assert (rewards.sum(1) == 0).all()
        assert not rewards[env.done == 0].any()
        for game in np.flatnonzero(env.done):
            order = tuple(env.orders[game].tolist())
            gain = gain_of(order, env.rules)
            winners = [gain if side_of(seat) == side_of(order[0]) else -gain for seat in range(4)]
            assert rewards[game].tolist() == winners
            assert env.observations[game, :54].sum() == 27
            assert not env.observations[game, 54:108].any()
            ended += 1
    assert ended > 8


@pytest.mark.parametrize("name", presets())
def test_every_rule_set_is_played_as_the_engine_plays_it(name: str) -> None:
    env = VecEnv(2, rules=name, seed=11)
    rng = np.random.default_rng(11)
    for _ in range(150):
        for game in range(env.games):
            state = env.state(game)
            plays = legal_plays(state.hand(state.turn), state.to_beat, env.rules, state.level)
            passes = [None] if state.to_beat is not None else []
            assert [ACTIONS[n] for n in env.legal[game, : env.counts[game]]] == [*passes, *plays]
            assert bytes(env.observations[game]) == state.observe(state.turn)
            assert (env.turn[game], env.levels[game]) == (state.turn, state.level)
        env.step(random_choices(env, rng))


def test_the_mask_holds_the_legal_plays_and_no_others() -> None:
    env, rng = VecEnv(6, seed=2), np.random.default_rng(2)
    for _ in range(100):
        mask = env.mask()
        assert mask.shape == (6, env.actions)
        for game in range(6):
            assert np.flatnonzero(mask[game]).tolist() == sorted(env.legal[game, : env.counts[game]].tolist())
        env.step(random_choices(env, rng))
    assert env.mask() is mask


def test_a_play_can_be_named_by_its_number() -> None:
    by_place, by_number = VecEnv(4, seed=9), VecEnv(4, seed=9)
    rng = np.random.default_rng(9)
    for _ in range(100):
        choices = random_choices(by_place, rng)
        by_number.play(by_place.legal[np.arange(4), choices])
        by_place.step(choices)
        assert np.array_equal(by_place.observations, by_number.observations)


@pytest.mark.parametrize("choices", [[0, 0], [0, 0, 0, 0], [0, 0, 9999], [0, -1, 0]])
def test_a_choice_that_is_not_there_is_refused_and_nothing_is_laid(choices: list[int]) -> None:
    env = VecEnv(3, seed=1)
    before = env.observations.copy()
    with pytest.raises(IllegalAction) as refused:
        env.step(choices)
    assert refused.value.hint
    assert np.array_equal(env.observations, before)


@pytest.mark.parametrize("choices", [np.zeros(3), np.zeros((3, 1), np.int64)])
def test_choices_that_are_no_row_of_whole_numbers_are_refused(choices: np.ndarray) -> None:
    with pytest.raises(InvalidInput, match="shape") as refused:
        VecEnv(3).step(choices)
    assert refused.value.hint


def test_an_illegal_number_is_refused_and_nothing_is_laid() -> None:
    env = VecEnv(2, seed=1)
    before = env.observations.copy()
    with pytest.raises(IllegalAction):
        env.play(np.array([0, 0]))  # whoever leads may not pass
    assert np.array_equal(env.observations, before)


def test_a_level_is_fixed_or_drawn() -> None:
    assert set(VecEnv(20, level="T").levels.tolist()) == {Rank.TEN}
    assert set(VecEnv(20, level=Rank.ACE).levels.tolist()) == {Rank.ACE}
    assert len(set(VecEnv(60).levels.tolist())) > 6
    fixed = RuleSet(fixed_level=Rank.FIVE)
    assert set(VecEnv(20, rules=fixed).levels.tolist()) == {Rank.FIVE}


@pytest.mark.parametrize("wanted", [{"games": 0}, {"games": 4, "rules": "nowhere"}, {"games": 4, "level": "SB"}])
def test_what_cannot_be_played_is_refused_with_what_can(wanted: dict) -> None:
    with pytest.raises(InvalidInput) as refused:
        VecEnv(**wanted)
    assert refused.value.hint


def state_at(moment: Moment, hands: tuple[Hand, ...] | None = None) -> State:
    """The same position in the kernel, perhaps with other hands."""
    deal, trick = moment.deal, moment.deal.trick
    return position(
        hands or deal.hands,
        trick.turn,
        deal.level,
        deal_rules(moment),
        laid=Hand.of(moment.laid),
        to_beat=trick.combo,
        owner=trick.owner,
        passes=trick.passes,
        finished=trick.finished,
    )


def deal_rules(moment: Moment) -> RuleSet:
    return moment.witnesses[0].view.rules


@pytest.mark.parametrize("name", ["standard", "yangzhou", "canmou_tournament"])
def test_a_bot_at_a_table_and_an_environment_observe_the_same_bytes(name: str) -> None:
    """Along whole random games, for every seat, whether it is on turn or not."""
    rules = load(name)
    env = VecEnv(1, rules=rules)
    for number in range(3):
        for moment in moments(number.to_bytes(3, "big"), rules, random.Random(number)):
            env.load(0, state_at(moment))
            for seat, witness in enumerate(moment.witnesses):
                assert env.state(0).observe(seat) == observe(witness.view, witness.memory)
            turn = moment.witnesses[moment.deal.trick.turn]
            assert bytes(env.observations[0]) == observe(turn.view, turn.memory)
            assert [ACTIONS[n] for n in env.legal[0, : env.counts[0]]] == list(moment.options)


def shuffled(moment: Moment, seat: int, rng: random.Random) -> tuple[Hand, ...]:
    """Deal what the others hold to them in another way; the seat keeps its hand."""
    hands = moment.deal.hands
    hidden = [card for other in range(4) if other != seat for card in hands[other]]
    rng.shuffle(hidden)
    dealt = []
    for other, hand in enumerate(hands):
        dealt.append(hand if other == seat else Hand.of(hidden[: len(hand)]))
        hidden = hidden if other == seat else hidden[len(hand) :]
    return tuple(dealt)


def test_who_holds_the_hidden_cards_changes_no_observation() -> None:
    rules, rng = load("standard"), random.Random(4)
    env, four = VecEnv(1, rules=rules), GuandanEnv(rules=rules)
    four.reset(seed=1)
    changed = 0
    for number in range(3):
        for moment in moments(bytes([number]), rules, random.Random(number)):
            for seat in range(4):
                hands = shuffled(moment, seat, rng)
                changed += hands != moment.deal.hands
                env.load(0, state_at(moment))
                seen, legal = env.state(0).observe(seat), env.legal[0, : env.counts[0]].tolist()
                row = bytes(env.observations[0])
                own = shown(four, env.state(0), seat)
                env.load(0, state_at(moment, hands))
                assert env.state(0).observe(seat) == seen
                assert shown(four, env.state(0), seat) == own
                if seat == moment.deal.trick.turn:
                    assert bytes(env.observations[0]) == row == seen
                    assert env.legal[0, : env.counts[0]].tolist() == legal
    assert changed > 500


def shown(env: GuandanEnv, state: State, seat: int) -> tuple[bytes, bytes]:
    """What a PettingZoo agent is shown in this position: its observation and its mask."""
    env._episode._state = state
    seen = env.observe(f"seat_{seat}")
    return seen["observation"].tobytes(), seen["action_mask"].tobytes()


def test_a_game_of_the_environment_can_be_played_out_by_the_engine() -> None:
    """The same plays lead to the same hands and the same end, card by card."""
    env, rng = VecEnv(1, seed=6), np.random.default_rng(6)
    state = env.state(0)
    hands = tuple(state.hand(seat) for seat in range(4))
    deal = from_hands(hands, state)
    while not deal.ended:
        assert tuple(env.state(0).hand(seat) for seat in range(4)) == deal.hands
        choice = random_choices(env, rng)
        play: Combo | None = ACTIONS[env.legal[0, choice[0]]]
        turn = deal.trick.turn
        assert turn == env.turn[0]
        deal, _ = deals.apply(deal, turn, action_of(play, deal.hands[turn], deal.level), env.rules)
        env.step(choice)
    assert env.done[0]
    assert deal.result is not None
    assert tuple(env.orders[0].tolist()) == deal.result.order
    assert env.points[0] == (deal.result.gain if deal.result.side == 0 else -deal.result.gain)


def from_hands(hands: tuple[Hand, ...], state: State) -> deals.Deal:
    from guandan_engine.board import Board
    from tests.witnesses import started

    a, b, c, d = hands
    return started(Board((a, b, c, d), state.level, state.turn), state.rules)[0]


def test_a_deal_that_is_over_is_described_without_a_seat_on_turn() -> None:
    env, rng = VecEnv(1, seed=12), np.random.default_rng(12)
    while True:
        state = env.state(0)
        choice = random_choices(env, rng)
        state.apply(int(env.legal[0, choice[0]]))
        if state.over:
            break
        env.step(choice)
    for seat in range(4):
        row = describe(
            seat,
            hand=state.hand(seat),
            laid=state.laid,
            counts=state.counts,
            finished=state.finished,
            level=state.level,
            to_beat=state.to_beat,
            owner=state.owner,
            passes=state.passes,
            turn=None,
        )
        assert state.observe(seat) == row
