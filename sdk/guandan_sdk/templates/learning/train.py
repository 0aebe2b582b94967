"""Learn the weights of ``bot.py`` by playing against itself, with NumPy: python train.py --minutes 4.

Monte-Carlo learning: every play is valued by what the deal brought its side in the end. All four seats use the same
weights; now and then one plays any legal play, so that others are tried as well.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import features as of
import numpy as np

from guandan_sdk.envs import VecEnv
from guandan_sdk.observation import COUNTS, HAND, KIND, LAID, LEVEL, OWNER, PASSES, RANK, action_count

Array = np.ndarray[Any, Any]
HIDDEN = 64
STEPS = 400  # of all games between two rounds of learning
BATCH = 2048
RATE = 1e-3
WORST = 3  # points of a deal: values are points over this


class Tables:
    """The features of all plays at all levels as arrays."""

    def __init__(self, actions: int) -> None:
        self.needs = np.zeros((actions, 13, of.KEYS), np.int8)
        self.rows = np.zeros((actions, 13, 3), np.int32)
        self.taken = np.array([of.taken(number) for number in range(actions)], np.int32)
        for number in range(actions):
            for level in range(13):
                self.rows[number, level] = of.play_rows(number, level)
                for key, count in of.needs(number, level):
                    self.needs[number, level, key] = count


def by_key(faces: Array, level: Array) -> tuple[Array, Array]:
    """As ``features.by_key``, for many observations at once."""
    every = np.arange(len(faces))
    counts = np.zeros((len(faces), of.KEYS), np.int8)
    counts[:, :13] = faces[:, :52].reshape(-1, 13, 4).sum(2, dtype=np.int8)
    counts[:, 14:] = faces[:, 52:]
    wilds = faces[every, level * 4 + 1].astype(np.int32)
    counts[:, 13] = counts[every, level] - wilds
    counts[every, level] = 0
    return counts, wilds


def state_rows(seen: Array) -> Array:
    """As ``features.state_rows``, for many observations at once."""
    wide = seen.astype(np.int32)
    level, rank = wide[:, LEVEL], wide[:, RANK] - 1
    unseen, wilds = by_key(2 - seen[:, HAND] - seen[:, LAID], level)
    unseen[np.arange(len(seen)), level] = wilds
    key = np.where(rank < 0, 0, np.where(rank == level, 13, rank + (rank > 12)))
    columns = [of.UNSEEN + np.arange(of.KEYS) * 9 + unseen, of.OTHERS + np.arange(3) * 28 + wide[:, COUNTS][:, 1:]]
    to_beat = of.TO_BEAT + wide[:, OWNER] * 11 + wide[:, KIND]
    return np.column_stack([*columns, to_beat, of.TO_BEAT_KEY + key, of.PASSED + wide[:, PASSES]])


class Net:
    """One table of rows, summed, one hidden layer, one value; and how to learn it (Adam)."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.weights = {
            "rows": rng.normal(0, 0.1, (of.ROWS, HIDDEN)).astype(np.float32),
            "bias": np.zeros(HIDDEN, np.float32),
            "output": rng.normal(0, 0.1, HIDDEN).astype(np.float32),
            "offset": np.zeros(1, np.float32),
        }
        self.moments = {name: (np.zeros_like(w), np.zeros_like(w)) for name, w in self.weights.items()}
        self.updates = 0
        self.rate = RATE

    def values(self, kept: Array, others: Array) -> Array:
        """Value plays from the hand that each keeps and the sum of its other rows."""
        hidden = np.maximum(kept @ self.weights["rows"][: of.KEPT_CARDS] + others + self.weights["bias"], 0)
        return hidden @ self.weights["output"] + self.weights["offset"]

    def learn(self, chosen: Array, wanted: Array) -> float:
        """Take one step towards what deals brought; ``chosen`` is 1 for each row of a play. Return the error before."""
        hidden = np.maximum(chosen @ self.weights["rows"] + self.weights["bias"], 0)
        error = hidden @ self.weights["output"] + self.weights["offset"] - wanted
        slope = error / len(wanted)
        inner = np.outer(slope, self.weights["output"]) * (hidden > 0)
        outer = {"output": slope @ hidden, "offset": slope.sum(keepdims=True)}
        self.step({"rows": chosen.T @ inner, "bias": inner.sum(0), **outer})
        return float(np.square(error).mean())

    def step(self, slopes: dict[str, Array]) -> None:
        """Move every weight against its slope, as far as Adam says."""
        self.updates += 1
        for name, slope in slopes.items():
            first, second = self.moments[name]
            first += 0.1 * (slope - first)
            second += 0.001 * (slope * slope - second)
            scale = np.sqrt(1 - 0.999**self.updates) / (1 - 0.9**self.updates)
            self.weights[name] -= self.rate * scale * first / (np.sqrt(second) + 1e-8)


