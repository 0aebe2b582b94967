"""The command line against an arena: accounts, submissions, lists, and refusals told as reason and hint."""

from __future__ import annotations

import io
import json
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from guandan_proto.v1 import bots_pb2
from guandan_sdk.archive import pack
from guandan_sdk.channels import target_of
from guandan_sdk.cli import stages
from guandan_sdk.cli.app import app
from guandan_sdk.cli.session import ident
from guandan_sdk.errors import InvalidArchive, InvalidInput
from tests.unit.sdk.arena_server import ArenaServer, serving_arena


def guandan(*args: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(app, list(args), input=typed)


@pytest.fixture(autouse=True)
def author(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GUANDAN_CREDENTIALS", str(tmp_path / "conf" / "credentials.json"))
    monkeypatch.delenv("GUANDAN_TOKEN", raising=False)
    monkeypatch.delenv("GUANDAN_SERVER", raising=False)
    monkeypatch.setattr(stages, "WAIT_SECONDS", (0.0, 0.0))
    return tmp_path


@pytest.fixture
def service() -> ArenaServer:
    return ArenaServer()


@pytest.fixture
def server(service: ArenaServer) -> Iterator[str]:
    with serving_arena(service) as address:
        yield address


@pytest.fixture
def logged_in(server: str) -> str:
    assert guandan("login", "--server", server, "--name", "ada").exit_code == 0
    return server


def test_login_opens_an_account_and_keeps_the_token_to_its_owner(logged_in: str, author: Path) -> None:
    file = author / "conf" / "credentials.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text()) == {"default": logged_in, "tokens": {logged_in: "token-of-ada"}}


def test_a_token_is_taken_from_the_environment_or_typed_but_checked_first(
    service: ArenaServer, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.accounts["secret"] = "bob"
    wrong = guandan("login", "--server", server, typed="wrong\n")
    assert (wrong.exit_code, wrong.stderr) == (
        3,
        "error: this token is not known or has expired\nhint: log in again: guandan login\n",
    )
    assert "as bob" in guandan("login", "--server", server, typed="secret\n").stderr
    monkeypatch.setenv("GUANDAN_TOKEN", "secret")
    assert "as bob" in guandan("login", "--server", server).stderr


def test_a_name_that_is_taken_is_told_with_reason_and_hint(logged_in: str) -> None:
    refused = guandan("login", "--server", logged_in, "--name", "ada")
    assert refused.exit_code == 3
    assert refused.stderr == "error: ada is taken\nhint: choose another\n"


def test_an_arena_that_cannot_be_reached_exits_3() -> None:
    refused = guandan("ladder", "--server", "127.0.0.1:1")
    assert refused.exit_code == 3
    assert refused.stderr.startswith("error: the server cannot be reached")
    assert "hint: check the address" in refused.stderr


def test_a_bot_is_created_sent_and_checked(logged_in: str, service: ArenaServer) -> None:
    guandan("init", "mybot")
    sent = guandan("submit", "mybot", "-m", "first try", "--wait", "--format", "json")
    assert sent.exit_code == 0
    version = json.loads(sent.stdout)
    assert (version["bot"], version["version"], version["state"], version["check"]) == ("mybot", 1, "active", "passed")
    with zipfile.ZipFile(io.BytesIO(service.archives[0])) as archive:
        assert archive.namelist() == ["README.md", "bot.py", "bot.toml", "test_bot.py"]


def test_sending_the_same_bytes_again_says_which_version_they_are(logged_in: str) -> None:
    guandan("init", "mybot")
    guandan("bot", "create", "mybot")
    guandan("submit", "mybot", "-m", "first")
    again = guandan("submit", "mybot", "-m", "again")
    assert "these very bytes are version 1 already" in again.stderr


def test_a_version_that_fails_its_check_exits_1_and_shows_the_evidence(logged_in: str, service: ArenaServer) -> None:
    service.passes = False
    guandan("init", "mybot")
    guandan("bot", "create", "mybot")
    sent = guandan("submit", "mybot", "-m", "with torch", "--wait")
    assert sent.exit_code == 1
    assert "its process ended during play" in sent.stdout
    assert "checked   refused  ImportError: no module named torch (crashed)\nhint: run it here\n" in sent.stderr
    assert sent.stderr.endswith("the end of its output:\nimport torch\n")
    status = guandan("bot", "status", "https://arena.example.org/bots/mybot", "--format", "json")
    assert json.loads(status.stdout)[0]["state"] == "refused"
    assert "version 1: checked   refused  ImportError: no module named torch" in status.stderr
    assert "log of checked:\n--- seat 0\nimport torch" in guandan("bot", "status", "mybot", "--log").stderr


def test_a_check_that_the_arena_cannot_finish_exits_1_and_says_whose_fault_it_is(
    logged_in: str, service: ArenaServer
) -> None:
    service.stalls = True
    guandan("init", "mybot")
    guandan("bot", "create", "mybot")
    sent = guandan("submit", "mybot", "-m", "first", "--wait")
    assert sent.exit_code == 1
    assert "no fault of the bot; send the same bytes again" in sent.stderr


def test_the_name_in_the_manifest_is_reserved_by_the_first_upload(logged_in: str, service: ArenaServer) -> None:
    guandan("init", "mybot")
    assert "the bot mybot is yours now" in guandan("submit", "mybot", "-m", "x").stderr
    assert service.bots == {"mybot": "ada"}


def test_a_name_given_by_hand_is_never_reserved_by_mistake(logged_in: str, service: ArenaServer) -> None:
    guandan("init", "mybot")
    refused = guandan("submit", "mybot", "-m", "x", "--bot", "mybto")
    assert refused.exit_code == 3
    assert refused.stderr.endswith("error: there is no bot mybto\nhint: guandan bot create mybto\n")
    assert service.bots == {}


def test_waiting_tells_every_stage_once_as_it_changes(logged_in: str, service: ArenaServer) -> None:
    guandan("init", "mybot")
    sent = guandan("submit", "mybot", "-m", "x", "--wait")
    told = [line.split() for line in sent.stderr.splitlines()[2:]]
    assert told == [
        *(["received", "done"], ["unpacked", "done"], ["built", "done"]),
        *(["checked", "running"], ["checked", "done"], ["active", "done"]),
    ]


def test_versions_are_listed_activated_retired_and_rolled_back(logged_in: str, service: ArenaServer) -> None:
    guandan("init", "mybot")
    for number in (1, 2):
        Path("mybot/notes.txt").write_text(str(number))
        guandan("submit", "mybot", "-m", f"try {number}")
    rows = json.loads(guandan("bot", "versions", "mybot", "--format", "json").stdout)
    assert [(row["version"], len(row["digest"])) for row in rows] == [(1, 64), (2, 64)]
    active = json.loads(guandan("bot", "activate", "mybot", "--version", "2", "--format", "json").stdout)
    assert (active["version"], active["state"]) == (2, "active")
    nothing = guandan("bot", "rollback", "mybot")
    assert (nothing.exit_code, nothing.stderr) == (3, "error: no other has played\nhint: list them\n")
    service.versions[0].state = bots_pb2.VERSION_STATE_CHECKED
    assert json.loads(guandan("bot", "rollback", "mybot", "--format", "json").stdout)["version"] == 1
    assert (
        json.loads(guandan("bot", "retire", "mybot", "--version", "2", "--format", "json").stdout)["state"] == "retired"
    )
    missing = guandan("bot", "retire", "mybot", "--version", "9")
    assert (missing.exit_code, missing.stderr.splitlines()[0]) == (2, "error: the bot mybot has no version 9")


def test_what_the_ignore_file_names_is_left_out(author: Path) -> None:
    guandan("init", "mybot")
    for name in ("data/big.bin", "data/keep.txt", "notes.md", "deep/notes.md"):
        path = Path("mybot") / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    Path("mybot/.guandanignore").write_text("# not for the arena\ndata/*\n!data/keep.txt\n/notes.md\n")
    names = zipfile.ZipFile(io.BytesIO(pack(Path("mybot"))[1])).namelist()
    assert [name for name in names if "/" in name or "notes" in name] == ["data/keep.txt", "deep/notes.md"]


def test_an_ignore_file_that_cannot_be_read_says_so(author: Path) -> None:
    guandan("init", "mybot")
    Path("mybot/.guandanignore").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidArchive, match="cannot be read"):
        pack(Path("mybot"))


def test_bots_are_listed_over_all_pages(logged_in: str, service: ArenaServer) -> None:
    service.bots.update({f"bot{number}": "bob" for number in range(5)})
    guandan("bot", "create", "mine")
    everyone = json.loads(guandan("bot", "list", "--format", "json").stdout)
    assert [row["name"] for row in everyone] == ["bot0", "bot1", "bot2", "bot3", "bot4", "mine"]
    mine = json.loads(guandan("bot", "list", "--mine", "--format", "json").stdout)
    assert [row["name"] for row in mine] == ["mine"]


def test_the_ladder_is_read_to_the_length_asked_for(server: str) -> None:
    rows = json.loads(guandan("ladder", "--server", server, "--top", "3", "--format", "json").stdout)
    assert [(row["rank"], row["elo"]) for row in rows] == [(1, 1598.5), (2, 1597.0), (3, 1595.5)]
    assert [(row["fit"], row["low"], row["ranks"]) for row in rows] == [
        (1550.0, 1500.5, "1-2"),
        (None, None, None),
        (None, None, None),
    ]
    table = guandan("ladder", "--server", server).stdout
    assert table.splitlines()[0].split() == (
        ["rank", "bot", "owner", "version", "elo", "fit", "low", "high", "ranks", "games"]
    )
    assert len(table.splitlines()) == 6


def test_matches_are_listed_and_shown_with_every_seat(server: str) -> None:
    listed = json.loads(guandan("match", "list", "--server", server, "--format", "json").stdout)
    assert (listed[0]["a"], listed[0]["score"], listed[0]["elo_change"]) == ("alpha/3", 5, 7.2)
    address = "https://arena.example.org/match/m1?seat=2#d3m41"
    shown = json.loads(guandan("match", "show", address, "--server", server, "--format", "json").stdout)
    assert [(seat["way"], seat["bot"]) for seat in shown["seats"][:2]] == [(0, "alpha"), (0, "beta")]
    assert [seat["bot"] for seat in shown["seats"][4:6]] == ["beta", "alpha"]
    assert [seat["overhead_us"] for seat in shown["seats"]] == [700] * 4 + [701] * 4
    missing = guandan("match", "show", "m9", "--server", server)
    assert (missing.exit_code, missing.stderr) == (3, "error: there is no match m9\n")


def test_replays_of_a_match_are_downloaded_whole(server: str, service: ArenaServer, author: Path) -> None:
    guandan("play", "greedy", "greedy", "-n", "1", "-o", "g.gdr.jsonl")
    service.replay = Path("g-b1w0.gdr.jsonl").read_bytes()
    got = guandan("replay", "get", "m1", "--server", server)
    assert got.stdout.split() == ["m1-b1w0.gdr.jsonl", "m1-b1w1.gdr.jsonl"]
    assert guandan("replay", "verify", "m1-b1w1.gdr.jsonl").exit_code == 0


def test_a_folder_packs_to_the_same_bytes_without_caches_or_dotfiles(author: Path) -> None:
    guandan("init", "mybot")
    _, first = pack(Path("mybot"))
    for name in (".git/config", "__pycache__/bot.pyc", ".env", "game-b1w0.gdr.jsonl"):
        path = Path("mybot") / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("secret")
    (Path("mybot") / "bot.py").touch()
    assert pack(Path("mybot")) == ("mybot.zip", first)


@pytest.mark.parametrize("make", ["nothing", "empty folder", "not an archive", "zip without manifest", "bad manifest"])
def test_what_cannot_be_sent_is_refused_before_anything_is_sent(
    make: str, logged_in: str, service: ArenaServer
) -> None:
    path = Path("thing")
    if make == "empty folder":
        path.mkdir()
    elif make == "not an archive":
        path.write_bytes(b"hello")
    elif make == "zip without manifest":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("bot.py", "")
    elif make == "bad manifest":
        path.mkdir()
        (path / "bot.toml").write_text("[bot]\nname = 3\n")
    refused = guandan("submit", str(path), "-m", "x")
    assert refused.exit_code in (1, 2)
    assert refused.stderr.startswith("error: ")
    assert "hint: " in refused.stderr
    assert not service.archives


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("m1", "m1"),
        ("https://x.org/match/m1", "m1"),
        ("https://x.org/match/m1/?seat=2#d3m41", "m1"),
        ("http://127.0.0.1:80/replay/m1.gdr.jsonl", "m1"),
        ("https://x.org/en/bots/deep-1/versions", "deep-1"),
    ],
)
def test_ids_may_be_pasted_as_addresses(text: str, expected: str) -> None:
    assert ident(text) == expected


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        ("localhost:7654", ("localhost:7654", False)),
        ("127.0.0.1:7654", ("127.0.0.1:7654", False)),
        ("arena.example.org", ("arena.example.org:443", True)),
        ("https://arena.example.org/", ("arena.example.org:443", True)),
        ("http://10.0.0.2:99", ("10.0.0.2:99", False)),
        ("unix:/run/a.sock", ("unix:/run/a.sock", False)),
        ("[::1]:5", ("[::1]:5", False)),
    ],
)
def test_a_token_is_only_sent_in_the_clear_where_that_was_said(server: str, expected: tuple[str, bool]) -> None:
    assert target_of(server) == expected


@pytest.mark.parametrize("server", ["", "ftp://x", "host:port", "http://"])
def test_a_server_address_that_is_none_is_refused(server: str) -> None:
    with pytest.raises(InvalidInput, match="not a server address"):
        target_of(server)
