"""Bots that stay at home: `guandan connect` against a whole arena over TLS, with an authority of its own."""

from __future__ import annotations

import csv
import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
import zstandard

from guandan_engine import replay
from tests import machine
from tests.house import House, eventually, house, processes_of, submit_reference_bots

pytestmark = pytest.mark.needs("broker:valkey", "database:sqlite")

COMMAND = str(Path(sys.executable).with_name("guandan"))
PORTS = "42310-42339"


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("tls")
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
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GUANDAN_CA", str(folder / "ca.pem"))
        with house(folder / "arena", **settings) as arena:
            submit_reference_bots(arena, folder / "bots", {"housebot": "greedy"})
            yield arena


class Author:
    """An account on a machine of its own, as far as its files go."""

    def __init__(self, arena: House, home: Path, name: str) -> None:
        with arena.client() as client:
            token = client.create_account(name).token
        self.home = home
        self.environ = os.environ | {"HOME": str(home), "GUANDAN_SERVER": arena.grpc, "GUANDAN_TOKEN": token}

    def begin(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [COMMAND, "connect", *words],
            env=self.environ,
            cwd=self.home,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def connect(self, *words: str) -> tuple[int, str, str]:
        process = self.begin(*words)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err


def test_a_remote_bot_plays_an_unrated_game_and_gets_its_replays(arena: House, tmp_path: Path) -> None:
    author = Author(arena, tmp_path, "ada")
    code, out, err = author.connect("greedy", "--as", "ada-dev", "--against", "housebot", "--format", "csv")
    assert code == 0, f"{err}\n{arena.story()}"
    (row,) = csv.DictReader(io.StringIO(out))
    assert (row["score"], row["rated"]) == ("0", "no")  # greedy against greedy, both ways round
    files = row["replays"].split()
    assert len(files) == 2
    for file, seats in zip(
        files, (["ada-dev (remote)", "housebot/1"], ["housebot/1", "ada-dev (remote)"]), strict=True
    ):
        read = replay.verify(zstandard.ZstdDecompressor().decompressobj().decompress((tmp_path / file).read_bytes()))
        assert [seat.name for seat in read.header.seats] == seats * 2
    assert err.count(", seat ") == 4
    with arena.client() as client:
        assert client.matches() == []
        assert [(r.elo, r.games) for r in client.ladder(10) if r.games] == []


def test_what_cannot_be_played_is_refused_with_reason_and_hint(arena: House, tmp_path: Path) -> None:
    author = Author(arena, tmp_path, "bob")
    code, out, err = author.connect("greedy", "--as", "bob-dev", "--against", "nobody")
    assert (code, out) == (3, "")
    assert "no bot 'nobody' is active" in err
    assert "hint: choose one of: housebot" in err
    code, _, err = author.connect("greedy", "--as", "housebot", "--against", "housebot")
    assert code == 3
    assert "is housebot-author's" in err


def test_an_arena_that_is_not_trusted_is_not_talked_to(arena: House, tmp_path: Path) -> None:
    author = Author(arena, tmp_path, "eve")
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "other.pem"))
    author.environ["GUANDAN_CA"] = str(tmp_path / "other.pem")
    code, out, err = author.connect("greedy", "--as", "eve-dev", "--against", "housebot")
    assert (code, out) == (3, "")
    assert "error: the server's certificate is not one this machine trusts" in err


def test_ctrl_c_leaves_no_process_behind(arena: House, tmp_path: Path) -> None:
    author = Author(arena, tmp_path, "mallory")
    author.environ["HERE"] = mark = str(tmp_path)
    process = author.begin("planner", "--as", "mallory-dev", "--against", "housebot", "--boards", "4")
    seats = f"HERE={mark}", "guandan_sdk.bots.planner"
    eventually(lambda: set.intersection(*(set(processes_of(text)) for text in seats)), "a seat's process")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert processes_of(f"HERE={mark}") == []
