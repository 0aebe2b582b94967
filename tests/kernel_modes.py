"""What the kernel does, as digests: the same numbers whether it is compiled or not.

    python -m tests.kernel_modes HANDS DEALS [PRESET ...]

Prints a JSON object: whether the kernel is compiled, and for each preset the digests of plays listed, of playouts and
of a batch of games. Run with GUANDAN_PURE=1 for the source.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

from guandan_engine.cards import DECK, Hand, Rank
from guandan_engine.kernel import Batch, action_of, compiled, legal_plays, playouts, random_state
from guandan_engine.rules import RuleSet, load
from tests.strategies import LEVELS, rich_hand

ROOT = Path(__file__).parents[1]
PRESETS = ("standard", "huaian_2017", "anhui_jianzhu_2017", "digest_004_strict", "openguandan")
GAMES = 16


def main() -> None:
    hands, deals = int(sys.argv[1]), int(sys.argv[2])
    found = {name: digests(load(name), hands, deals) for name in sys.argv[3:] or PRESETS}
    print(json.dumps({"compiled": compiled, **found}))


def digests(rules: RuleSet, hands: int, deals: int) -> list[str]:
    return [plays_digest(rules, hands), deals_digest(rules, deals), batch_digest(rules, deals)]


def plays_digest(rules: RuleSet, hands: int) -> str:
    """Of leading and following plays, in their order: whole random hands and small rich ones in turn."""
    rng, total = random.Random(1), hashlib.sha256()
    for number in range(hands):
        level = LEVELS[number % 13]
        hand, size = Hand.of(rng.sample(DECK, 27)), 4 + number % 9
        if number % 2:
            hand = rich_hand(rng, level, size, number // 2 % 3)
        leading = legal_plays(hand, None, rules, level)
        to_beat = rng.choice(legal_plays(Hand.of(rng.sample(DECK, 12)), None, rules, level))
        for plays in (leading, legal_plays(hand, to_beat, rules, level)):
            total.update(",".join(str(action_of(play)) for play in plays).encode())
    return total.hexdigest()


def deals_digest(rules: RuleSet, deals: int) -> str:
    """Of the results of random playouts of random deals, by seed."""
    total = hashlib.sha256()
    for seed in range(deals):
        state = random_state(seed, rules, level=Rank(seed % 13) if seed % 2 else None)
        total.update(repr((state.turn, playouts(state, seed, 1))).encode())
    return total.hexdigest()


def batch_digest(rules: RuleSet, steps: int) -> str:
    """Of all that a batch shows, step by step."""
    batch, rng, total = Batch(GAMES, rules), random.Random(2), hashlib.sha256()
    batch.reset(3)
    for _ in range(steps):
        counts = list(batch.cnt)
        for buffer in (batch.obs, batch.cnt, batch.turn, batch.done, batch.reward, batch.order):
            total.update(bytes(memoryview(buffer)))
        for game in range(GAMES):
            legal = memoryview(batch.legal)[1024 * game : 1024 * game + counts[game]]
            total.update(bytes(legal))
        batch.step([rng.randrange(count) for count in counts])
    return total.hexdigest()


def in_mode(pure: bool, module: str, *words: str, timeout: int = 600) -> subprocess.CompletedProcess[str]:
    """Run a module in a process of its own, with the source or with what is compiled."""
    environment = {**os.environ, "GUANDAN_PURE": "1" if pure else "0"}
    command = [sys.executable, "-m", module, *words]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )


if __name__ == "__main__":
    main()
