"""How fast the engine of this process is, compiled or not: hands whose plays are listed, deals played at random.

python -m tests.bench.engine_rates [HANDS ROUND_S]      prints a JSON object of rates a second of processor time; set
                                                        GUANDAN_PURE=1 to measure the source
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from time import process_time

from guandan_engine import compiled
from guandan_engine.cards import DECK, Hand, Rank
from guandan_engine.combos import Combo
from guandan_engine.kernel import playouts, random_state
from guandan_engine.plays import legal_plays
from guandan_engine.rules import load

RULES = load("standard")
HANDS = 1_000
DEALS = 20  # different ones; each is played from its start again and again
ROUND_S = 0.25
ROUNDS = 4


def main(hands: int, round_s: float) -> None:
    leads = some_leads(hands)
    follows = some_follows(leads)
    starts = [random_state(seed, RULES) for seed in range(DEALS)]

    def lead() -> None:
        for hand, level in leads:
            legal_plays(hand, None, RULES, level)

    def follow() -> None:
        for hand, level, to_beat in follows:
            legal_plays(hand, to_beat, RULES, level)

    def deals() -> None:
        for start in starts:
            playouts(start, 1, 1)

    found = {
        "legal_lead": hands * best(lead, round_s),
        "legal_follow": hands * best(follow, round_s),
        "random_deals": DEALS * best(deals, round_s),
    }
    print(json.dumps({"compiled": compiled, **found}))


def best(work: Callable[[], object], round_s: float) -> float:
    """How often a second the work is done, in the best round."""
    work()
    return max(_round(work, round_s) for _ in range(ROUNDS))


def _round(work: Callable[[], object], round_s: float) -> float:
    began, times = process_time(), 0
    while (took := process_time() - began) < round_s:
        work()
        times += 1
    return times / took


def some_leads(hands: int) -> list[tuple[Hand, Rank]]:
    """Hands of 27 cards at levels in turn, the same in every run."""
    rng = random.Random("bench_engine")
    return [(Hand.of(rng.sample(DECK, 27)), Rank(i % 13)) for i in range(hands)]


def some_follows(leads: list[tuple[Hand, Rank]]) -> list[tuple[Hand, Rank, Combo]]:
    """Each hand with a play of the next hand to beat."""
    rng = random.Random("bench_engine follow")
    others = [rng.choice(legal_plays(hand, None, RULES, level)) for hand, level in leads]
    return [(hand, level, others[(i + 13) % len(leads)]) for i, (hand, level) in enumerate(leads)]


if __name__ == "__main__":
    sizes = sys.argv[1:] or (HANDS, ROUND_S)
    main(int(sizes[0]), float(sizes[1]))
