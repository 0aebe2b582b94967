"""How many deals of uniformly random plays a second the rules take, every action judged as at a table.

The baseline is the figure the engine must keep when it is not compiled.
"""

from __future__ import annotations

import random
from time import process_time

from guandan_engine import deal as deals
from guandan_engine import shuffle
from guandan_engine.cards import Rank
from guandan_engine.conduct import action_of
from guandan_engine.rules import load

DEALS = 300
BASELINE = 150.0


def records() -> list[dict[str, object]]:
    """Return the one record of this bench."""
    rng, rules = random.Random(1), load("standard")
    hands = [shuffle.shuffle(n.to_bytes(2, "big")) for n in range(DEALS)]
    began = process_time()
    for n, dealt in enumerate(hands):
        deal, _ = deals.start(dealt, Rank(n % 13), rules)
        while not deal.ended:
            (question,) = deals.questions(deal, rules)
            action = action_of(rng.choice(question.options), deal.hands[question.seat], deal.level)
            deal, _ = deals.apply(deal, question.seat, action, rules)
    rate = DEALS / (process_time() - began)
    return [
        {"name": "random_deals", "value": rate, "unit": "per second", "baseline": BASELINE, "ratio": rate / BASELINE}
    ]


if __name__ == "__main__":
    print(records())
