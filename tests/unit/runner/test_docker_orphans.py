"""Containers name the worker that owns them: only those of a dead worker of this very host may be removed."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator

import docker
import pytest

from guandan_runner.sandbox import choose, load_policy
from guandan_runner.sandbox.docker import OWNER_LABEL, is_orphan, owner_label
from guandan_runner.sandbox.imported import REPOSITORY


@pytest.fixture
def dead() -> str:
    """The label of a worker that was there and is gone."""
    with subprocess.Popen(["sleep", "60"]) as worker:
        label = owner_label(worker.pid)
        worker.kill()
    return label


def elsewhere(label: str) -> str:
    return label.replace(socket.gethostname(), "another-host", 1)


def before_the_boot(label: str) -> str:
    host, _, process = label.split("/")
    return f"{host}/00000000-0000-0000-0000-000000000000/{process}"


def test_a_living_worker_has_no_orphans():
    assert not is_orphan(owner_label(os.getpid()))


def test_a_dead_workers_containers_are_orphans(dead: str):
    assert is_orphan(dead)


def test_a_number_that_came_again_is_another_worker():
    alive = owner_label(os.getpid())
    assert is_orphan(alive.rpartition(".")[0] + ".1")
    assert is_orphan(before_the_boot(alive))


def test_of_a_worker_on_another_host_nothing_is_known(dead: str):
    assert not is_orphan(elsewhere(dead))
    assert not is_orphan(elsewhere(owner_label(os.getpid())))


@pytest.mark.parametrize("label", ["", "strange", f"{socket.gethostname()}/x/y"])
def test_a_label_that_is_not_ours_is_left_alone(label: str):
    assert not is_orphan(label)


@pytest.fixture
def daemon() -> Iterator[docker.DockerClient]:
    client = docker.from_env()
    yield client
    client.close()


@pytest.mark.needs("sandbox:docker")
def test_a_new_worker_removes_the_orphans_of_its_host_and_no_other_container(
    daemon: docker.DockerClient, dead: str, runtime_cache
) -> None:
    def start() -> None:
        choose(wanted="docker", production=False, cache=runtime_cache, policy=load_policy()).sandbox.close()

    start()
    image = next(image for image in daemon.images.list(name=REPOSITORY))
    labels = (dead, elsewhere(dead), owner_label(os.getpid()))
    made = [daemon.containers.create(image, ["python"], labels={OWNER_LABEL: label}) for label in labels]
    try:
        start()
        left = {container.id for container in daemon.containers.list(all=True, ignore_removed=True)}
        assert [container.id in left for container in made] == [False, True, True]
    finally:
        for container in made[1:]:
            container.remove(force=True)
