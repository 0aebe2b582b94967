"""An open event over TLS: bots that stay at home beside bots of the arena, and one whose author never comes."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import grpc
import pytest
import trustme

from guandan_proto.v1 import arena_pb2, arena_pb2_grpc, nights_pb2
from guandan_sdk.channels import open_channel
from tests import machine
from tests.house import House, eventually, house, processes_of, submit_reference_bots, wait_for_checks

pytestmark = pytest.mark.needs("broker:valkey", "database:sqlite")

COMMAND = str(Path(sys.executable).with_name("guandan"))
PORTS = "42340-42369"
OVER = nights_pb2.EVENT_STATE_OVER


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("open")
    authority = trustme.CA()
    own = authority.issue_cert("127.0.0.1", "localhost")
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    own.private_key_pem.write_to_path(str(folder / "key.pem"))
    for pem in own.cert_chain_pems:
        pem.write_to_path(str(folder / "cert.pem"), append=True)
    settings = {
        "GUANDAN_TLS_CERT": str(folder / "cert.pem"),
        "GUANDAN_TLS_KEY": str(folder / "key.pem"),
        "GUANDAN_REMOTE_HOST": "127.0.0.1",
        "GUANDAN_REMOTE_PORTS": PORTS,
        "GUANDAN_SANDBOX": "process" if machine.missing("sandbox:bubblewrap") else "bubblewrap",
        "GUANDAN_CLOCK_MOVE_MS": "10000",
        "GUANDAN_REMOTE_WORKERS": "2",
        "GUANDAN_LEASE_MS": "6000",
        "GUANDAN_LEASE_RENEW_MS": "1000",
        "GUANDAN_REAP_MS": "1000",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GUANDAN_CA", str(folder / "ca.pem"))
        with house(folder / "arena", **settings) as arena:
            submit_reference_bots(arena, folder / "bots", {"here-one": "greedy", "here-two": "random"})
            yield arena


class Author:
    """An account whose bot stays on a machine of its own, as far as its files go."""

    def __init__(self, arena: House, home: Path, bot: str) -> None:
        with arena.client() as client:
            token = client.create_account(f"{bot}-author").token
        self.bot = bot
        self.home = home / bot
        self.home.mkdir()
        (self.home / "bot.toml").write_text(f'[bot]\nname = "{bot}"\nruntime = "remote"\n', encoding="utf-8")
        code = "from guandan_sdk.bots.greedy import GreedyBot\n\n\nclass Away(GreedyBot):\n    pass\n"
        (self.home / "bot.py").write_text(code, encoding="utf-8")
        own = {"HOME": str(self.home), "GUANDAN_SERVER": arena.grpc, "GUANDAN_TOKEN": token}
        self.environ = os.environ | own

    def submit(self) -> str:
        done = self._run("submit", ".", "-m", "at home", "--format", "csv")
        return next(csv.DictReader(io.StringIO(done)))["id"]

    def attend(self, *words: str) -> subprocess.Popen[str]:
        with (self.home / "log").open("a") as log:
            return subprocess.Popen(
                [COMMAND, "connect", ".", "--format", "csv", *words],
                env=self.environ,
                cwd=self.home,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    @property
    def told(self) -> str:
        return (self.home / "log").read_text(encoding="utf-8")

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            [COMMAND, *words], env=self.environ, cwd=self.home, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def event_page(arena: House, event_id: str) -> arena_pb2.GetEventResponse:
    with open_channel(arena.grpc) as channel:
        stub = arena_pb2_grpc.ArenaServiceStub(channel)
        return stub.GetEvent(arena_pb2.GetEventRequest(event_id=event_id), timeout=60, wait_for_ready=True)


def over(arena: House, event_id: str) -> arena_pb2.GetEventResponse | None:
    with suppress(grpc.RpcError):
        page = event_page(arena, event_id)
        return page if page.event.state == OVER else None
    return None


def tickets(author: Author) -> set[str]:
    """The tickets that the processes of an author's bot have been given."""
    found = set()
    for pid in processes_of(f"HOME={author.home}"):
        with suppress(OSError):
            variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            found |= {text.partition(b"=")[2].decode() for text in variables if text.startswith(b"GUANDAN_TICKET=")}
    return found


