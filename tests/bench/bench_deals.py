"""How many deals of uniformly random plays a second the rules take, every action judged as at a table.

The baseline is what listing the legal plays of the same positions alone would allow.
"""

from __future__ import annotations

import random
from time import process_time

from guandan_engine import deal as deals
from guandan_engine import shuffle
from guandan_engine.cards import Rank
from guandan_engine.conduct import action_of
from guandan_engine.dealing import Dealt
from guandan_engine.plays import legal_plays
from guandan_engine.rules import load

DEALS = 300


def records(*, count: int = DEALS) -> list[dict[str, object]]:
    """Return the one record of this bench."""
    rules, positions = load("standard"), []
    hands = [shuffle.shuffle(n.to_bytes(2, "big")) for n in range(count)]
    rng, began = random.Random(1), process_time()
    for n, dealt in enumerate(hands):
        deal, _ = deals.start(Dealt(dealt), Rank(n % 13), rules)
        while not deal.ended:
            (question,) = deals.questions(deal, rules)
            positions.append((deal.hands[question.seat], deal.trick.combo, deal.level))
            action = action_of(rng.choice(question.options), deal.hands[question.seat], deal.level)
            deal, _ = deals.apply(deal, question.seat, action, rules)
    rate = count / (process_time() - began)
    began = process_time()
    for hand, to_beat, level in positions:
        legal_plays(hand, to_beat, rules, level)
    bare = count / (process_time() - began)
    return [{"name": "judged_deals", "value": rate, "unit": "deals/s", "baseline": bare, "ratio": rate / bare}]


if __name__ == "__main__":
    print(records())
