"""How long pairing a round of 1,000 entrants takes: the slowest of nine rounds."""

from __future__ import annotations

import random
from time import perf_counter

from guandan_arena.tournaments import Entrant, Result, next_round

LIMIT_S = 2.0
ENTRANTS, ROUNDS = 1_000, 9


def records(*, entrants: int = ENTRANTS, rounds: int = ROUNDS) -> list[dict[str, object]]:
    seconds = slowest_round(entrants, rounds=rounds)
    return [{"name": "pair_1000", "value": seconds, "unit": "seconds", "baseline": LIMIT_S, "ratio": seconds / LIMIT_S}]


def slowest_round(size: int, *, rounds: int) -> float:
    rng = random.Random(1)
    entrants = [Entrant(str(i), rating=1_500_000 - i) for i in range(size)]
    history: list[Result] = []
    slowest = 0.0
    for number in range(1, rounds + 1):
        began = perf_counter()
        paired = next_round(entrants, history, number, 7)
        slowest = max(slowest, perf_counter() - began)
        history += [Result.played(number, p.a, p.b, rng.choice((-1, 1))) for p in paired.pairs]
        history += [Result.bye(number, entrant) for entrant in paired.byes]
    return slowest


if __name__ == "__main__":
    print(records())
