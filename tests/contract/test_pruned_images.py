"""The Docker daemon's images of roots go when their roots are gone and they are old, and never from under a seat."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from guandan_runner.runtimes import RuntimeRoot
from guandan_runner.sandbox.imported import REPOSITORY, import_image, prune_images

pytestmark = pytest.mark.needs("sandbox:docker")
DAY_S = 86_400


@pytest.fixture
def client() -> Iterator[docker.DockerClient]:
    client = docker.from_env()
    yield client
    client.close()


@pytest.fixture
def image(client: docker.DockerClient, tmp_path: Path) -> Iterator[str]:
    """The digest of a root whose image the daemon has."""
    digest = f"test-{secrets.token_hex(4)}"
    (tmp_path / "root").mkdir()
    (tmp_path / "root/file").write_text(digest)
    import_image(client, RuntimeRoot(tmp_path / "root", digest))
    yield digest
    if there(client, digest):
        client.images.remove(f"{REPOSITORY}:{digest}", force=True)


def there(client: docker.DockerClient, digest: str) -> bool:
    return bool(client.images.list(name=f"{REPOSITORY}:{digest}"))


def others(client: docker.DockerClient, digest: str) -> set[str]:
    """Whatever else the daemon has, which is not this test's to remove."""
    names = {name for image in client.images.list(name=REPOSITORY) for name in image.tags}
    return {name.rpartition(":")[2] for name in names} - {digest}


def prune(client: docker.DockerClient, image: str, *, days: float, keep: bool = False) -> int:
    kept = others(client, image) | ({image} if keep else set())
    return prune_images(client, kept, older_than_s=7 * DAY_S, now_s=time.time() + days * DAY_S)


def test_an_image_whose_root_is_gone_goes_when_it_is_old(client: docker.DockerClient, image: str) -> None:
    assert (prune(client, image, days=6), there(client, image)) == (0, True)
    assert (prune(client, image, days=8, keep=True), there(client, image)) == (0, True)
    assert (prune(client, image, days=8), there(client, image)) == (1, False)


def test_an_image_that_a_container_uses_stays(client: docker.DockerClient, image: str) -> None:
    container = client.containers.create(f"{REPOSITORY}:{image}", ["/file"], network_mode="none")
    try:
        assert (prune(client, image, days=8), there(client, image)) == (0, True)
    finally:
        container.remove(force=True)
