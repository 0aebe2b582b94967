"""Blobs by digest."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from guandan_arena.errors import InvalidArgument, NotFound, Unavailable
from guandan_arena.store import FolderBlobs


@pytest.fixture
def blobs(tmp_path):
    return FolderBlobs(tmp_path / "blobs")


@pytest.mark.parametrize("data", [b"", b"cards", os.urandom(100_000)])
def test_bytes_come_back_by_their_digest(blobs, data):
    digest = blobs.put(data)
    assert digest == hashlib.sha256(data).hexdigest()
    assert blobs.has(digest)
    assert blobs.get(digest) == data
    assert blobs.put(data) == digest


def test_what_was_never_kept_is_not_found(blobs):
    assert not blobs.has("0" * 64)
    with pytest.raises(NotFound):
        blobs.get("0" * 64)


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "0" * 63, "G" * 64, "0" * 64 + "\n"])
def test_only_digests_are_looked_up(blobs, digest):
    with pytest.raises(InvalidArgument):
        blobs.get(digest)


def test_damaged_bytes_are_not_given_out(blobs, tmp_path):
    digest = blobs.put(b"cards")
    (file,) = (tmp_path / "blobs").rglob(digest)
    file.write_bytes(b"carts")
    with pytest.raises(Unavailable, match="damaged"):
        blobs.get(digest)


def test_many_writers_of_the_same_bytes_leave_one_file(blobs, tmp_path):
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(blobs.put, [b"cards"] * 32))) == 1
    assert sum(path.is_file() for path in (tmp_path / "blobs").rglob("*")) == 1


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "blobs").write_text("a file")
    with pytest.raises(Unavailable, match="blobs"):
        FolderBlobs(tmp_path / "blobs").put(b"cards")
