"""Uploads as hostile input."""

from __future__ import annotations

import gzip
import io
import stat
import struct
import tarfile
import zipfile
from collections.abc import Mapping

import pytest

from guandan_runner.archives import Limits, inspect, unpack
from guandan_runner.errors import BadArchive, TooMuch
from tests.arena import MANIFEST, REMOTE_MANIFEST, archive

LIMITS = Limits(total_bytes=100_000, files=20)
GOOD = {"bot.toml": MANIFEST, "bot.py": "print(1)", "pkg/mind.py": "x = 1"}


def tar(files: Mapping[str, str], *, mode: str = "w:gz", extra: tarfile.TarInfo | None = None) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as file:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            file.addfile(info, io.BytesIO(text.encode()))
        if extra is not None:
            file.addfile(extra)
    return data.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def refusal(data: bytes, limits: Limits = LIMITS) -> BadArchive:
    with pytest.raises((BadArchive, TooMuch)) as refused:
        inspect(data, limits)
    assert refused.value.reason
    assert refused.value.hint
    return refused.value


def outcome(data: bytes) -> str:
    try:
        inspect(data, LIMITS)
    except BadArchive as refused:
        return refused.code
    return "read"


@pytest.mark.parametrize("data", [archive(GOOD), tar(GOOD), tar(GOOD, mode="w")], ids=["zip", "tar.gz", "tar"])
def test_a_good_archive_is_read_and_unpacked(data, tmp_path):
    manifest = inspect(data, LIMITS)
    assert (manifest.name, manifest.entry, manifest.runtime) == ("tester", ("python", "bot.py"), "python-3.11")
    unpack(data, tmp_path, LIMITS)
    assert {str(p.relative_to(tmp_path)): p.read_text() for p in tmp_path.rglob("*") if p.is_file()} == GOOD


def packed(compression: int) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as file:
        for name, text in (GOOD | {"牌.txt": "x"}).items():
            file.writestr(name, text * 20 if name == "bot.py" else text)
    return data.getvalue()


@pytest.mark.parametrize(
    "whole",
    [
        *map(packed, (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)),
        tar(GOOD, mode="w"),
    ],
    ids=["stored", "deflated", "bzip2", "lzma", "tar"],
)
def test_whatever_byte_of_an_archive_is_damaged_it_is_read_or_refused_with_a_reason(whole):
    places = range(0, len(whole), 1 if len(whole) < 2000 else 41)
    damaged = [whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :] for place in places]
    assert {"read", "not_an_archive"} <= set(map(outcome, damaged))


@pytest.mark.parametrize(
    "data",
    [b"hello", b"", b"PK\x03\x04 and then nothing", archive(GOOD)[:-30], tar(GOOD)[:60], gzip.compress(b"x" * 3000)],
    ids=["text", "nothing", "zip head", "cut zip", "cut tar", "gzip of no tar"],
)
def test_what_is_no_whole_archive_is_refused(data):
    assert refusal(data).code in ("not_an_archive", "no_manifest")


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_a_tar_is_not_read_up_to_its_break(mode):
    whole = tar(GOOD, mode="w")
    third = whole.index(b"pkg/mind.py")
    for broken in (whole[:third] + b"\xff" * 512 + whole[third + 512 :], whole[:third]):
        assert refusal(gzip.compress(broken) if mode == "w:gz" else broken).code == "not_an_archive"


def test_a_header_of_a_tar_is_not_read_whatever_its_length():
    info = tarfile.TarInfo("long")
    info.pax_headers = {"comment": "x" * 2_000_000}
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as file:
        file.addfile(info)
    refused = refusal(data.getvalue(), Limits(total_bytes=10_000_000, files=20))
    assert (refused.code, "a header is too long" in refused.reason) == ("not_an_archive", True)


def test_folders_of_a_tar_are_counted_too():
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as file:
        for number in range(50):
            file.addfile(special(f"d{number}", tarfile.DIRTYPE))
    assert refusal(data.getvalue()).code == "too_many_files"


def test_damaged_content_is_refused():
    data = bytearray(archive({"bot.toml": MANIFEST, "bot.py": "x" * 5000}))
    at = data.index(b"bot.toml") + len(b"bot.toml") + 3
    data[at] ^= 0xFF
    assert refusal(bytes(data)).code == "not_an_archive"


@pytest.mark.parametrize("name", ["../evil.py", "/etc/passwd", "a/../../evil", "a\\b.py", "line\nbreak.py", "x" * 600])
@pytest.mark.parametrize("pack", [archive, tar])
def test_unsafe_paths_are_refused(name, pack):
    assert refusal(pack(GOOD | {name: "x"})).code == "unsafe_path"


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_a_tar_are_refused(kind):
    assert refusal(tar(GOOD, extra=special("evil", kind, "/etc/passwd"))).code == "special_file"


def test_a_link_in_a_zip_is_refused():
    data = io.BytesIO(archive(GOOD))
    with zipfile.ZipFile(data, "a") as file:
        info = zipfile.ZipInfo("evil")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(info, "/etc/passwd")
    assert refusal(data.getvalue()).code == "special_file"


@pytest.mark.parametrize("pack", [archive, tar])
def test_a_compressed_bomb_is_refused(pack):
    assert refusal(pack(GOOD | {"zeros": "0" * 10_000_000})).code == "unpacked_too_large"


