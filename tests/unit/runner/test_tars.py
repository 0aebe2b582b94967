"""Tars whose attributes are written to keep their reader busy, or to fill its memory."""

from __future__ import annotations

import io
import tarfile

import pytest

from guandan_runner.tars import BrokenTar, members


def attributes(data: bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    """A header of attributes, whatever they are."""
    header = tarfile.TarInfo("attributes")
    header.type, header.size = kind, len(data)
    return header.tobuf(tarfile.USTAR_FORMAT) + data + bytes(-len(data) % tarfile.BLOCKSIZE)


def files(*names: str) -> bytes:
    """A tar of empty files."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        for name in names:
            tar.addfile(tarfile.TarInfo(name))
    return data.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        b"1" * 20_000,
        b"".join(b"3 \n" for _ in range(5_000)) + b"5 a=\n",
        b"5 a=",
        b"9 a=\n",
        b"5 a:\n",
        b"0 a=\n",
        b"4 =\n",
        b"a=\n",
    ],
    ids=["digits", "empty", "no end", "too short", "no value", "no length", "no key", "no number"],
)
def test_attributes_that_are_not_written_as_they_have_to_be_are_refused(data: bytes) -> None:
    with pytest.raises(BrokenTar, match="attribute"):
        list(members(io.BytesIO(attributes(data) + files("bot.py"))))


def test_what_a_tar_says_for_all_its_members_is_not_kept_with_each() -> None:
    said = attributes(b"15 comment=abc\n", tarfile.XGLTYPE)
    found = list(members(io.BytesIO(said + files("a", "b"))))
    assert [(member.name, member.pax_headers) for member in found] == [("a", {}), ("b", {})]


def test_a_name_that_is_an_attribute_is_read() -> None:
    name = "手" * 100
    assert [member.name for member in members(io.BytesIO(files(name, "b")))] == [name, "b"]
