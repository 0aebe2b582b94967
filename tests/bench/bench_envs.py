"""How many plays a second ``VecEnv`` takes with a random policy in NumPy; deals begin again by themselves.

Processor time of one core, the best of some rounds. The baseline is the same source uncompiled, in a process of its
own; where the kernel is not compiled here both are the same.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from time import process_time

import numpy as np

from guandan_sdk.envs import VecEnv

GAMES = 256
WARM_STEPS = 50
ROUND_S = 0.5
ROUNDS = 5
ONE = "--one"


def records(*, round_s: float = ROUND_S) -> list[dict[str, object]]:
    """Return the rate as installed, and uncompiled."""
    fast, pure = plays_a_second(round_s), uncompiled(round_s)
    return [
        {"name": "vecenv_256", "value": fast, "unit": "plays/s", "baseline": pure, "ratio": fast / pure},
        {"name": "vecenv_256_pure", "value": pure, "unit": "plays/s"},
    ]


def plays_a_second(round_s: float) -> float:
    """Play at random for some rounds; the best one counts."""
    env, rng = VecEnv(GAMES, seed=1), np.random.default_rng(1)

    def step() -> None:
        env.step((rng.random(GAMES) * env.counts).astype(np.int64))

    for _ in range(WARM_STEPS):
        step()
    return max(_round(step, round_s) for _ in range(ROUNDS))


def _round(step: Callable[[], None], round_s: float) -> float:
    began, steps = process_time(), 0
    while (took := process_time() - began) < round_s:
        step()
        steps += 1
    return steps * GAMES / took


def uncompiled(round_s: float) -> float:
    """Measure in a process where the source of the kernel runs."""
    command = [sys.executable, __file__, ONE, str(round_s)]
    done = subprocess.run(
        command, env={**os.environ, "GUANDAN_PURE": "1"}, stdout=subprocess.PIPE, text=True, check=True
    )
    return float(done.stdout)


if __name__ == "__main__":
    print(plays_a_second(float(sys.argv[2])) if sys.argv[1:2] == [ONE] else records())