def test_a_bomb_of_many_small_files_is_refused_by_its_sum():
    assert refusal(archive(GOOD | {f"f{n}": "0" * 9_000 for n in range(15)})).code == "unpacked_too_large"


@pytest.mark.parametrize("pack", [archive, tar])
def test_too_many_files_are_refused(pack):
    assert refusal(pack(GOOD | {f"f{n}": "" for n in range(30)})).code == "too_many_files"


def listing(entries: int, *, declared: int, zip64: bool = False, comment: bytes = b"") -> bytes:
    """A zip of nothing but its listing, which says of itself what it likes."""
    listed = struct.pack("<4s24xHHH12x", b"PK\1\2", 1, 0, 0) + b"f"
    data = listed * entries
    size = len(data)
    if zip64:
        data += struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, declared, declared, size, 0)
        data += struct.pack("<4sLQL", b"PK\6\7", 0, size, 1)
        declared = size = 0xFFFFFFFF
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, min(declared, 0xFFFF), min(declared, 0xFFFF), size, 0, len(comment))
    return data + end + comment


@pytest.mark.parametrize("zip64", [False, True], ids=["zip", "zip64"])
@pytest.mark.parametrize("comment", [b"", b"a comment"], ids=["", "comment"])
@pytest.mark.parametrize(("listed", "declared"), [(60_000, 60_000), (60_000, 1), (1, 60_000)])
def test_a_zip_that_lists_too_many_entries_is_refused_before_its_listing_is_read(
    listed, declared, comment, zip64, monkeypatch
):
    def read(_: object) -> None:
        pytest.fail("the listing was read")

    data = listing(listed, declared=declared, zip64=zip64, comment=comment)
    assert zipfile.is_zipfile(io.BytesIO(data))
    monkeypatch.setattr(zipfile.ZipFile, "_RealGetContents", read)
    assert refusal(data).code == "too_many_files"


def test_entries_of_a_zip_inside_an_archive_are_not_counted():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for name, text in (GOOD | {"wheel.zip": archive({f"f{n}": "" for n in range(100)})}).items():
            file.writestr(name, text)
    assert inspect(data.getvalue(), LIMITS).name == "tester"


@pytest.mark.parametrize("names", [("a", "a/b"), ("a/b", "a"), ("bot.py", "./bot.py")])
def test_a_path_that_comes_twice_is_refused(names):
    assert refusal(tar(GOOD | dict.fromkeys(names, "x"))).code == "path_twice"


def test_a_manifest_one_folder_down_is_pointed_out():
    answer = refusal(archive({"mybot/bot.toml": MANIFEST, "mybot/bot.py": ""}))
    assert answer.code == "no_manifest"
    assert "'mybot/bot.toml'" in answer.reason


@pytest.mark.parametrize(
    ("manifest", "code"),
    [
        ("not toml [", "bad_manifest"),
        ("x = 1", "bad_manifest"),
        ("bot = 3", "bad_manifest"),
        (MANIFEST.replace('"tester"', '"No Good"'), "bad_name"),
        (MANIFEST.replace('"tester"', "7"), "bad_manifest"),
        (MANIFEST.replace("python-3.11", "cobol-85"), "unknown_runtime"),
        (MANIFEST.replace('["python", "bot.py"]', '"python bot.py"'), "bad_manifest"),
        (MANIFEST.replace('["python", "bot.py"]', '["sh", "bot.py"]'), "bad_entry"),
        (MANIFEST.replace('["python", "bot.py"]', "[]"), "bad_manifest"),
        (MANIFEST.replace("bot.py", "other.py"), "no_entry"),
        (MANIFEST.replace('"bot.py"', '"-m", "nothing"'), "no_entry"),
        (MANIFEST.replace('"bot.py"', '"-m"'), "no_entry"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_refused(manifest, code):
    answer = refusal(archive({"bot.toml": manifest, "bot.py": ""}))
    assert answer.code == code


def test_the_archive_of_a_remote_bot_is_its_manifest_and_nothing_else():
    manifest = inspect(archive({"bot.toml": REMOTE_MANIFEST}), LIMITS)
    assert (manifest.is_remote, manifest.entry) == (True, ())
    at_home = REMOTE_MANIFEST + 'entry = ["./bot", "--fast"]\n'
    assert inspect(archive({"bot.toml": at_home}), LIMITS).entry == ("./bot", "--fast")
    assert refusal(archive({"bot.toml": REMOTE_MANIFEST, "bot.py": ""})).code == "remote_with_files"
    for more in ('dependencies = ["numpy"]\n', "[bot.resources]\nmemory_mb = 64\n", "entry = []\n"):
        assert refusal(archive({"bot.toml": REMOTE_MANIFEST + more})).code == "bad_manifest"


def test_an_entry_may_be_a_module_of_the_archive():
    files = {"bot.toml": MANIFEST.replace('"bot.py"', '"-m", "pkg.run", "--fast"'), "pkg/run.py": ""}
    assert inspect(archive(files), LIMITS).entry == ("python", "-m", "pkg.run", "--fast")


def test_unpacking_keeps_only_the_executable_bit(tmp_path):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as file:
        for name, mode in (("run.sh", 0o6777), ("bot.py", 0o000)):
            info = tarfile.TarInfo(name)
            info.mode = mode
            file.addfile(info, io.BytesIO())
    unpack(data.getvalue(), tmp_path, LIMITS)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"run.sh": 0o755, "bot.py": 0o644}
