"""A supervisor over the parts named on the command line, as a process of its own for test_supervisor.py.

It writes one JSON line for each change. Parts: steady (sleeps), stubborn (ignores SIGTERM), forker (has a child in
another session), failing (ends at once), sick (lives but is never well for long).
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

from guandan_arena.cli.child import Child, Part, leashed
from guandan_arena.cli.supervisor import Interrupted, PartFailed, Supervisor

SLEEP = "import time; time.sleep(600)"
PROGRAMS = {
    "steady": SLEEP,
    "sick": SLEEP,
    "stubborn": f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); {SLEEP}",
    "forker": "import subprocess, sys; subprocess.Popen([sys.executable, '-c', "
    f"{SLEEP!r}, sys.argv[1]], start_new_session=True); {SLEEP}",
    "failing": "raise SystemExit(7)",
}


def part(name: str, tag: str) -> Part:
    started: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        command = leashed([sys.executable, "-c", PROGRAMS[name], tag])
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True))
        return started[-1]

    def is_ready() -> bool:
        if name == "failing":
            return False
        if name == "stubborn":
            started[-1].stdout.readline()  # type: ignore[union-attr]
        return True

    is_well: Callable[[], bool] = (lambda: False) if name == "sick" else (lambda: True)
    return Part(name, start, is_ready, is_well, stop_signals=((signal.SIGTERM, 0.5),))


def tell(children: Sequence[Child]) -> None:
    states = {c.part.name: {"state": c.state, "pid": c.pid, "restarts": c.restarts, "note": c.note} for c in children}
    print(json.dumps(states), flush=True)


def main(tag: str, names: list[str]) -> int:
    stop, hurry = threading.Event(), threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    try:
        with Supervisor(stop=stop, hurry=hurry, changed=tell) as supervisor:
            supervisor.bring_up(*(part(name, tag) for name in names))
            supervisor.watch()
    except PartFailed as error:
        print(json.dumps({"failed": error.reason}), flush=True)
        return 1
    except Interrupted:
        return 2
    assert "grpc" not in sys.modules
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