def ending_of(match: nights_pb2.Match) -> int:
    """How a match ends when nobody but eve stays away."""
    absent = {match.a.bot: nights_pb2.MATCH_ENDING_FORFEIT_A, match.b.bot: nights_pb2.MATCH_ENDING_FORFEIT_B}
    return absent.get("away-eve", nights_pb2.MATCH_ENDING_PLAYED)


def ratings(arena: House) -> str:
    return hashlib.sha256(arena.run("ratings", "dump").encode()).hexdigest()


def test_an_open_event_with_bots_that_stay_at_home_runs_to_its_end_and_moves_no_rating(
    arena: House, tmp_path: Path
) -> None:
    before = ratings(arena)
    ada, bob, eve = (Author(arena, tmp_path, bot) for bot in ("away-ada", "away-bob", "away-eve"))
    wait_for_checks(arena, {author.submit() for author in (ada, bob, eve)})
    waiting = ada.attend()
    eventually(lambda: "attends" in ada.told, "an author who attends")
    os.kill(arena.pid("server"), signal.SIGKILL)  # it comes back, and so does she
    eventually(lambda: "not heard" in ada.told, "an author who notices")
    event_id = arena.run("night", "--remote", "--rounds", "2", "--boards", "1").strip()
    named = bob.attend("--event", event_id)

    # A worker that dies takes its door along: the match is played again, and everybody is invited again.
    secrets = eventually(lambda: tickets(ada), "a seat's process")
    os.kill(arena.pid("remotes"), signal.SIGKILL)

    page = eventually(lambda: over(arena, event_id), "the end of the event", patience_s=240)
    out, _ = named.communicate(timeout=60)
    eventually(lambda: f"event {event_id} is over" in ada.told, "word of the end to who attends all events")
    waiting.send_signal(signal.SIGINT)
    waiting.communicate(timeout=60)
    story = f"{ada.told}\n{bob.told}\n{arena.story()}"
    assert named.returncode == 0, story
    assert waiting.returncode == 130, story
    assert "Traceback" not in ada.told + bob.told, story

    places = {line.entrant.bot: line for line in page.standings}
    assert {bot for bot, line in places.items() if line.entrant.remote} == {"away-ada", "away-bob", "away-eve"}
    assert page.event.kind == nights_pb2.EVENT_KIND_OPEN
    (row,) = csv.DictReader(io.StringIO(out))
    assert (row["event"], row["place"]) == (event_id, str(places["away-bob"].place))
    assert (row["faults"], row["rated"]) == ("none", "no")
    played = [match for item in page.rounds for match in item.matches if match.HasField("b")]
    assert {match.rated for match in played} == {False}
    assert {match.delta_milli for match in played} == {0}
    assert {match.id: match.ending for match in played} == {match.id: ending_of(match) for match in played}, story
    told = arena.story(lines=1_000_000) + ada.told + bob.told
    assert [ticket for ticket in secrets if ticket in told] == []
    assert not places["away-ada"].faults
    assert places["away-eve"].losses >= 1
    assert max(match.attempts for match in played) >= 2

    assert ratings(arena) == before
    assert "clean" in arena.run("audit")
    assert "identical" in arena.run("ratings", "rebuild")
    for author in (ada, bob, eve):
        assert processes_of(f"HOME={author.home}") == []


def test_a_rated_night_leaves_remote_bots_out(arena: House, tmp_path: Path) -> None:
    author = Author(arena, tmp_path, "away-dan")
    wait_for_checks(arena, {author.submit()})
    event_id = arena.run("night", "--rounds", "1", "--boards", "1").strip()
    page = eventually(lambda: over(arena, event_id), "the end of the night")
    assert {line.entrant.bot for line in page.standings} == {"here-one", "here-two"}
