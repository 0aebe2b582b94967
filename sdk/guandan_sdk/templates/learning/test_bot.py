"""What is learned with NumPy is what the bot plays without it."""

from pathlib import Path

import numpy as np
import train

from guandan_sdk.loading import find_bot
from guandan_sdk.local import play_boards

HERE = Path(__file__).parent


def test_the_bot_values_plays_as_training_does() -> None:
    """Many positions, with weights that are not trained."""
    env = train.VecEnv(8, seed=3)
    learner = train.Learner(env, seed=3)
    bot = find_bot(str(HERE)).make()
    bot.take({name: weights.tolist() for name, weights in learner.net.weights.items()})
    for _ in range(60):
        places = np.arange(env.counts.max()) < env.counts[:, None]
        values = learner.values(places)
        for game, count in enumerate(env.counts):
            numbers = env.legal[game, :count].tolist()
            assert np.allclose(bot.values(bytes(env.observations[game]), numbers), values[game, :count], atol=1e-4)
        env.step(learner.choose(1.0))


def test_a_bot_that_learned_for_a_moment_plays_without_faults() -> None:
    """Two boards, both ways round, with whatever weights there are."""
    weights = HERE / "weights.json"
    if not weights.exists():
        train.save(train.train(rules="standard", seed=1, games=32, minutes=1, rounds=1).net, weights)
    for pair in play_boards(str(HERE), "random", boards=2, seed=1):
        for game in pair.games:
            assert not game.evidence
