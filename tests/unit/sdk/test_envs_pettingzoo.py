"""The PettingZoo environments keep PettingZoo's contract and Guandan's."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test

from guandan_engine.errors import IllegalAction
from guandan_sdk.envs import GuandanEnv, ParallelGuandanEnv
from guandan_sdk.observation import ACTIONS, COUNTS, HAND, KIND, TURN

# PettingZoo's test asks of every environment whose name it does not know why its observations are dictionaries.
DICTIONARIES = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array", "ignore:Observation space for each agent probably should be"
)


@DICTIONARIES
@pytest.mark.parametrize("rules", ["standard", "yangzhou"])
def test_pettingzoo_accepts_the_turn_by_turn_environment(rules: str) -> None:
    api_test(GuandanEnv(rules=rules, render_mode="ansi"), num_cycles=300)


@pytest.mark.parametrize("rules", ["standard", "yangzhou"])
def test_pettingzoo_accepts_the_parallel_environment(rules: str) -> None:
    parallel_api_test(ParallelGuandanEnv(rules=rules), num_cycles=300)


def test_pettingzoo_finds_the_same_games_from_the_same_seed() -> None:
    seed_test(GuandanEnv, num_cycles=60)


def any_legal(seen: dict, rng: random.Random) -> int:
    return rng.choice(np.flatnonzero(seen["action_mask"]).tolist())


def test_an_episode_is_one_deal_and_its_rewards_add_up_to_nothing() -> None:
    env, rng = GuandanEnv(), random.Random(1)
    for seed in range(5):
        env.reset(seed=seed)
        total = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            seen, reward, ended, cut_short, _ = env.last()
            total[agent] += reward
            assert not cut_short
            env.step(None if ended else any_legal(seen, rng))
        assert total["seat_0"] == total["seat_2"] == -total["seat_1"] == -total["seat_3"]
        assert abs(total["seat_0"]) in (1, 2, 3)


def test_both_environments_play_the_same_deal_from_the_same_seed() -> None:
    turns, together, rng = GuandanEnv(), ParallelGuandanEnv(), random.Random(2)
    turns.reset(seed=3)
    seen, _ = together.reset(seed=3)
    while together.agents:
        agent = turns.agent_selection
        own = turns.observe(agent)
        assert all(np.array_equal(own[key], seen[agent][key]) for key in own)
        action = any_legal(own, rng)
        turns.step(action)
        seen, rewards, ended, _, _ = together.step({agent: action})
        assert rewards == turns.rewards
        assert ended == turns.terminations


def test_without_a_seed_another_deal_follows_and_with_one_the_same() -> None:
    env = GuandanEnv()

    def hands(seed: int | None) -> bytes:
        env.reset(seed=seed)
        return b"".join(env.observe(agent)["observation"].tobytes() for agent in env.agents)

    first, second, third = hands(5), hands(None), hands(None)
    assert len({first, second, third}) == 3
    assert (hands(5), hands(None)) == (first, second)
    assert hands(None) == third


def test_a_seat_that_waits_may_only_wait_and_sees_who_is_on_turn() -> None:
    env = ParallelGuandanEnv()
    seen, _ = env.reset(seed=1)
    (turn,) = [seat for seat in range(4) if seen[f"seat_{seat}"]["observation"][TURN] == 0]
    for seat in range(4):
        mask = seen[f"seat_{seat}"]["action_mask"]
        assert seen[f"seat_{seat}"]["observation"][TURN] == (turn - seat) % 4
        assert (np.flatnonzero(mask).tolist() == [0]) == (seat != turn)


def test_what_a_waiting_seat_sends_is_not_looked_at() -> None:
    alone, crowded, rng = ParallelGuandanEnv(), ParallelGuandanEnv(), random.Random(3)
    seen, _ = alone.reset(seed=4)
    crowded.reset(seed=4)
    for _ in range(60):
        (agent,) = [agent for agent in alone.agents if seen[agent]["observation"][TURN] == 0]
        action = any_legal(seen[agent], rng)
        noise = {other: rng.randrange(len(ACTIONS)) for other in alone.agents}
        seen, *_ = alone.step({agent: action})
        other_seen, *_ = crowded.step(noise | {agent: action})
        assert all(np.array_equal(seen[a]["observation"], other_seen[a]["observation"]) for a in seen)
        if not alone.agents:
            break


@pytest.mark.parametrize("action", [0, -1, 10**6, 1.0, None])
def test_an_illegal_action_is_refused_with_a_reason_and_nothing_is_laid(action: object) -> None:
    env = GuandanEnv()
    env.reset(seed=1)
    agent, before = env.agent_selection, env.observe(env.agent_selection)
    with pytest.raises(IllegalAction) as refused:
        env.step(action)
    assert refused.value.reason
    assert refused.value.hint
    assert env.agent_selection == agent
    assert np.array_equal(env.observe(agent)["observation"], before["observation"])


def test_before_the_first_reset_there_is_nothing_to_play() -> None:
    with pytest.raises(IllegalAction, match="no cards"):
        ParallelGuandanEnv().step({"seat_0": 1})


def test_the_observations_of_an_ended_deal_show_how_it_ended() -> None:
    env, rng = ParallelGuandanEnv(), random.Random(5)
    seen, _ = env.reset(seed=6)
    while env.agents:
        (agent,) = [agent for agent in env.agents if np.flatnonzero(seen[agent]["action_mask"]).tolist() != [0]] or [
            agent for agent in env.agents if seen[agent]["observation"][TURN] == 0
        ]
        seen, rewards, *_ = env.step({agent: any_legal(seen[agent], rng)})
    for own in seen.values():
        row = own["observation"]
        assert row[HAND].sum() == row[COUNTS][0]
        assert np.flatnonzero(own["action_mask"]).tolist() == [0]
    assert sorted(set(rewards.values())) != [0.0]


def test_the_table_can_be_shown_with_all_hands_open() -> None:
    env = GuandanEnv(level="2", render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    assert text.startswith("level 2\n")
    assert [len(line.split(": ")[1].split()) for line in text.splitlines()[1:]] == [27] * 4
    assert [line[0] for line in text.splitlines()[1:]].index(">") == int(env.agent_selection[-1])
    seen, *_ = env.last()
    env.step(int(np.flatnonzero(seen["action_mask"])[0]))
    assert "to beat" in env.render()
    assert env.observe(env.agent_selection)["observation"][KIND] > 0
    assert GuandanEnv().render() is None


def test_the_sdk_without_the_environments_needs_neither_numpy_nor_pettingzoo() -> None:
    code = (
        "import sys, guandan_sdk, guandan_sdk.observation, guandan_sdk.local, guandan_sdk.client, guandan_sdk.cli.app\n"
        "print({'numpy', 'pettingzoo', 'gymnasium'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "set()"


def test_environments_say_what_to_install_where_it_is_missing() -> None:
    code = """
import sys
for missing in ("gymnasium", "pettingzoo", "numpy"):
    sys.modules[missing] = None
    try:
        import guandan_sdk.envs
    except ModuleNotFoundError as error:
        print(error)
    del sys.modules[missing]
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    hint = "is not installed, and environments need it: pip install 'guandan-sdk[envs]'"
    assert done.stdout.splitlines() == [f"{missing} {hint}" for missing in ("gymnasium", "pettingzoo", "numpy")]


def test_the_examples_of_the_page_run() -> None:
    page = (Path(__file__).parents[3] / "docs" / "howto" / "train.md").read_text("utf-8")
    examples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        exec(compile(example, "train.md", "exec"), {})
