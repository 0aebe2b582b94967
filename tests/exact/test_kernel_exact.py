"""Compiled and uncompiled, the kernel does the same: plays, their order, playouts by seed, batches.

For each of five presets 2,000 hands and 100 deals, with GUANDAN_EXACT=1 ten times as many. ``test_legal_plays_exact``
holds the one that runs here against the brute force, and so the other.
"""

from __future__ import annotations

import json
import os

import pytest

from guandan_engine import compiled
from tests.kernel_modes import PRESETS, in_mode

TIMES = 10 if os.environ.get("GUANDAN_EXACT") == "1" else 1


pytestmark = pytest.mark.needs("language:c")


@pytest.fixture(scope="module")
def found() -> tuple[dict, dict]:
    if not compiled:
        probe = in_mode(False, "tests.kernel_modes", "0", "0").stdout
        assert probe.startswith('{"compiled": true'), "the kernel is not compiled; run: make setup"
    both = []
    for pure in (False, True):
        done = in_mode(pure, "tests.kernel_modes", str(2_000 * TIMES), str(100 * TIMES))
        assert done.returncode == 0, done.stderr
        both.append(json.loads(done.stdout))
    return both[0], both[1]


@pytest.mark.parametrize("preset", PRESETS)
def test_the_compiled_kernel_does_what_its_source_does(found, preset):
    fast, source = found
    assert (fast["compiled"], source["compiled"]) == (True, False)
    plays, deals, batches = fast[preset]
    assert plays == source[preset][0]
    assert deals == source[preset][1]
    assert batches == source[preset][2]


def test_the_engines_tests_pass_in_the_other_mode_too():
    """Those of the kernel, with GUANDAN_EXACT=1 all of the engine."""
    files = ["tests/unit/engine"]
    if TIMES == 1:
        files = [f"tests/unit/engine/test_{name}.py" for name in ("kernel_batch", "kernel_playouts", "kernel_state")]
    done = in_mode(compiled, "pytest", "-q", "-n0", "-p", "no:cacheprovider", *files)
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.parametrize("pure", [False, True], ids=["as it is installed", "source"])
def test_any_values_are_taken_or_refused_by_a_documented_error(pure):
    """Three seconds; GUANDAN_FUZZ_SECONDS says how many."""
    seconds = os.environ.get("GUANDAN_FUZZ_SECONDS", "3")
    done = in_mode(pure, "tests.kernel_fuzz", seconds, timeout=60 + 2 * int(seconds))
    assert done.returncode == 0, done.stderr[-4000:]
