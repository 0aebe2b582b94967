"""An attacker in its seat: tries what its command names, and otherwise plays as greedy does.

Runs inside a sandbox: python bot.py ATTACK AIMS, where AIMS is JSON: what to aim at and the limits that should hold.
"""

import json
import sys

import bombs
import probes

attack, aims = sys.argv[1], json.loads(sys.argv[2])
before = {**probes.BEFORE, **bombs.BEFORE}
if attack in before:
    before[attack](aims)
elif attack not in {**bombs.WHEN_ASKED, **bombs.AFTER}:
    import wire  # late, for it brings gRPC, and a process with gRPC in it should not fork

    wire.ATTACKS[attack](aims)

from guandan_sdk import run  # noqa: E402
from guandan_sdk.bots.greedy import GreedyBot  # noqa: E402


class Attacker(GreedyBot):
    """Attacks when it is asked for the first time."""

    asked = False

    def play(self, view, options):
        if not self.asked and attack in bombs.WHEN_ASKED:
            bombs.WHEN_ASKED[attack](aims)
        self.asked = True
        return super().play(view, options)


run(Attacker)
bombs.AFTER.get(attack, lambda aims: None)(aims)
