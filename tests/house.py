"""A whole arena as an operator starts it, `guandan-arena up` in a folder of its own, and authors who come to it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import grpc

from guandan_arena.store import SqlStore, connect
from guandan_proto.v1 import arena_pb2, arena_pb2_grpc, bots_pb2
from guandan_sdk.archive import pack
from guandan_sdk.arena import Arena as Client

COMMAND = str(Path(sys.executable).with_name("guandan-arena"))
PATIENCE_S = 120
PARTS = ("valkey", "server", "worker", "beat")
T = TypeVar("T")


def eventually(look: Callable[[], T | None], what: str, *, patience_s: float = PATIENCE_S) -> T:
    """Ask until there is an answer that is true."""
    until = time.monotonic() + patience_s
    while True:
        if found := look():
            return found
        assert time.monotonic() < until, f"{what} did not happen within {patience_s:.0f} s"
        time.sleep(0.05)


def processes_of(mark: str) -> list[int]:
    """Processes whose command line or environment holds a mark, but this one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            text = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
            if mark.encode() in text and folder.name != str(os.getpid()):
                found.append(int(folder.name))
    return found


class House:
    """An arena that is up."""

    def __init__(self, data: Path, **settings: str) -> None:
        self.data = data
        self.log = data.with_suffix(".log")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GUANDAN_")}
        patient = {"GUANDAN_MATCH_LIMIT_MS": "100000000"}  # the slowest legal match fits in, whatever the clocks
        self.environ = {**kept, **patient, "GUANDAN_DATA_DIR": str(data), **settings}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen([COMMAND, "up"], env=self.environ, stdout=log, stderr=log)

    @property
    def parts(self) -> Mapping[str, Mapping[str, Any]]:
        """What the supervisor says of each part."""
        return {part["name"]: part for part in self._json("state.json").get("parts", ())}

    @property
    def grpc(self) -> str:
        """Where authors log in."""
        scheme = "https://" if "GUANDAN_TLS_CERT" in self.environ else ""
        return scheme + str(self._json("ports.json")["grpc"])

    def all_ready(self) -> bool:
        """Whether every part is; an arena that has ended is a failure."""
        assert self.process.poll() is None, self.story()
        parts, remotes = self.parts, {"remotes"} if "GUANDAN_REMOTE_PORTS" in self.environ else set()
        return set(parts) == remotes.union(PARTS) and {part["state"] for part in parts.values()} == {"ready"}

    def pid(self, part: str) -> int:
        """The process of a part, once it has one."""
        return eventually(lambda: self.parts.get(part, {}).get("pid"), f"a process of {part}")

    def run(self, *words: str, code: int = 0) -> str:
        """Run another operator's command, which must end with this code, and return what it writes."""
        ended = subprocess.run(
            [COMMAND, *words], env=self.environ, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        assert ended.returncode == code, (
            f"{self.story()}\n{words} ended with {ended.returncode}\n{ended.stdout}{ended.stderr}"
        )
        return ended.stdout

    def client(self, token: str = "") -> Client:
        """The arena as an author's program sees it."""
        return Client(self.grpc, token)

    def event(self, event_id: str) -> arena_pb2.GetEventResponse:
        """An event with its rounds, matches and standings; waits for a server that is being started."""
        request = arena_pb2.GetEventRequest(event_id=event_id)
        with grpc.insecure_channel(self.grpc) as channel:
            stub = arena_pb2_grpc.ArenaServiceStub(channel)
            return stub.GetEvent(request, timeout=PATIENCE_S, wait_for_ready=True)

    @contextmanager
    def store(self) -> Iterator[SqlStore]:
        """The truth in SQL, which needs none of the parts."""
        store = SqlStore(connect(f"sqlite:///{self.data / 'arena.db'}", wait_ms=0))
        try:
            yield store
        finally:
            store.close()

    def stop(self) -> int:
        """Ask everything to end, and return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)

    def story(self, lines: int = 20) -> str:
        """The end of every log."""
        texts = {path.name: path.read_text(errors="replace") for path in (self.log, *self.data.glob("logs/*.log"))}
        return "\n".join(f"--- {name}\n" + "\n".join(text.splitlines()[-lines:]) for name, text in texts.items())

    def _json(self, name: str) -> dict[str, Any]:
        with suppress(OSError):
            return json.loads((self.data / "run" / name).read_text())  # type: ignore[no-any-return]
        return {}


@contextmanager
def house(data: Path, **settings: str) -> Iterator[House]:
    """An arena, up and with all parts ready for the length of a block; nothing of it is left afterwards."""
    arena = House(data, **settings)
    try:
        eventually(lambda: arena.all_ready() and "grpc" in arena._json("ports.json"), "an arena that is up")
        yield arena
    finally:
        if arena.process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                arena.stop()
        arena.process.kill()
        arena.process.wait()


def write_reference_bot(home: Path, *, bot: str, plays: str) -> Path:
    """Write the folder of a bot that plays as the SDK's reference bot ``plays``, ready to be packed."""
    name = f"{plays.title()}Bot"
    code = f"# {bot}\nfrom guandan_sdk import run\nfrom guandan_sdk.bots.{plays} import {name}\n\nrun({name})\n"
    return write_bot(home, bot=bot, code=code)


def write_bot(home: Path, *, bot: str, code: str) -> Path:
    """Write the folder of a bot, ready to be packed."""
    home.mkdir(parents=True)
    (home / "bot.toml").write_text(
        f'[bot]\nname = "{bot}"\nentry = ["python", "bot.py"]\nruntime = "python-3.11"\n', encoding="utf-8"
    )
    (home / "bot.py").write_text(code, encoding="utf-8")
    return home


def submit(arena: House, bot: str, home: Path) -> str:
    """Open an account, create its bot, submit a folder: what an author does. Returns the version's id."""
    with arena.client() as client:
        token = client.create_account(f"{bot}-author").token
    filename, archive = pack(home)
    with arena.client(token) as client:
        client.create_bot(bot)
        return client.submit(bot, filename, archive, "").version.id


def submit_reference_bots(arena: House, folder: Path, bots: Mapping[str, str]) -> None:
    """Submit bots (name to the reference bot it plays as) and wait until all are active."""
    wait_for_checks(
        arena,
        {submit(arena, bot, write_reference_bot(folder / bot, bot=bot, plays=plays)) for bot, plays in bots.items()},
    )


def wait_for_checks(arena: House, versions: Collection[str]) -> None:
    """Wait until all these versions are active."""

    def checked() -> bool:
        with arena.client() as client:
            found = [client.version(version_id) for version_id in versions]
        over = [version for version in found if version.check.state not in UNDECIDED]
        refused = [version.check for version in over if version.state != bots_pb2.VERSION_STATE_ACTIVE]
        assert not refused, f"{refused}\n{arena.story()}"
        return len(over) == len(versions)

    eventually(checked, "the checks of all bots")


UNDECIDED = (bots_pb2.CHECK_STATE_QUEUED, bots_pb2.CHECK_STATE_PLAYING)
