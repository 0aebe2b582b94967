"""How many hands of 27 cards have their plays listed in a second, how many deals are played, what importing takes.

The baseline of the compiled kernel is its own source, in processes of their own, in turns in the same run. That of the
source's listing is the list made the plain way, as a first engine would: see ``plain_plays``. Where the kernel is not
compiled, both are the source.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

from guandan_engine.plays import beats
from tests.bench.engine_rates import HANDS, ROUND_S, RULES, some_follows, some_leads
from tests.bench.plain_plays import plain_plays

ROOT = Path(__file__).parents[2]
TURNS = 2
IMPORTS = 6
UNITS = {"legal_lead": "hands/s", "legal_follow": "hands/s", "random_deals": "deals/s"}
IMPORT = """
import time
def used():  # megabytes of memory in use; what getrusage says begins with that of the process before
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))
before, began = used(), time.process_time()
import guandan_engine.deal, guandan_engine.kernel
print(1000 * (time.process_time() - began), used() - before)
"""


def records(
    *, hands: int = HANDS, round_s: float = ROUND_S, turns: int = TURNS, imports: int = IMPORTS
) -> list[dict[str, Any]]:
    """Measure compiled and source in turns; the best turn counts."""
    measured = [(rates("0", hands, round_s), rates("1", hands, round_s)) for _ in range(turns)]
    plain = plain_rates(hands)
    found = []
    for name, unit in UNITS.items():
        fast, source = (max(turn[pure][name] for turn in measured) for pure in (0, 1))
        found += [record(name, fast, unit, source), record(f"{name}_pure", source, unit, plain.get(name))]
    for pure, ending in (("0", ""), ("1", "_pure")):
        costs = [importing(pure) for _ in range(imports)]
        found.append(record(f"import_engine{ending}", min(ms for ms, _ in costs), "ms", None))
        found.append(record(f"import_engine_memory{ending}", min(mb for _, mb in costs), "MB", None))
    return found


def record(name: str, value: float, unit: str, baseline: float | None) -> dict[str, Any]:
    """A rate, and how many times the baseline's."""
    ratio = None if baseline is None else value / baseline
    return {"name": name, "value": value, "unit": unit, "baseline": baseline, "ratio": ratio}


def rates(pure: str, hands: int, round_s: float) -> dict[str, float]:
    return json.loads(output([sys.executable, "-m", "tests.bench.engine_rates", str(hands), str(round_s)], pure))


def importing(pure: str) -> tuple[float, float]:
    """Milliseconds of processor time and megabytes that importing the engine takes in a new process."""
    ms, mb = map(float, output([sys.executable, "-c", IMPORT], pure).split())
    return ms, mb


def output(command: list[str], pure: str) -> str:
    environment = {**os.environ, "GUANDAN_PURE": pure}
    return subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def plain_rates(hands: int) -> dict[str, float]:
    """What the plain way lists in a second."""
    leads = some_leads(hands)
    follows = some_follows(leads)
    return {
        "legal_lead": hands * once(lambda: [plain_plays(hand, level) for hand, level in leads]),
        "legal_follow": hands
        * once(lambda: [[p for p in plain_plays(h, v) if beats(p, b, RULES, v)] for h, v, b in follows]),
    }


def once(work: Callable[[], object]) -> float:
    began = process_time()
    work()
    return 1 / (process_time() - began)