class Learner:
    """Plays many games at once with one net, remembers what was played, and learns from it."""

    def __init__(self, env: VecEnv, seed: int) -> None:
        self.env, self.rng = env, np.random.default_rng(seed)
        self.net = Net(self.rng)
        self.tables = Tables(action_count(env.rules))

    def features(self, seen: Array, numbers: Array, game: Array) -> tuple[Array, Array]:
        """Return the kept hand of each play as zeros and ones, and its rows but for those of the state."""
        level = seen[:, LEVEL].astype(np.int32)
        held, wilds = by_key(seen[:, HAND], level)
        left = np.maximum(held[game] - self.tables.needs[numbers, level[game]], 0)
        kept = np.empty((len(numbers), of.KEPT_CARDS), np.float32)
        kept[:, : of.KEPT_WILDS] = (left[:, :, None] > np.arange(of.MOST)).reshape(len(numbers), -1)
        wilds_left = wilds[game] - self.tables.taken[numbers, 1]
        kept[:, of.KEPT_WILDS :] = wilds_left[:, None] > np.arange(2)
        cards = of.KEPT_CARDS + seen[game, COUNTS.start].astype(np.int32) - self.tables.taken[numbers, 0]
        return kept, np.column_stack([cards, self.tables.rows[numbers, level[game]]])

    def values(self, places: Array) -> Array:
        """Value every play of every game that is at one of these places of its list; the rest is worth -inf."""
        env, rows = self.env, self.net.weights["rows"]
        game = np.repeat(np.arange(env.games), env.counts)
        kept, own = self.features(env.observations, env.legal[:, : places.shape[1]][places], game)
        others = rows[own].sum(1) + rows[state_rows(env.observations)].sum(1)[game]
        table = np.full(places.shape, -np.inf, np.float32)
        table[places] = self.net.values(kept, others)
        return table

    def choose(self, chance: float) -> Array:
        """Return for each game the place of the best play in its list, or of any with this chance."""
        env = self.env
        best = self.values(np.arange(env.counts.max()) < env.counts[:, None]).argmax(1)
        anything = (self.rng.random(env.games) * env.counts).astype(np.int64)
        return np.where(self.rng.random(env.games) < chance, anything, best)

    def play(self, steps: int, chance: float) -> tuple[Array, Array, Array]:
        """Play on; return observations, plays and what they brought, as far as their deals have ended."""
        env, every = self.env, np.arange(self.env.games)
        seen = np.empty((steps, env.games, env.observations.shape[1]), np.uint8)
        numbers, sides = np.empty((steps, env.games), np.int32), np.empty((steps, env.games), np.int8)
        points, done = np.empty((steps, env.games), np.int8), np.empty((steps, env.games), bool)
        for t in range(steps):
            choice = self.choose(chance)
            seen[t], numbers[t], sides[t] = env.observations, env.legal[every, choice], env.turn % 2
            env.step(choice)
            points[t], done[t] = env.points, env.done
        brought, ended = np.zeros(env.games, np.float32), np.zeros(env.games, bool)
        wanted, known = np.empty((steps, env.games), np.float32), np.empty((steps, env.games), bool)
        for t in reversed(range(steps)):
            brought = np.where(done[t], points[t], brought)
            ended = ended | done[t]
            wanted[t], known[t] = brought * (1 - 2 * sides[t]) / WORST, ended
        return seen[known], numbers[known], wanted[known]

    def learn(self, seen: Array, numbers: Array, wanted: Array) -> float:
        """Go once through what was played, in any order; return the mean squared error."""
        order, errors = self.rng.permutation(len(wanted)), []
        for batch in np.array_split(order, max(1, len(order) // BATCH)):
            every = np.arange(len(batch))
            kept, own = self.features(seen[batch], numbers[batch], every)
            chosen = np.zeros((len(batch), of.ROWS), np.float32)
            chosen[:, : of.KEPT_CARDS] = kept
            chosen[every[:, None], np.column_stack([own, state_rows(seen[batch])])] = 1
            errors.append(self.net.learn(chosen, wanted[batch]))
        return float(np.mean(errors))


def train(*, rules: str, seed: int, games: int, minutes: float, rounds: int = 0) -> Learner:
    """Play and learn for so many rounds, or for so many minutes when no rounds are given.

    In the first half any play is tried more and more seldom instead of the best one; steps get smaller all the time.
    """
    learner = Learner(VecEnv(games, rules=rules, seed=seed), seed)
    number, began = 0, time.monotonic()
    while (done := number / rounds if rounds else (time.monotonic() - began) / (60 * minutes)) < 1:
        number += 1
        learner.net.rate = RATE * (1 - 0.9 * done)
        error = learner.learn(*learner.play(STEPS, 0.02 + 0.18 * max(0.0, 1 - 2 * done)))
        print(f"round {number}, {100 * done:.0f} %: mean squared error {error:.4f}", flush=True)
    return learner


def save(net: Net, path: Path) -> None:
    """Write the weights as ``bot.py`` reads them."""
    rounded = {name: np.round(weights.astype(float), 4).tolist() for name, weights in net.weights.items()}
    path.write_text(json.dumps(rounded), "utf-8")


def main() -> None:
    """Read the options, learn, and write weights.json beside this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--minutes", type=float, default=4.0, help="how long to learn")
    parser.add_argument("--rounds", type=int, default=0, help="how often to learn, whatever time it takes; 0: by time")
    parser.add_argument("--games", type=int, default=256, help="deals played side by side")
    parser.add_argument("--rules", default="standard", help="rule set")
    parser.add_argument("--seed", type=int, default=1, help="same seed and rounds, same weights")
    learner = train(**vars(parser.parse_args()))
    save(learner.net, Path(__file__).with_name("weights.json"))


if __name__ == "__main__":
    main()
