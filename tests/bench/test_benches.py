"""Each bench runs at a tiny size, and its records are named as the page of figures expects; never what it measured."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.bench import strength
from tests.bench.performance import render
from tests.bench.run import HERE, complete

TINY: dict[str, dict[str, Any]] = {
    "bench_deals": {"count": 2},
    "bench_elo": {"matches": 20},
    "bench_engine": {"hands": 20, "round_s": 0.001, "turns": 1, "imports": 1},
    "bench_envs": {"round_s": 0.001},
    "bench_grpc": {"deals": 1, "rounds": 5, "repeats": 1, "seat_starts": 1, "table_starts": 1},
    "bench_night": {"bots": 2, "rounds": 1, "boards": 1},
    "bench_pairing": {"entrants": 10, "rounds": 2},
}
UNITS: dict[str, dict[str, str]] = {
    "bench_deals": {"judged_deals": "deals/s"},
    "bench_elo": {"elo_updates": "per second"},
    "bench_engine": {
        "legal_lead": "hands/s",
        "legal_lead_pure": "hands/s",
        "legal_follow": "hands/s",
        "legal_follow_pure": "hands/s",
        "random_deals": "deals/s",
        "random_deals_pure": "deals/s",
        "import_engine": "ms",
        "import_engine_memory": "MB",
        "import_engine_pure": "ms",
        "import_engine_memory_pure": "MB",
    },
    "bench_envs": {"vecenv_256": "plays/s", "vecenv_256_pure": "plays/s"},
    "bench_grpc": {"decisions_grpc": "per second", "seat_start": "s", "table_start": "s"},
    "bench_night": {"night_boards": "boards per minute"},
    "bench_pairing": {"pair_1000": "seconds"},
}

NEEDS = {name: pytest.mark.needs("broker:valkey") for name in ("bench_elo", "bench_night")}


def test_every_bench_file_is_run_here() -> None:
    assert {path.stem for path in HERE.glob("bench_*.py")} == set(TINY) == set(UNITS)


@pytest.mark.parametrize("name", [pytest.param(name, marks=NEEDS.get(name, ())) for name in TINY])
def test_a_bench_gives_the_records_it_is_known_for(name: str) -> None:
    records = measured(name)
    found = {record["name"]: record["unit"].split(" (")[0] for record in records}  # a sandbox stands in brackets
    second = {f"{start}_bubblewrap": "s" for start in ("seat_start", "table_start")}
    assert found in (UNITS[name], UNITS[name] | second)
    numbers = [record[field] for record in records for field in ("value", "baseline", "ratio")]
    assert all(number > 0 for number in numbers if number is not None)
    assert all((record["baseline"] is None) is (record["ratio"] is None) for record in records)


def measured(name: str) -> list[dict[str, Any]]:
    """The records of one bench at its tiny size, as ``make bench`` reads them from its process."""
    found = importlib.import_module(f"tests.bench.{name}").records(**TINY[name])
    return [complete(record) for record in json.loads(json.dumps(found))]


def test_the_page_of_figures_is_written_of_the_records_and_only_of_a_whole_run(tmp_path: Path) -> None:
    records = [
        complete({"name": name, "value": 1_000.0, "unit": unit, "baseline": 500.0, "ratio": 2.0})
        for units in UNITS.values()
        for name, unit in units.items()
    ]
    assert not render(records[: -len(records) // 2], tmp_path)
    assert not list(tmp_path.iterdir())
    assert render(records, tmp_path)
    assert "| whole random deals | 1,000 | 1,000 | 1 |" in (tmp_path / "performance.md").read_text()
    assert "</svg>" in (tmp_path / "performance.svg").read_text()


def test_the_measure_of_strength_tells_of_a_duel_and_keeps_its_replays(tmp_path: Path) -> None:
    record = strength.duel("greedy", "random", 2, tmp_path)
    assert (record["a"], record["b"], record["boards"]) == ("greedy", "random", 2)
    assert len(list((tmp_path / "greedy-random").glob("*.gdr.jsonl.zst"))) == 4
    assert strength.as_table([record]).row_count == 1
