"""The arena as a child process: `guandan-arena up` with a data folder of its own, and the other operator commands."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 120
STOP_SECONDS = 30
HURRY_SECONDS = 10


class DemoFailed(Exception):
    """Something the demonstration needs did not happen; the text says what, and what was seen."""


class Server:
    """An arena that lives as long as the `with` block; leaving it stops every process it started."""

    def __init__(self, data: Path) -> None:
        """Choose the ports; nothing starts before the `with` block."""
        self.data = data
        self.log = data / "up.log"
        self.target = f"127.0.0.1:{_free_port()}"
        self.site = f"http://127.0.0.1:{_free_port()}"
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        shutil.rmtree(self.data, ignore_errors=True)
        self.data.mkdir(parents=True)
        with self.log.open("wb") as log:
            # A session of its own: Ctrl-C reaches this process only, which then stops the arena in order.
            self._child = subprocess.Popen(
                [_command(), "up"], cwd=ROOT, env=self._environment(), stdout=log, stderr=log, start_new_session=True
            )
        try:
            self._wait_until_serving()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Ask the arena to stop; after a while end whatever is left of it."""
        child, self._child = self._child, None
        if child is None:
            return
        for patience in (STOP_SECONDS, HURRY_SECONDS):  # a second Ctrl-C hurries the arena
            with contextlib.suppress(KeyboardInterrupt, subprocess.TimeoutExpired):
                child.send_signal(signal.SIGINT)
                child.wait(patience)
                break
        else:
            print("demo: the arena did not stop in time and is killed", file=sys.stderr)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()

    def check_alive(self) -> None:
        """Raise DemoFailed with the end of the log when the arena has ended."""
        if self._child is not None and self._child.poll() is not None:
            raise DemoFailed(f"guandan-arena up ended with code {self._child.returncode}\n{self.log_end()}")

    def sandbox(self) -> str:
        """What the worker said about the sandbox that it chose, and why."""
        text = (self.data / "logs" / "worker.log").read_text(encoding="utf-8", errors="replace")
        said = re.search(r"Sandbox (\w+: .*)", text)
        return said[1].strip() if said else "the worker did not say which sandbox it uses"

    def log_end(self, lines: int = 30) -> str:
        """The last lines of all logs of the arena."""
        logs = [self.log, *sorted(self.data.glob("logs/*"))]
        return "\n".join(f"--- {path.name}\n{_tail(path, lines)}" for path in logs if path.is_file())

    def run(self, *words: str, seconds: float = 120) -> subprocess.CompletedProcess[str]:
        """Run another `guandan-arena` command against the same data."""
        return subprocess.run(
            [_command(), *words],
            cwd=ROOT,
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GUANDAN_")}
        chosen = {name: value for name, value in os.environ.items() if name in ("GUANDAN_SANDBOX", "GUANDAN_WORKERS")}
        return {
            **kept,
            **chosen,
            "GUANDAN_CLOCK_CONNECT_MS": "30000",  # this machine also does all the rest, and may be slow
            "GUANDAN_DATA_DIR": str(self.data),
            "GUANDAN_GRPC_PORT": self.target.rpartition(":")[2],
            "GUANDAN_WEB_PORT": self.site.rpartition(":")[2],
        }

    def _wait_until_serving(self) -> None:
        until = time.monotonic() + START_SECONDS
        with grpc.insecure_channel(self.target) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            while time.monotonic() < until:
                self.check_alive()
                try:
                    answer = health.Check(health_pb2.HealthCheckRequest(), timeout=2, wait_for_ready=True)
                except grpc.RpcError:
                    continue
                if answer.status == health_pb2.HealthCheckResponse.SERVING:
                    return
                time.sleep(0.2)
        raise DemoFailed(f"the arena did not answer on {self.target} within {START_SECONDS} s\n{self.log_end()}")


def _command() -> str:
    return str(Path(sys.executable).parent / "guandan-arena")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _tail(path: Path, lines: int) -> str:
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
