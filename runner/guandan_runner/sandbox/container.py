"""A seat whose process tree is a container: started, watched, ended, and told of."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Mapping
from typing import Any, Final

import requests
from docker.errors import APIError, DockerException, NotFound
from docker.models.containers import Container
from docker.types import CancellableStream

from guandan_runner.errors import InfrastructureFault
from guandan_runner.sandbox.cgroup import UNKNOWN, ControlGroup, Usage
from guandan_runner.sandbox.output import OutputTail
from guandan_runner.sandbox.policy import Policy
from guandan_runner.sandbox.process import split_status
from guandan_runner.sandbox.seat import Evidence

__all__ = ["DockerSeat", "usage_of", "words"]

GONE_S: Final = 10.0


class DockerSeat:
    """A container in play. ``failure`` says why its command could not be started, if so."""

    def __init__(self, container: Container, *, policy: Policy, group: ControlGroup | None, ordered: float) -> None:
        """Listen to a created container's output and start it.

        ``group``: the control group its own lies in, closed at its end. ``ordered``: when, in monotonic seconds, the
        seat was asked for. Raise InfrastructureFault, leaving nothing.
        """
        self._container = container
        self._group = group
        self._memory_bytes = policy.memory_bytes
        self._sampled = UNKNOWN
        self._evidence: Evidence | None = None
        self._ending = threading.Lock()
        stream = None
        try:
            self._stream = stream = container.attach(stdout=True, stderr=True, stream=True)
            self._output = OutputTail(self._stream, policy=policy, overflow=self._overflow)
            self._failure = _start(container)
        except (DockerException, requests.RequestException) as error:
            with contextlib.suppress(DockerException, requests.RequestException):
                container.remove(force=True)
            if stream is not None:
                _hang_up(stream)
            self._close_group()
            raise InfrastructureFault(f"container {container.name} did not start: {words(error)}") from error
        self._started_ms = round((time.monotonic() - ordered) * 1000)

    def wait(self, timeout_s: float) -> bool:
        """Wait until the bot's main process has ended; answer whether it has."""
        if self._failure or self._evidence:
            return True
        try:
            self._container.wait(timeout=timeout_s)
        except NotFound:  # it has been ended and removed meanwhile
            return True
        except requests.RequestException:  # the client raises ConnectionError for a timeout
            self._sample()
            return False
        return True

    def end(self) -> Evidence:
        """Kill the container if it still runs, remove it, and tell how it ended."""
        with self._ending:
            if self._evidence is None:
                try:
                    self._evidence = self._end()
                except (DockerException, requests.RequestException) as error:
                    raise InfrastructureFault(f"container {self._container.name}: {words(error)}") from error
            return self._evidence

    def _end(self) -> Evidence:
        self._sample()
        killed = self._kill() and not self._output.exceeded
        if not self._failure:
            self._container.wait(timeout=GONE_S)
        self._container.reload()
        state = self._container.attrs["State"]
        log = self._failure + self._output.finish()
        _hang_up(self._stream)
        self._container.remove(force=True)
        usage = self._close_group() or self._sampled
        code, number = split_status(int(state["ExitCode"]), reports_signals=True)
        return Evidence(
            exit_code=code,
            signal=number,
            killed=killed,
            memory_exceeded=bool(state["OOMKilled"]) or usage.out_of_memory or self._was_starved(usage, number, killed),
            output_exceeded=self._output.exceeded,
            log=log,
            started_ms=self._started_ms,
            peak_memory_bytes=usage.peak_memory_bytes,
            cpu_ms=usage.cpu_ms,
            throttled_ms=usage.throttled_ms,
        )

    def _was_starved(self, usage: Usage, number: int | None, killed: bool) -> bool:
        """Whether the kernel ended it at its memory limit: under load the daemon may miss that and say nothing."""
        peak = usage.peak_memory_bytes or 0
        ended_by_us = killed or self._output.exceeded
        return number == signal.SIGKILL and not ended_by_us and peak >= self._memory_bytes

    def _overflow(self) -> None:
        """Kill the container from another thread: the daemon ends it only while somebody reads what it writes."""
        threading.Thread(target=self._kill, name="seat-overflow", daemon=True).start()

    def _kill(self) -> bool:
        """Kill the container; answer whether it still ran."""
        try:
            self._container.kill()
        except (APIError, requests.RequestException):
            return False
        return True

    def _sample(self) -> None:
        """Ask the daemon what a container that still runs has used, where no group of ours counts it."""
        if self._group is not None:
            return
        with contextlib.suppress(DockerException, requests.RequestException):
            found = self._container.stats(stream=False, one_shot=True)
            usage = usage_of(found) if isinstance(found, dict) else UNKNOWN
            self._sampled = self._sampled if usage is UNKNOWN else usage

    def _close_group(self) -> Usage | None:
        """Return what the group's processes used, and remove it."""
        if self._group is None:
            return None
        usage = self._group.usage()
        self._group.close()
        return usage if usage.cpu_ms else None  # a daemon behind another root of control groups filled another group


def usage_of(stats: Mapping[str, Any]) -> Usage:
    """Return what the daemon's statistics tell; of a container that has ended they tell nothing."""
    cpu = stats.get("cpu_stats", {})
    spent = cpu.get("cpu_usage", {}).get("total_usage")
    if not spent:
        return UNKNOWN
    throttled = cpu.get("throttling_data", {}).get("throttled_time")
    return Usage(
        peak_memory_bytes=stats.get("memory_stats", {}).get("max_usage"),
        cpu_ms=spent // 1_000_000,
        throttled_ms=None if throttled is None else throttled // 1_000_000,
        out_of_memory=False,
    )


def _hang_up(stream: CancellableStream[bytes]) -> None:
    """Stop listening. The stream's own ``close`` leaves its answer, and so a descriptor, to the garbage collector."""
    with contextlib.suppress(OSError):  # the daemon hung up first
        stream.close()
    answer: requests.Response = getattr(stream, "_response")  # noqa: B009 - it has no other name
    answer.close()


def words(error: Exception) -> str:
    """Return what the daemon said, in one line."""
    return str(getattr(error, "explanation", None) or error).replace("\n", " ")[:300]


def _start(container: Container) -> str:
    """Start a container; return why its command cannot be run (the author's mistake), or "" when it runs."""
    try:
        container.start()
    except APIError as error:
        if error.status_code == 400 or "executable file not found" in str(error.explanation):
            return f"{error.explanation}\n"
        raise
    return ""
