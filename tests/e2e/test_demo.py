"""The demonstration as a newcomer runs it: `make demo ONCE=1`, with fewer boards."""

import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 540


def start(data: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "demo", "--data", str(data), "--boards", "1", *words]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def processes_below(data: Path) -> list[str]:
    """Every process whose command line or environment names the data folder."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
        except OSError:
            continue
        if str(data).encode() in text and folder.name != str(os.getpid()):
            found.append(folder.name)
    return found


def test_a_night_of_eight_bots_is_played_rated_and_audited(tmp_path: Path) -> None:
    data = tmp_path / "arena"
    demo = start(data, "--once")
    output, _ = demo.communicate(timeout=PATIENCE_S)
    assert demo.returncode == 0, output
    for words in ("8 authors submit their bots", "round 4:", "Final standings", "The audit is clean.", "/replays/"):
        assert words in output, output
    assert processes_below(data) == []


def test_ctrl_c_leaves_no_process_behind(tmp_path: Path) -> None:
    data = tmp_path / "arena"
    demo = start(data, "--once")
    assert demo.stdout is not None
    site = next(line for line in demo.stdout if "The arena is up" in line).rpartition(" ")[2].strip()
    with urllib.request.urlopen(site, timeout=30) as answer:
        assert answer.status == 200
    demo.send_signal(signal.SIGINT)
    output, _ = demo.communicate(timeout=60)
    assert demo.returncode == 130, output
    assert processes_below(data) == []
