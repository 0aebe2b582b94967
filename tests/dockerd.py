"""A Docker daemon for the tests: the one that answers, else a private one that root can start and that ends with us."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

START_S = 60


@functools.cache
def missing() -> str | None:
    """Why no Docker daemon can be used, or None; sets DOCKER_HOST when a private one was started."""
    if shutil.which("docker") is None:
        return "no docker command (Debian: docker.io)"
    if _answers():
        return None
    if os.geteuid() != 0:
        return "no Docker daemon answers, and only root can start one"
    program = shutil.which("dockerd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if program is None:
        return "no Docker daemon answers and there is no dockerd command (Debian: docker.io)"
    return _start(program)


def _start(program: str) -> str | None:
    """Start a private daemon and wait until it answers; return why it did not."""
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=f"gad-{os.getpid()}-", dir="/tmp"))  # short: a socket's path has 108 bytes
    os.environ["DOCKER_HOST"] = f"unix://{folder}/d.sock"
    paths = [f"--data-root={folder}/data", f"--exec-root={folder}/exec", f"--pidfile={folder}/pid"]
    with (folder / "log").open("wb") as log:
        daemon = subprocess.Popen(
            # A run that is killed ends its daemon too: the kernel tells it when the thread that started it is gone.
            [
                *("setpriv", "--pdeathsig", "TERM"),
                *(program, *paths, f"--host=unix://{folder}/d.sock", "--bridge=none", "--iptables=false"),
            ],
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    atexit.register(_stop, daemon, folder)
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and daemon.poll() is None:
        if _answers():
            return None
        time.sleep(0.1)  # the daemon has no other way to say that it is ready
    last = (folder / "log").read_text(errors="replace").strip().splitlines()[-1:]
    del os.environ["DOCKER_HOST"]
    return f"dockerd does not start here: {' '.join(last)[:200]}"


def _answers() -> bool:
    return subprocess.run(["docker", "version"], capture_output=True, timeout=90, check=False).returncode == 0


def _stop(daemon: subprocess.Popen[bytes], folder: Path) -> None:
    daemon.terminate()
    try:
        daemon.wait(30)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()
    _remove(folder)


def _sweep() -> None:
    """Remove what daemons of killed runs left behind."""
    for folder in Path("/tmp").glob("gad-*-*"):
        pid = folder.name.split("-")[1]
        if pid.isdigit() and not Path("/proc", pid).exists():
            _remove(folder)


def _remove(folder: Path) -> None:
    for mount in sorted(_mounts_below(folder), reverse=True):
        subprocess.run(["umount", "-l", mount], check=False)
    shutil.rmtree(folder, ignore_errors=True)


def _mounts_below(folder: Path) -> list[str]:
    lines = Path("/proc/self/mounts").read_text().splitlines()
    return [line.split()[1] for line in lines if line.split()[1].startswith(f"{folder}/")]
