"""Images that the Docker daemon holds of roots: imported when a seat first needs one, removed when nobody does."""

from __future__ import annotations

import contextlib
import os
import tarfile
import tempfile
import time
from collections.abc import Set
from datetime import datetime
from pathlib import Path
from typing import Final

import docker
import requests
from docker.errors import APIError, DockerException, ImageNotFound
from docker.models.images import Image

from guandan_runner.runtimes import RuntimeRoot

__all__ = ["REPOSITORY", "import_image", "prune_images"]

REPOSITORY: Final = "guandan-runtime"


def import_image(client: docker.DockerClient, root: RuntimeRoot) -> str:
    """Return the name of the image made from this root, importing it when the daemon has none."""
    name = f"{REPOSITORY}:{root.digest}"
    try:
        client.images.get(name)
    except ImageNotFound:
        with tempfile.TemporaryDirectory(prefix=f"ga-{os.getpid()}-image") as folder:
            archive = Path(folder, "root.tar")
            with tarfile.open(archive, "w") as tar:
                tar.add(root.path, arcname=".", filter=_owned_by_root)
            client.api.import_image(str(archive), repository=REPOSITORY, tag=root.digest)
        client.images.get(name)
    return name


def prune_images(
    client: docker.DockerClient, kept: Set[str], *, older_than_s: float, now_s: float | None = None
) -> int:
    """Remove images of roots that are older than an age and not of these digests; return how many went.

    Those that a container uses stay. Another arena at the same daemon imports again what it misses.
    """
    now = time.time() if now_s is None else now_s
    gone = 0
    with contextlib.suppress(DockerException, requests.RequestException):  # a daemon that does not answer keeps all
        for image in client.images.list(name=REPOSITORY):
            if now - _made_s(image) > older_than_s:
                gone += sum(_removed(client, name) for name in image.tags if _digest(name) not in kept)
    return gone


def _digest(name: str) -> str:
    return name.rpartition(":")[2]


def _made_s(image: Image) -> float:
    """Return when an image was made, in seconds; the daemon writes more digits than can be read everywhere."""
    return datetime.fromisoformat(image.attrs["Created"][:19] + "+00:00").timestamp()


def _removed(client: docker.DockerClient, name: str) -> bool:
    """Take an image away unless a container uses it; answer whether it is gone by our doing."""
    try:
        client.images.remove(name)
    except (APIError, ImageNotFound):
        return False
    return True


def _owned_by_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Give a file of the image to its root, whoever built the folder."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry
