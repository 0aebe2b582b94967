"""How many hands of 27 cards have their legal plays listed in a second, against the same list made the plain way.

The plain way counts cards in dictionaries and loops over ranks, as a first engine would: see ``plain_plays``.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from guandan_engine.cards import DECK, Hand, Rank
from guandan_engine.combos import Combo
from guandan_engine.plays import beats, legal_plays
from guandan_engine.rules import load
from tests.bench.plain_plays import plain_plays

RULES = load("standard")
HANDS = 1_000
ROUNDS = 3


def records() -> list[dict[str, Any]]:
    """Measure leading and following, each fast and plain, in turns; the best round counts."""
    leads = some_leads()
    follows = some_follows(leads)
    fast_lead, plain_lead = in_turns(
        lambda: [legal_plays(hand, None, RULES, level) for hand, level in leads],
        lambda: [plain_plays(hand, level) for hand, level in leads],
    )
    fast_follow, plain_follow = in_turns(
        lambda: [legal_plays(hand, to_beat, RULES, level) for hand, level, to_beat in follows],
        lambda: [[p for p in plain_plays(h, lv) if beats(p, to_beat, RULES, lv)] for h, lv, to_beat in follows],
    )
    return [
        record("legal_lead", fast_lead, plain_lead),
        record("legal_follow", fast_follow, plain_follow),
    ]


def record(name: str, fast: float, plain: float) -> dict[str, Any]:
    """Hands in a second, and how many times the plain way's."""
    value, baseline = HANDS / fast, HANDS / plain
    return {"name": name, "value": value, "unit": "hands/s", "baseline": baseline, "ratio": value / baseline}


def in_turns(*works: Callable[[], object]) -> list[float]:
    """Run each work in turn, some rounds over, and return the least CPU seconds of each."""
    best = [float("inf")] * len(works)
    for _ in range(ROUNDS):
        for i, work in enumerate(works):
            started = time.process_time()
            work()
            best[i] = min(best[i], time.process_time() - started)
    return best


def some_leads() -> list[tuple[Hand, Rank]]:
    """Hands of 27 cards at levels in turn, the same in every run."""
    rng = random.Random("bench_engine")
    return [(Hand.of(rng.sample(DECK, 27)), Rank(i % 13)) for i in range(HANDS)]


def some_follows(leads: list[tuple[Hand, Rank]]) -> list[tuple[Hand, Rank, Combo]]:
    """Each hand with a play of the next hand to beat."""
    rng = random.Random("bench_engine follow")
    others = [rng.choice(legal_plays(hand, None, RULES, level)) for hand, level in leads]
    return [(hand, level, others[(i + 13) % HANDS]) for i, (hand, level) in enumerate(leads)]
