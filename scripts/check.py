"""Run every static check, two at a time, and show the output of those that fail.

python scripts/check.py [NAME ...]      all of them, or only the named ones
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
PROTO = ROOT / "proto"


@dataclass(frozen=True, slots=True)
class Check:
    """One tool with its arguments and the folder it runs in."""

    name: str
    command: tuple[str, ...]
    folder: Path = ROOT


PYTHON = str(BIN / "python")
CHECKS = (
    Check("types", (PYTHON, "-m", "mypy", "engine", "proto", "runner", "sdk", "arena", "workers", "scripts", "demo")),
    Check("lint", (str(BIN / "ruff"), "check", "--output-format=concise", ".")),
    Check("format", (str(BIN / "ruff"), "format", "--check", ".")),
    Check("imports", (str(BIN / "lint-imports"),)),
    Check("proto-fresh", (PYTHON, "generate.py", "--check"), PROTO),
    Check("proto-lint", (str(BIN / "buf"), "lint"), PROTO),
    Check("proto-breaking", (str(BIN / "buf"), "breaking", "--against", "baseline.binpb"), PROTO),
    Check("docs", (PYTHON, "-m", "mkdocs", "build", "--strict", "--quiet")),
    Check("tracked-files", (PYTHON, "scripts/tracked.py")),
)


def main() -> int:
    """Run the checks and print one line for each; exit 1 when one fails, 2 for an unknown name."""
    names = sys.argv[1:] or [check.name for check in CHECKS]
    unknown = set(names) - {check.name for check in CHECKS}
    if unknown:
        print(f"no such check: {', '.join(sorted(unknown))}; there are {', '.join(c.name for c in CHECKS)}")
        return 2
    with ThreadPoolExecutor(max_workers=2) as pool:
        failed = [name for name in pool.map(_run, (c for c in CHECKS if c.name in names)) if name]
    print(f"check: {', '.join(failed)} failed" if failed else "check: all passed", flush=True)
    return 1 if failed else 0


def _run(check: Check) -> str | None:
    """Run one check and print its line; returns its name when it failed."""
    started = time.monotonic()
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        check.command, cwd=check.folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    state = "ok" if done.returncode == 0 else "FAILED"
    output = "" if done.returncode == 0 else f"\n{done.stdout}{done.stderr}".rstrip()
    print(f"{check.name:<16}{state:<8}{time.monotonic() - started:5.1f} s{output}", flush=True)
    return None if done.returncode == 0 else check.name


if __name__ == "__main__":
    sys.exit(main())
