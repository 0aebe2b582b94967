"""How strong the reference bots are: each against the one below it, with the replays of every table.

python -m tests.bench.strength [BOARDS]      make bench STRENGTH=1 plays 400 boards of each pair, both ways round

Prints a table, and keeps replays and strength.json in build/strength. Fails where an interval is not clear of zero.
Whole deals of bots that think take their time: about half an hour on one core.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

TARGET = Path(__file__).resolve().parents[2] / "build" / "strength"
PAIRS = (("greedy", "random"), ("planner", "greedy"), ("search", "planner"))
BOARDS = 400
SEED = 20_260


def main(words: list[str]) -> int:
    boards = max(2, int(words[0])) if words else BOARDS  # of one board alone there is no interval
    TARGET.mkdir(parents=True, exist_ok=True)
    found = [duel(better, worse, boards, TARGET) for better, worse in PAIRS]
    (TARGET / "strength.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    Console().print(as_table(found))
    return 0 if all(record["low"] > 0 for record in found) else 1


def duel(better: str, worse: str, boards: int, target: Path) -> dict[str, Any]:
    """Play a pair as an author would, and return what ``guandan play`` says of it."""
    folder = target / f"{better}-{worse}"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.gdr.jsonl.zst"):
        old.unlink()
    started = time.monotonic()
    command = [sys.executable, "-m", "guandan_sdk", "play", better, worse, "--boards", str(boards)]
    options = ["--seed", str(SEED), "--format", "json", "--output", str(folder / "game.gdr.jsonl.zst")]
    done = subprocess.run([*command, *options], stdout=subprocess.PIPE, text=True, check=True)
    record = json.loads(done.stdout)
    return {**(record[0] if isinstance(record, list) else record), "seconds": round(time.monotonic() - started)}


def as_table(found: list[dict[str, Any]]) -> Table:
    table = Table("pair", title="strength: points per board, with the 95 % interval")
    for heading in ("points", "low", "high", "boards", "ms a decision (median, p99)", "faults", "seconds"):
        table.add_column(heading, justify="right")
    for one in found:
        thought = f"{one['a_p50_ms']:.1f}, {one['a_p99_ms']:.1f}"
        numbers = (f"{one[name]:+.2f}" for name in ("points_per_board", "low", "high"))
        faults = one["a_faults"] + one["b_faults"]
        row = (*numbers, str(one["boards"]), thought, str(faults), str(one["seconds"]))
        table.add_row(f"{one['a']} against {one['b']}", *row)
    return table


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
