"""Run every `bench_*.py` beside this file, print a table, and write bench.json and docs/performance.md.

python -m tests.bench.run [WORD ...]      only the files whose name holds one of the words

A bench file has a function `records()` that returns dicts with name, value, unit and, if it compares with something
measured in the same run, baseline and ratio.
"""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.bench.performance import render

HERE = Path(__file__).resolve().parent
TARGET = HERE.parents[1] / "bench.json"
ONE = "--one"
FIELDS = ("name", "value", "unit", "baseline", "ratio")


def main(words: list[str]) -> int:
    console = Console(stderr=True)
    found: list[dict[str, Any]] = []
    failed: list[str] = []
    for path in sorted(HERE.glob("bench_*.py")):
        if words and not any(word in path.stem for word in words):
            continue
        started = time.monotonic()
        measured = measure(path)
        if measured is None:
            failed.append(path.stem)
        found += measured or []
        console.print(f"{path.stem}: {time.monotonic() - started:.1f} s")
    if not words:
        TARGET.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if render(found):
        console.print("docs/performance.md is of this run")
    Console().print(as_table(found))
    if failed:
        console.print(f"failed: {', '.join(failed)}", style="red")
    return 1 if failed else 0


def measure(path: Path) -> list[dict[str, Any]] | None:
    """The records of one file, run in a process of its own so that none inherits what another left; None: it failed."""
    command = [sys.executable, "-m", "tests.bench.run", ONE, str(path)]
    done = subprocess.run(command, cwd=TARGET.parent, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        return None
    return [complete(record) for record in json.loads(done.stdout.splitlines()[-1])]


def complete(record: dict[str, Any]) -> dict[str, Any]:
    """The record with all fields in order; a field that does not exist is a mistake of the bench file."""
    unknown = set(record) - set(FIELDS)
    assert not unknown, f"unknown fields: {sorted(unknown)}"
    return {field: record.get(field) for field in FIELDS}


def as_table(found: list[dict[str, Any]]) -> Table:
    table = Table("name", "unit", title="bench")
    for heading in ("value", "baseline", "ratio"):
        table.add_column(heading, justify="right")
    for record in found:
        numbers = ("" if record[key] is None else f"{record[key]:,.6g}" for key in ("value", "baseline", "ratio"))
        table.add_row(record["name"], record["unit"], *numbers)
    return table


if __name__ == "__main__":
    if sys.argv[1:2] == [ONE]:
        print("\n" + json.dumps(list(runpy.run_path(sys.argv[2])["records"]())))
        sys.exit(0)
    sys.exit(main(sys.argv[1:]))
