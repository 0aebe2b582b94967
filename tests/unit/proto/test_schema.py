"""The schema keeps its promises: generated code is fresh, lint is clean, nothing in v1 ever breaks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROTO = Path(__file__).parents[3] / "proto"


def _run(*command: str) -> str:
    done = subprocess.run(command, cwd=PROTO, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def _buf() -> str:
    return str(Path(sys.executable).parent / "buf")


def test_the_generated_code_is_what_the_schema_says():
    assert _run(sys.executable, "generate.py", "--check") == ""


def test_the_schema_follows_the_standard_lint_and_format():
    assert _run(_buf(), "lint") == ""
    assert _run(_buf(), "format", "--diff", "--exit-code") == ""


def test_the_schema_breaks_nothing_that_was_published():
    assert _run(_buf(), "breaking", "--against", "baseline.binpb") == ""
