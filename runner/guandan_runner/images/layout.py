"""The two ways an image is written into one tar, `docker save` and the OCI layout: where its parts are."""

from __future__ import annotations

import hashlib
import io
import posixpath
import re
import tarfile
from collections.abc import Iterator, Mapping
from typing import IO, Any, Final, cast

from guandan_runner.errors import BadArchive
from guandan_runner.images.config import MOST_JSON_BYTES, is_of_this_machine, not_an_image, parse_json, require_machine
from guandan_runner.tars import members

__all__ = ["Parts", "described"]

_PARTS: Final = 4_096
_IMAGES: Final = 8
_NESTED: Final = 3  # lists of images in lists of images
_DIGEST: Final = re.compile(r"sha256:([0-9a-f]{64})")
_LIST: Final = "the list of images"


class Parts:
    """The files of the tar that an image comes in."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._files: dict[str, tarfile.TarInfo] = {}
        for number, member in enumerate(members(stream)):
            if number >= _PARTS:
                raise not_an_image(f"its tar holds more than {_PARTS} files")
            self._files[posixpath.normpath(member.name)] = member

    def has(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return name in self._files

    def open(self, name: str, what: str) -> IO[bytes]:
        """Return a file's bytes as a stream; older Dockers write a layer that is there twice as a link."""
        member = self._files.get(posixpath.normpath(name))
        if member is not None and member.issym():
            beside = posixpath.join(posixpath.dirname(member.name), member.linkname)
            member = self._files.get(posixpath.normpath(beside))
        if member is None or not member.isreg() or member.issparse():
            raise BadArchive(
                "image_incomplete", f"the image names {what} {name[:120]!r} and does not hold it", "save it again"
            )
        return cast("IO[bytes]", _Part(self._stream, member.offset_data, member.size))

    def json(self, name: str, what: str, *, digest: str = "") -> Any:
        """Read a small file, which has this SHA-256 if one is given."""
        data = self.open(name, what).read(MOST_JSON_BYTES + 1)
        value = parse_json(data, what)
        if digest and hashlib.sha256(data).hexdigest() != digest:
            raise BadArchive(
                "image_digest", f"{what} is not what its digest {digest[:12]} says", "save the image again"
            )
        return value


class _Part(io.RawIOBase):
    """A stretch of another file, read from its beginning."""

    def __init__(self, stream: IO[bytes], begin: int, size: int) -> None:
        self._stream = stream
        self._begin = begin
        self._size = size
        self._at = 0

    def read(self, size: int = -1) -> bytes:
        """Read on, to the end at most."""
        left = self._size - self._at
        self._stream.seek(self._begin + self._at)
        data = self._stream.read(left if size < 0 else min(size, left))
        self._at += len(data)
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place, counted from the beginning."""
        assert whence == io.SEEK_SET
        self._at = min(max(offset, 0), self._size)
        return self._at


def described(parts: Parts) -> tuple[Mapping[str, Any], tuple[str, ...], tuple[str, ...]]:
    """Return an image's configuration, the names of its layers, lowest first, and the SHA-256 of each, unpacked."""
    config, layers = _by_docker(parts) if parts.has("manifest.json") else _by_oci(parts)
    root = config.get("rootfs")
    digests = root.get("diff_ids") if isinstance(root, dict) else None
    if not isinstance(digests, list):
        raise not_an_image("its configuration does not list the digests of its layers")
    return config, layers, tuple(map(_hex, digests))


def _by_docker(parts: Parts) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    images = parts.json("manifest.json", _LIST)
    if not isinstance(images, list) or len(images) != 1:
        raise not_an_image("it holds several images, or none; save one")
    image = _table(images[0], "the image's description")
    names = image.get("Layers")
    if not isinstance(names, list):
        raise not_an_image("it lists no layers")
    config = parts.json(_text(image.get("Config"), "the configuration's name"), "the configuration")
    return _table(config, "the configuration"), tuple(_text(name, "a layer's name") for name in names)


def _by_oci(parts: Parts) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    if not parts.has("index.json"):
        raise not_an_image("it holds neither manifest.json (docker save) nor index.json (OCI layout)")
    found = _manifests(parts, parts.json("index.json", _LIST), _NESTED, set())
    manifest = next(found, None)
    if manifest is None or next(found, None) is not None:  # read no further: each takes memory
        raise not_an_image("it holds several images, or none; save one")
    layers = manifest.get("layers")
    if not isinstance(layers, list):
        raise not_an_image("it lists no layers")
    config = _blob_json(parts, manifest.get("config"), "the configuration")
    return config, tuple(_blob(layer, "a layer") for layer in layers)


def _manifests(parts: Parts, index: Any, nested: int, seen: set[str]) -> Iterator[Mapping[str, Any]]:
    """Yield the images in a list that are for this machine or say nothing of machines; raise when all are for others.

    What was seen before is not read again. What is attested of an image stands beside it, as one for a machine called
    unknown.
    """
    listed = _table(index, _LIST).get("manifests")
    if not isinstance(listed, list) or not nested:
        raise not_an_image("its list of images cannot be followed")
    fit = [item for item in listed if _fits(item)]
    if listed and not fit:
        require_machine(listed[0]["platform"])
    for item in fit[:_IMAGES]:
        name = _blob(item, "an image")
        if name in seen:
            continue
        seen.add(name)
        value = _blob_json(parts, item, "an image's description")
        if "manifests" in value:
            yield from _manifests(parts, value, nested - 1, seen)
        else:
            yield value


def _fits(item: Any) -> bool:
    platform = _table(item, _LIST).get("platform")
    return not isinstance(platform, dict) or is_of_this_machine(platform)


def _blob(item: Any, what: str) -> str:
    return f"blobs/sha256/{_hex(_table(item, what).get('digest'))}"


def _blob_json(parts: Parts, item: Any, what: str) -> Mapping[str, Any]:
    name = _blob(item, what)
    return _table(parts.json(name, what, digest=posixpath.basename(name)), what)


def _hex(digest: Any) -> str:
    found = _DIGEST.fullmatch(digest) if isinstance(digest, str) else None
    if found is None:
        raise not_an_image(f"{digest!r:.80} is no digest that can be checked; write sha256:...")
    return found[1]


def _table(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise not_an_image(f"{what} is no table")
    return value


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise not_an_image(f"{what} is {value!r:.80}")
    return value
