"""What the answer is to every bad archive and name: each row is an attack and the code its author reads."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Callable, Mapping

import pytest

from guandan_runner.archives import Limits, inspect
from guandan_runner.errors import BadArchive
from tests.arena import MANIFEST, archive

LIMITS = Limits(total_bytes=1_000_000, files=5_000)
GOOD: Mapping[str, str | bytes] = {"bot.toml": MANIFEST, "bot.py": "print(1)"}


def code(data: bytes, limits: Limits = LIMITS) -> str:
    try:
        inspect(data, limits)
    except BadArchive as bad:
        refused = bad
    else:
        return "taken"
    assert refused.hint
    # Whatever the archive holds, the answer commands no terminal.
    assert refused.reason.isprintable()
    return refused.code


def tar(files: Mapping[str, str | bytes]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as file:
        for name, text in files.items():
            content = text.encode() if isinstance(text, str) else text
            info = tarfile.TarInfo(name)
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return data.getvalue()


both = pytest.mark.parametrize("pack", [archive, tar], ids=["zip", "tar"])


@both
@pytest.mark.parametrize(
    "name",
    [
        "牌型/炸弹.txt",
        "карты.json",
        "بطاقات.txt",
        "カード.txt",
        "κάρτες/ά.txt",
        "카드.txt",
        "ไพ่.txt",
        "🂡.txt",
        "a b.txt",
    ],
)
def test_names_in_every_script_are_taken(name: str, pack: Callable[[Mapping[str, str | bytes]], bytes]):
    assert code(pack({**GOOD, name: "x"})) == "taken"


@both
@pytest.mark.parametrize(
    "name",
    [
        "a\x1b[2Jb.py",  # clears a terminal
        "a\u202egnp.py",  # reads as another ending
        "a\u2066b.py",
        "a\u200bb.py",
        "a\x07.py",
        "a\x7f.py",
        "a\x9b1m.py",
        "a\u2028b.py",
        "C:\\bot.py",
        "/etc/cron.d/bot",
        "x/../../bot.py",
        "../bot.py",
    ],
    ids=ascii,
)
def test_names_that_command_or_climb_are_refused(name: str, pack: Callable[[Mapping[str, str | bytes]], bytes]):
    assert code(pack({**GOOD, name: "x"})) == "unsafe_path"


@both
@pytest.mark.parametrize(
    "names",
    [
        ("Brain.py", "brain.py"),
        ("pkg/a.py", "PKG/b.py"),
        ("straße.txt", "STRASSE.txt"),
        ("caf\u00e9.txt", "cafe\u0301.txt"),
        ("BOT.PY",),
    ],
)
def test_names_that_many_machines_take_for_one_are_refused(
    names: tuple[str, ...], pack: Callable[[Mapping[str, str | bytes]], bytes]
):
    assert code(pack({**GOOD, **dict.fromkeys(names, "x")})) == "path_case"


@both
def test_the_place_of_dependencies_is_the_arenas(pack: Callable[[Mapping[str, str | bytes]], bytes]):
    assert code(pack({**GOOD, ".packages/guandan_sdk/__init__.py": "x"})) == "reserved_path"


def test_a_hundred_thousand_files_are_refused_without_being_read():
    assert code(tar({**GOOD, **{f"f{n}": "" for n in range(100_000)}})) == "too_many_files"


def test_a_bomb_in_a_bomb_is_only_a_file_and_counts_as_its_own_size():
    inner = tar({"zeros": "0" * 50_000_000})
    assert code(archive({**GOOD, "inner.tar.gz": inner})) == "taken"
    assert code(archive({**GOOD, "inner.tar.gz": inner, "more": "0" * 1_000_000})) == "unpacked_too_large"


def test_a_gzip_in_a_gzip_is_no_archive():
    assert code(gzip.compress(tar(GOOD))) == "not_an_archive"


@pytest.mark.parametrize("claimed", [0, 3, 0xFFFFFFFE])
def test_a_zip_that_lies_of_a_files_size_is_refused(claimed: int):
    data = bytearray(archive({**GOOD, "big": "0" * 5_000_000}))
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as file:
        info = file.getinfo("big")
    at = data.rindex(b"PK\1\2", 0, data.rindex(b"big"))
    data[at + 24 : at + 28] = struct.pack("<I", claimed)
    data[info.header_offset + 22 : info.header_offset + 26] = struct.pack("<I", claimed)
    assert code(bytes(data)) in ("not_an_archive", "unpacked_too_large")


@pytest.mark.parametrize(
    ("claimed", "answer"),
    [
        (40_000_000_000, "unpacked_too_large"),
        (6_000_000, "unpacked_too_large"),
        (900_000, "not_an_archive"),
        (1, "not_an_archive"),  # what follows the one byte is no header
    ],
)
def test_a_tar_that_lies_of_a_files_size_gives_no_more_than_it_may(claimed: int, answer: str):
    data = bytearray(gzip.decompress(tar({**GOOD, "big": "0" * 5_000})))
    at = data.rindex(b"big")
    head = tarfile.TarInfo("big")
    head.size = claimed
    data[at : at + 512] = head.tobuf(tarfile.GNU_FORMAT)
    assert code(bytes(data)) == answer


@pytest.mark.parametrize("entry", ['["python", "mind"]', '["python", "-u", "mind"]', '["python", "mind/"]'])
def test_an_entry_that_is_a_folder_is_said_to_be_one(entry: str):
    text = MANIFEST.replace('["python", "bot.py"]', entry)
    with pytest.raises(BadArchive, match=r"bot.entry starts 'mind', which is a folder") as refused:
        inspect(archive({"bot.toml": text, "mind/bot.py": "x"}), LIMITS)
    assert refused.value.code == "no_entry"


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        "\x1b[31mred",
        "bot\u202etxt",
        "Бот",
        "掼蛋",
        "a" * 33,
        "ab",
        "-bot",
        "bot-",
        "b o t",
        "bot\n",
    ],
    ids=ascii,
)
def test_a_name_that_commands_a_page_or_a_terminal_is_no_name_and_is_quoted_in_the_answer(name: str):
    quoted = name.encode("unicode_escape").decode()
    text = MANIFEST.replace('"tester"', f'"{quoted}"').replace("\\x", "\\u00")
    assert code(archive({"bot.toml": text, "bot.py": ""})) in ("bad_name", "bad_manifest")


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("batch = 1", "bot.batch is 1"),
        ('dependencies = "numpy"', "bot.dependencies is 'numpy', not a list"),
        ('dependencies = ["numpy @ https://example.org/n.whl"]', "which is no name with versions"),
        ('dependencies = ["--index-url=https://example.org"]', "which is no name with versions"),
        ('dependencies = ["../evil.whl"]', "which is no name with versions"),
        ("dependencies = [\"numpy; python_version > '3'\"]", "which is no name with versions"),
        ("dependencies = [3]", "which is no name with versions"),
        ("resources = 3", "bot.resources is not a table"),
        ("[bot.resources]\nmemory_mb = 1.5", "bot.resources.memory_mb is 1.5"),
        ("[bot.resources]\nmemory_mb = true", "bot.resources.memory_mb is True"),
        ("[bot.resources]\nmemory_mb = 8", "bot.resources.memory_mb is 8"),
        ("[bot.resources]\ncpus = nan", "bot.resources.cpus is nan"),
        ("[bot.resources]\ncpus = 0", "bot.resources.cpus is 0"),
        ("[bot.resources]\ndisk_mb = 8", "bot.resources has no key 'disk_mb'"),
        ("dependancies = []", "bot has no key 'dependancies'"),
    ],
)
def test_what_a_manifest_wishes_wrongly_is_named_by_its_key(more: str, reason: str):
    with pytest.raises(BadArchive) as refused:
        inspect(archive({"bot.toml": MANIFEST + more, "bot.py": ""}), LIMITS)
    assert reason in refused.value.reason
    assert refused.value.hint


def test_a_manifest_tells_all_that_its_author_wishes():
    more = 'dependencies = ["numpy>=1.26,<3", "tiny_brain[deep]"]\nbatch = true\n'
    more += "[bot.resources]\nmemory_mb = 200\ncpus = 0.5\n"
    found = inspect(archive({"bot.toml": MANIFEST + more, "bot.py": ""}), LIMITS)
    assert found.dependencies == ("numpy>=1.26,<3", "tiny_brain[deep]")
    assert (found.batch, found.memory_mb, found.cpus) == (True, 200, 0.5)


@pytest.mark.parametrize(
    ("runtime", "entry", "code_"),
    [
        ("node", '["node", "bot.js"]', "taken"),
        ("node", '["node", "--max-old-space-size=100", "bot.js"]', "taken"),
        ("node", '["python", "bot.py"]', "bad_entry"),
        ("node", '["node", "gone.js"]', "no_entry"),
        ("any", '["./bot", "--fast"]', "taken"),
        ("any", '["bot"]', "taken"),
        ("any", '["/bin/sh", "-c", "x"]', "no_entry"),
        ("any", '["../../bin/sh"]', "no_entry"),
        ("python-3.11", '["./bot"]', "bad_entry"),
        ("python-3.11", '["python", "-c", "print()"]', "no_entry"),
    ],
)
def test_an_entry_is_a_command_of_its_runtime_and_a_file_of_the_archive(runtime: str, entry: str, code_: str):
    text = f'[bot]\nname = "tester"\nentry = {entry}\nruntime = "{runtime}"\n'
    assert code(archive({"bot.toml": text, "bot.py": "", "bot.js": "", "bot": ""})) == code_


def test_only_python_takes_dependencies():
    text = '[bot]\nname = "tester"\nentry = ["node", "bot.js"]\nruntime = "node"\ndependencies = ["left-pad"]\n'
    assert code(archive({"bot.toml": text, "bot.js": ""})) == "no_dependencies_here"
