"""Container images made by hand: layers as tars, written as `docker save` or as an OCI layout."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).parent / "programs"

MACHINE = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
# A path with its content, or a header that says what it is.
Piece = tuple[str, bytes] | tarfile.TarInfo


def layer(*pieces: Piece) -> bytes:
    """A layer of files and of whatever headers stand for."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        for piece in pieces:
            if isinstance(piece, tarfile.TarInfo):
                tar.addfile(piece)
            else:
                info = tarfile.TarInfo(piece[0])
                info.size, info.mode = len(piece[1]), 0o755
                tar.addfile(info, io.BytesIO(piece[1]))
    return data.getvalue()


def special(name: str, kind: bytes, target: str = "", mode: int = 0o755) -> tarfile.TarInfo:
    """A header without content: a folder, a link, a device."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, target, mode
    return info


def folder(name: str) -> tarfile.TarInfo:
    """A folder."""
    return special(name, tarfile.DIRTYPE)


def link(name: str, target: str) -> tarfile.TarInfo:
    """A symbolic link."""
    return special(name, tarfile.SYMTYPE, target)


def hard_link(name: str, target: str) -> tarfile.TarInfo:
    """A hard link."""
    return special(name, tarfile.LNKTYPE, target)


def config(layers: Sequence[bytes], told: Mapping[str, Any] | None = None, **others: Any) -> dict[str, Any]:
    """The configuration of an image of this machine's kind with these unpacked layers."""
    digests = [f"sha256:{sha256(data)}" for data in layers]
    base = {"os": "linux", "architecture": MACHINE, "rootfs": {"type": "layers", "diff_ids": digests}}
    return {**base, "config": dict(told or {"Entrypoint": ["/bot"]}), **others}


def sha256(data: bytes) -> str:
    """Its digest in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def archive(files: Mapping[str, bytes]) -> bytes:
    """A tar of these files."""
    return layer(*files.items())


def docker_save(
    layers: Sequence[bytes],
    told: Mapping[str, Any] | None = None,
    *,
    pack: Callable[[bytes], bytes] = bytes,
    **others: Any,
) -> bytes:
    """An image as `docker save` writes it."""
    names = [f"{number}/layer.tar" for number in range(len(layers))]
    described = [{"Config": "config.json", "RepoTags": ["bot:1"], "Layers": names}]
    files = {"manifest.json": dumped(described), "config.json": dumped(config(layers, told, **others))}
    return archive(files | dict(zip(names, map(pack, layers), strict=True)))


def oci_layout(
    layers: Sequence[bytes],
    told: Mapping[str, Any] | None = None,
    *,
    pack: Callable[[bytes], bytes] = bytes,
    platform: Mapping[str, str] | None = None,
    beside: Iterable[Mapping[str, Any]] = (),
    **others: Any,
) -> bytes:
    """An image as an OCI layout; ``beside`` are other descriptors in its index."""
    blobs: dict[str, bytes] = {}

    def put(data: bytes) -> dict[str, Any]:
        blobs[f"blobs/sha256/{sha256(data)}"] = data
        return {"digest": f"sha256:{sha256(data)}", "size": len(data)}

    manifest = {
        "schemaVersion": 2,
        "config": put(dumped(config(layers, told, **others))),
        "layers": [put(pack(data)) for data in layers],
    }
    described = put(dumped(manifest)) | ({"platform": dict(platform)} if platform else {})
    index = {"schemaVersion": 2, "manifests": [*beside, described]}
    return archive({"oci-layout": dumped({"imageLayoutVersion": "1.0.0"}), "index.json": dumped(index), **blobs})


def dumped(value: Any) -> bytes:
    """JSON."""
    return json.dumps(value).encode()


def compiled(name: str, *how: str) -> bytes:
    """A program of the folder ``programs``, made by this machine's C compiler."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place, "program")
        subprocess.run(["gcc", "-O1", *how, "-o", str(out), str(PROGRAMS / f"{name}.c")], check=True)
        return out.read_bytes()
