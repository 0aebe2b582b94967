"""Bots that bring an image: they play in it as their own machine, and it loosens nothing that holds them back."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from guandan_engine import replay
from guandan_engine.conduct import Verdict
from guandan_proto.manifest import Manifest
from guandan_runner.archives import Limits
from guandan_runner.checking import unpacked
from guandan_runner.errors import BadArchive, ImageNotStarted, TooMuch
from guandan_runner.match import run_match
from guandan_runner.results import BotFiles
from guandan_runner.sandbox import Sandbox, SeatSpec, choose, load_policy
from guandan_runner.sandbox.roots import Roots
from tests.arena import archive
from tests.images import compiled, docker_save, folder, layer, link, oci_layout, special
from tests.seating import match, reference_bot, tasks

POLICY = load_policy()
WALLED = pytest.mark.parametrize(
    "sandbox",
    [pytest.param(name, marks=pytest.mark.needs(f"sandbox:{name}")) for name in ("docker", "bubblewrap")],
    indirect=True,
)
TOLD = {"Entrypoint": ["/app/bot"], "Cmd": ["deck"], "Env": ["MOOD=calm", "PATH=/app"], "WorkingDir": "/work"}
MANIFEST = Manifest("imaged", (), "any", image="image.tar")


@pytest.fixture
def sandbox(request: pytest.FixtureRequest, runtime_cache: Path) -> Iterator[Sandbox]:
    choice = choose(wanted=request.param, production=False, cache=runtime_cache, policy=POLICY)
    yield choice.sandbox
    choice.sandbox.close()


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder that seats' users can reach, as pytest's own is not."""
    with tempfile.TemporaryDirectory(prefix="gai-", dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def bot() -> bytes:
    """FROM scratch, with one program and the file that it looks for where it starts."""
    lower = layer(("app/bot", compiled("bot", "-static")), ("work/deck", b""), ("gone", b"x"))
    return oci_layout([lower, layer((".wh.gone", b""))], TOLD, pack=gzip.compress)


def files(home: Path, image: bytes, roots: Roots, manifest: Manifest = MANIFEST) -> BotFiles:
    """The bot as a worker has it unpacked and built."""
    place = home / "imaged"
    place.mkdir(exist_ok=True)
    place.chmod(0o755)
    (place / "image.tar").write_bytes(image)
    root = roots.of_bot(place, manifest)
    return BotFiles("imaged", "1" * 64, place, manifest.entry or root.entry, root)


def said(sandbox: Sandbox, bot: BotFiles, home: Path) -> str:
    """What a bot that ends by itself has written."""
    seat = sandbox.start(SeatSpec(f"{home.name}-1", bot.folder, bot.entry, home, bot.root))
    assert seat.wait(30)
    return seat.end().log


@WALLED
@pytest.mark.needs("language:c")
def test_a_static_program_in_an_image_from_scratch_plays_boards(
    sandbox: Sandbox, bot: bytes, home: Path, runtime_cache: Path
) -> None:
    imaged = files(home, bot, Roots(runtime_cache))
    end = run_match(match(imaged, reference_bot("greedy", home), tasks(2)), sandbox=sandbox, policy=POLICY)
    assert len(end.tables) == 4
    for table in end.tables:
        assert [seat.verdict for seat in table.seats] == [Verdict.OK] * 4, table.seats
        replay.verify(table.replay)


@WALLED
@pytest.mark.needs("language:c")
def test_what_bot_toml_starts_goes_before_what_the_image_starts(
    sandbox: Sandbox, bot: bytes, home: Path, runtime_cache: Path
) -> None:
    own = replace(MANIFEST, entry=("bot", "image.tar"))  # found by the image's PATH, beside the bot's own files
    imaged = files(home, bot, Roots(runtime_cache), own)
    assert said(sandbox, imaged, home) == "nobody listens\n"


@WALLED
@pytest.mark.needs("language:c")
def test_nothing_of_an_image_runs_before_its_limits_are_set(sandbox: Sandbox, home: Path, runtime_cache: Path) -> None:
    evil = compiled("preload", "-shared", "-fPIC")
    tells = compiled("limits", "-static")
    names = (
        "usr/local/bin/prlimit",
        "usr/bin/prlimit",
        "usr/bin/env",
        ".guandan/prlimit",
        ".guandan/env",
        ".guandan/ld.so",
    )
    hostile = layer(
        ("tells", tells),
        *((name, evil) for name in (*names, "evil.so", "lib/x86_64-linux-gnu/libc.so.6", "lib64/ld-linux-x86-64.so.2")),
        ("etc/ld.so.preload", b"/evil.so\n"),
    )
    told = {"Entrypoint": ["/tells"], "Env": ["LD_PRELOAD=/evil.so", "LD_LIBRARY_PATH=/lib", "LD_AUDIT=/evil.so"]}
    log = said(sandbox, files(home, docker_save([hostile], told), Roots(runtime_cache)), home)
    limits = {line[:26].strip(): line[26:].split()[:2] for line in log.splitlines()}
    assert "PRELOADED" not in log
    assert limits["Max open files"] == [str(POLICY.open_files)] * 2
    assert limits["Max file size"] == [str(POLICY.file_bytes)] * 2
    assert limits["Max core file size"] == ["0", "0"]


def test_an_image_built_before_is_taken_again_whatever_version_brings_it(home: Path, tmp_path: Path) -> None:
    image = docker_save([layer(("app/bot", b"x"))])
    first = files(home, image, Roots(tmp_path))
    again = files(home, image, Roots(tmp_path, image_limits=Limits(0, 0)))
    assert first == again
    assert [path.name for path in tmp_path.iterdir()] == [f"runtime-{first.root.digest}"]


MOUNT = "image_mount_point"


@pytest.mark.parametrize(
    ("image", "code"),
    [
        (docker_save([layer(link("tmp", "/etc"))]), MOUNT),
        (docker_save([layer(link("run", "/root"))]), MOUNT),
        (docker_save([layer(folder("run"), link("run/arena", "/root"))]), MOUNT),
        (docker_save([layer(link("etc", "/elsewhere"))]), MOUNT),
        (docker_save([layer(("bot", b"x"))]), MOUNT),  # a file where the bot's folder goes
        (docker_save([layer(link("sbin", "/nowhere"))]), MOUNT),
        (docker_save([layer(("a", b"x"))], {"Cmd": ["/a"], "WorkingDir": "/a"}), "image_folder"),
        (docker_save([layer(link("w", "w"))], {"Cmd": ["/a"], "WorkingDir": "/w"}), "image_folder"),
        (
            docker_save([layer(link("w", "/bot/x"), folder("bot/x"))], {"Cmd": ["/a"], "WorkingDir": "/w"}),
            "image_folder",
        ),
        (docker_save([layer(folder("bot/x"))], {"Cmd": ["/a"], "WorkingDir": "/bot/x"}), "image_folder"),
        (docker_save([layer(special("a", b"4"))]), "image_special_file"),
        (docker_save([layer(("a", b"x"))], {"Cmd": None}), "no_entry"),
        (b"no image", "not_an_image"),
    ],
)
def test_an_image_that_no_sandbox_could_start_leaves_nothing(
    home: Path, tmp_path: Path, image: bytes, code: str
) -> None:
    with pytest.raises(BadArchive) as refused:
        files(home, image, Roots(tmp_path))
    assert (refused.value.code, bool(refused.value.hint)) == (code, True)
    assert code == "no_entry" or list(tmp_path.iterdir()) == []


def test_an_image_starts_in_its_folder_which_is_made_if_it_is_not_there(home: Path, tmp_path: Path) -> None:
    for number, (path, *pieces) in enumerate(
        [("/desk/here",), ("/desk", link("desk", "usr/desk"), folder("usr/desk"))]
    ):
        image = docker_save([layer(("a", b"x"), *pieces)], {"Cmd": ["/a"], "WorkingDir": path})
        root = files(home, image, Roots(tmp_path / str(number))).root
        assert root is not None
        assert (root.folder, (root.path / path[1:]).is_dir()) == (path, True)


@WALLED
@pytest.mark.needs("language:c")
def test_what_lies_where_a_sandbox_mounts_files_keeps_no_seat_from_starting(
    sandbox: Sandbox, home: Path, runtime_cache: Path
) -> None:
    places = ("etc/hosts", "etc/hostname", "etc/resolv.conf", "usr/sbin/docker-init", "dev/console", "proc/self")
    pieces = (("tells", compiled("limits", "-static")), link("sbin", "usr/sbin"), *map(folder, places))
    image = docker_save([layer(*pieces)], {"Entrypoint": ["/tells"]})
    assert said(sandbox, files(home, image, Roots(runtime_cache)), home).startswith("Limit")


def test_links_of_an_image_are_not_followed_while_its_root_is_made(home: Path, tmp_path: Path) -> None:
    ours, before = tmp_path / "cache", sorted(os.listdir(tmp_path))
    image = docker_save([layer(link(".guandan", str(tmp_path)), link("lib", str(tmp_path)), ("app", b"x"))])
    root = files(home, image, Roots(ours)).root
    assert root is not None
    assert sorted(os.listdir(tmp_path)) == [*before, "cache"]
    assert not (root.path / ".guandan").is_symlink()


def test_an_operators_limits_are_those_of_images_too(home: Path, tmp_path: Path) -> None:
    with pytest.raises(TooMuch):
        files(home, docker_save([layer(("a", bytes(2_000)))]), Roots(tmp_path, image_limits=Limits(1_000, 1_000)))


def packed(more: Mapping[str, str | bytes] | None = None, *, runtime: str = "any", image: str = "image.tar") -> bytes:
    text = f'[bot]\nname = "imaged"\nruntime = "{runtime}"\nimage = "{image}"\n'
    return archive({"bot.toml": text, **({"image.tar": docker_save([layer(("a", b"x"))])} if more is None else more)})


def test_the_development_sandbox_starts_no_image_and_says_so(home: Path) -> None:
    with pytest.raises(ImageNotStarted) as told:
        unpacked(packed(), home / "bot", policy=POLICY, roots=None)
    assert "docker or bubblewrap only" in told.value.reason
    assert "another sandbox than process" in told.value.hint


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (packed({}), "bot.image is 'image.tar', which the archive does not hold"),
        (packed(image="../image.tar"), "bot.image is '../image.tar'"),
        (packed(image="/image.tar"), "bot.image is '/image.tar'"),
        (packed(runtime="node"), "the runtime node takes no image of the author's"),
    ],
)
def test_an_image_is_a_file_of_the_archive_and_of_a_runtime_that_takes_one(
    home: Path, data: bytes, reason: str
) -> None:
    bot, end = unpacked(data, home / "bot", policy=POLICY, roots=None)
    assert bot is None
    assert reason in end.reason
