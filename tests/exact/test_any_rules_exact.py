"""Rule sets drawn at random from all that is allowed: whatever they say, a match ends and its replay verifies.

500 matches with GUANDAN_EXACT=1, else 40. Some seats misbehave, so that the table answers in every phase.
"""

from __future__ import annotations

import os
import random

import pytest

from guandan_engine.clock import Clocks
from guandan_engine.replay import verify, write
from guandan_engine.rules import RuleSet, from_dict
from tests.dealing import Night, any_legal, play_out, unruly
from tests.rule_values import PARAMETERS, others, sound

RULE_SETS = 500 if os.environ.get("GUANDAN_EXACT") == "1" else 40
PARTS = 10
CLOCKS = Clocks(move_ms=20_000)
DEALS = 6


def drawn(rng: random.Random) -> RuleSet:
    """A sound rule set with many parameters changed, one after the other."""
    rules = RuleSet(name="drawn")
    for parameter in rng.sample(list(PARAMETERS), len(PARAMETERS)):
        values = others(rules, parameter)
        if values and rng.random() < 0.6:
            rules = sound(rules, **{parameter: rng.choice(values)}) or rules
    return rules


def slow_and_unruly(request, rng):
    answered = (unruly if rng.random() < 0.3 else any_legal)(request, rng)
    return answered and (answered[0], answered[1] + rng.randrange(15_000))


@pytest.mark.parametrize("part", range(PARTS))
def test_a_match_of_any_rules_ends_and_verifies(part):
    for seed in range(part, RULE_SETS, PARTS):
        rng = random.Random(seed)
        rules = drawn(rng)
        assert from_dict(rules.as_dict()) == rules
        night = Night(seed, rules)
        table = night.classic(deal_limit=DEALS, clocks=CLOCKS)
        play_out(table, slow_and_unruly if seed % 2 else any_legal, rng)
        data = write(night.header(table), table.log, secrets=night.secrets(table))
        assert verify(data, secret=night.secret).records == tuple(table.log), seed
