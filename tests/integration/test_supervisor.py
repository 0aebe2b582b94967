"""The supervisor over small children of every temper, and then `guandan-arena up` itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

SMALL = Path(__file__).with_name("small_arena.py")
COMMAND = str(Path(sys.executable).with_name("guandan-arena"))
PATIENCE_S = 120
T = TypeVar("T")


def eventually(look: Callable[[], T | None], what: str, *, patience_s: float = PATIENCE_S) -> T:
    """Ask until there is an answer that is true."""
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        if found := look():
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what} did not happen within {patience_s} s")


def processes_of(mark: str) -> list[int]:
    """Processes whose command line or environment holds a mark, but this one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
        except OSError:
            continue
        if mark.encode() in text and folder.name != str(os.getpid()):
            found.append(int(folder.name))
    return found


class Small:
    """A running small arena; ``state`` follows its lines."""

    def __init__(self, process: subprocess.Popen[str], tag: str) -> None:
        self.process = process
        self.tag = tag

    def until(self, reached: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if reached(state := json.loads(line)):
                return state  # type: ignore[no-any-return]
        raise AssertionError("it ended before")


@contextmanager
def small(*names: str) -> Iterator[Small]:
    tag = f"small-{uuid.uuid4().hex}"
    with subprocess.Popen([sys.executable, str(SMALL), tag, *names], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Small(process, tag)
        finally:
            process.kill()


def ready(*names: str) -> Callable[[dict[str, Any]], bool]:
    return lambda state: all(state[name]["state"] == "ready" for name in names)


def test_a_child_that_is_killed_is_started_again() -> None:
    with small("steady") as arena:
        first = arena.until(ready("steady"))["steady"]["pid"]
        os.kill(first, signal.SIGKILL)
        died = arena.until(lambda state: state["steady"]["state"] == "waiting")["steady"]
        again = arena.until(ready("steady"))["steady"]
        assert died["note"] == "killed by SIGKILL"
        assert again["pid"] != first
        assert again["restarts"] == 1


def test_a_child_that_gives_no_sign_of_life_is_killed_and_started_again() -> None:
    with small("sick", "steady") as arena:
        state = arena.until(lambda state: state["sick"]["restarts"] == 1)
        assert state["sick"]["note"] == "gave no sign of life"
        assert state["steady"]["restarts"] == 0


def test_a_grandchild_whose_parent_was_killed_does_not_outlive_it() -> None:
    with small("forker") as arena:
        first = arena.until(ready("forker"))["forker"]["pid"]
        grandchild = eventually(
            lambda: [p for p in processes_of(arena.tag) if p not in (first, arena.process.pid)], "a grandchild"
        )
        os.kill(first, signal.SIGKILL)
        arena.until(lambda state: state["forker"]["restarts"] == 1)
        eventually(lambda: not set(grandchild) & set(processes_of(arena.tag)), "the end of the grandchild")


def test_stopping_ends_every_process_also_those_that_ignore_the_signal() -> None:
    with small("steady", "stubborn", "forker") as arena:
        arena.until(ready("steady", "stubborn", "forker"))
        arena.process.send_signal(signal.SIGTERM)
        assert arena.process.wait(PATIENCE_S) == 0
        assert processes_of(arena.tag) == []


def test_a_supervisor_that_is_killed_takes_its_children_with_it() -> None:
    with small("steady", "stubborn") as arena:
        arena.until(ready("steady", "stubborn"))
        arena.process.kill()
        arena.process.wait()
        eventually(lambda: not processes_of(arena.tag), "the end of the children")


def test_a_child_that_never_comes_up_is_named_and_the_others_are_stopped() -> None:
    with small("steady", "failing") as arena:
        arena.until(lambda state: state.get("failed") == "failing ended with code 7")
        assert arena.process.wait(PATIENCE_S) == 1
        assert processes_of(arena.tag) == []


def test_stopping_while_coming_up_ends_every_process() -> None:
    with small("steady", "failing") as arena:
        arena.until(lambda state: state["steady"]["pid"] is not None)
        arena.process.send_signal(signal.SIGTERM)
        assert arena.process.wait(PATIENCE_S) in (1, 2)
        assert processes_of(arena.tag) == []


class Arena:
    """`guandan-arena up` in a folder of its own."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.log = data.with_suffix(".log")
        self.environ = {
            **os.environ,
            "GUANDAN_DATA_DIR": str(data),
            "GUANDAN_SANDBOX": "process",
            "GUANDAN_WORKERS": "1",
        }
        with self.log.open("wb") as log:
            self.process = subprocess.Popen([COMMAND, "up"], env=self.environ, stdout=log, stderr=log)

    def parts(self) -> dict[str, dict[str, Any]]:
        try:
            return {part["name"]: part for part in json.loads((self.data / "run" / "state.json").read_text())["parts"]}
        except OSError:
            return {}

    def all_ready(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        return bool(self.addresses()) and {p["state"] for p in self.parts().values()} == {"ready"}

    def addresses(self) -> dict[str, Any]:
        try:
            return json.loads((self.data / "run" / "ports.json").read_text())  # type: ignore[no-any-return]
        except OSError:
            return {}

    def run(self, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, *words],
            env={**self.environ, **environ},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    arena = Arena(tmp_path_factory.mktemp("up") / "arena")
    try:
        eventually(arena.all_ready, "an arena that is up")
        yield arena
    finally:
        arena.process.kill()
        arena.process.wait()


@pytest.mark.needs("broker:valkey", "database:sqlite")
@pytest.mark.parametrize("name", ["valkey", "server", "worker", "beat"])
def test_a_part_of_the_arena_that_is_killed_comes_again_at_the_same_address(arena: Arena, name: str) -> None:
    before = arena.addresses()
    pid = arena.parts()[name]["pid"]
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: arena.parts()[name]["pid"] not in (pid, None) and arena.all_ready(), f"a new {name}")
    assert arena.addresses() == before
    with urllib.request.urlopen(f"{before['web']}/healthz", timeout=30) as answer:
        assert answer.status == 200


@pytest.mark.needs("broker:valkey", "database:sqlite")
def test_status_shows_the_parts_and_a_second_arena_in_the_folder_is_refused(arena: Arena) -> None:
    status = arena.run("status", "--format", "json")
    assert status.returncode == 0, status
    assert [part["name"] for part in json.loads(status.stdout)] == ["valkey", "server", "worker", "beat"]
    second = arena.run("up")
    assert second.returncode == 3
    assert "already_up" in second.stderr


@pytest.mark.needs("broker:valkey", "database:sqlite")
def test_the_other_commands_find_the_arena_that_is_up(arena: Arena) -> None:
    audit = arena.run("audit")
    assert (audit.returncode, "clean" in audit.stdout) == (0, True), audit
    rebuilt = arena.run("ratings", "rebuild")
    assert (rebuilt.returncode, "identical" in rebuilt.stdout) == (0, True), rebuilt
    night = arena.run("night")
    assert night.returncode == 1
    assert "too_few_entrants" in night.stderr
    assert night.stdout == ""


@pytest.mark.needs("broker:valkey", "database:sqlite")
def test_sigterm_stops_the_arena_in_order_and_leaves_no_process(arena: Arena) -> None:
    arena.process.send_signal(signal.SIGTERM)
    assert arena.process.wait(PATIENCE_S) == 0, arena.log.read_text()
    assert processes_of(str(arena.data)) == []
    assert arena.run("status").returncode == 1


UNREACHABLE = {
    "REDIS_URL": ("redis://:s3cret@127.0.0.1:1/0", "redis://:***@127.0.0.1:1/0"),
    "DATABASE_URL": ("postgresql://me:s3cret@127.0.0.1:1/arena", "me:***@127.0.0.1:1/arena"),
}


@pytest.mark.needs("broker:valkey")
@pytest.mark.parametrize("name", UNREACHABLE)
@pytest.mark.parametrize("command", ["up", "serve", "audit"])
def test_what_does_not_answer_at_the_start_is_named_without_its_password(
    tmp_path: Path, name: str, command: str
) -> None:
    url, shown = UNREACHABLE[name]
    environ = {**os.environ, "GUANDAN_DATA_DIR": str(tmp_path), "GUANDAN_START_WAIT_MS": "300", name: url}
    if command != "up" and name == "REDIS_URL":
        subprocess.run([COMMAND, "migrate"], env=environ, check=True, capture_output=True)
    refused = subprocess.run(
        [COMMAND, command], env=environ, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert refused.returncode == 3, refused
    assert shown in refused.stderr
    assert "s3cret" not in refused.stderr + refused.stdout
    assert processes_of(str(tmp_path)) == []


def test_settings_that_contradict_are_refused_as_wrong_usage(tmp_path: Path) -> None:
    environ = {**os.environ, "GUANDAN_DATA_DIR": str(tmp_path), "GUANDAN_GRPC_PORT": "5000", "GUANDAN_WEB_PORT": "5000"}
    refused = subprocess.run(
        [COMMAND, "up"], env=environ, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert refused.returncode == 2
    assert "grpc_port" in refused.stderr
