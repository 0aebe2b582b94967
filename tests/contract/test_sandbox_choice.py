"""Which sandbox is chosen, why not a stronger one, and what it is made of."""

from __future__ import annotations

import shutil
import socket
import tarfile
from pathlib import Path

import pytest

from guandan_runner.errors import SandboxUnavailable
from guandan_runner.sandbox import choose, load_policy
from guandan_runner.sandbox.cgroup import ControlGroups, NoControlGroups
from guandan_runner.sandbox.runtime import build_root
from tests.sandboxed import Seats, kinds


@kinds("docker")
def test_containers_of_a_killed_worker_are_removed_by_the_next(seats: Seats, runtime_cache: Path) -> None:
    import docker

    client = docker.from_env()
    image = f"guandan-runtime:{build_root(runtime_cache).digest}"
    labels = {"guandan.owner": f"{socket.gethostname()}/another-boot/1.0"}
    left = client.containers.run(image, ["python", "-c", "input()"], detach=True, network_mode="none", labels=labels)
    choose(wanted="docker", production=False, cache=runtime_cache, policy=load_policy()).sandbox.close()
    assert left.id not in {container.id for container in client.containers.list(all=True, ignore_removed=True)}
    client.close()


@pytest.mark.needs("sandbox:docker")
def test_the_recipe_in_deploy_gives_the_same_image(runtime_cache: Path, tmp_path: Path) -> None:
    import docker

    root = build_root(runtime_cache)
    recipe = Path(__file__).parents[2] / "deploy" / "images" / "runtime" / "Dockerfile"
    shutil.copy(recipe, tmp_path)
    with tarfile.open(tmp_path / "root.tar", "w") as tar:
        tar.add(root.path, arcname=".")
    client = docker.from_env()
    image, _ = client.images.build(path=str(tmp_path), network_mode="none", rm=True)
    said = client.containers.run(
        image, ["python", "-c", "import os, guandan_sdk; print(os.getuid())"], remove=True, network_mode="none"
    )
    client.close()
    assert said.strip() == b"65534"


def test_the_development_sandbox_is_refused_in_production(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="refused in production"):
        choose(wanted="process", production=True, cache=tmp_path, policy=load_policy())


def test_the_development_sandbox_says_loudly_what_it_is(tmp_path: Path) -> None:
    choice = choose(wanted="process", production=False, cache=tmp_path, policy=load_policy())
    assert "DEVELOPMENT ONLY" in choice.statement


def test_the_choice_says_why_stronger_sandboxes_are_not_used(
    runtime_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/d.sock")
    choice = choose(wanted="auto", production=False, cache=runtime_cache, policy=load_policy())
    assert choice.passed_over[0] == ("docker", "no Docker daemon answers at unix:///nowhere/d.sock")
    assert "Not docker: no Docker daemon answers at unix:///nowhere/d.sock." in choice.statement
    choice.sandbox.close()


def test_an_unknown_sandbox_is_refused_with_the_names_there_are(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="docker, bubblewrap, process"):
        choose(wanted="jail", production=False, cache=tmp_path, policy=load_policy())


@pytest.mark.needs("sandbox:bubblewrap")
def test_bubblewrap_without_control_groups_is_refused_in_production_unless_accepted(runtime_cache: Path) -> None:
    def none() -> ControlGroups:
        raise NoControlGroups("nobody may divide them here")

    how = {"wanted": "bubblewrap", "cache": runtime_cache, "policy": load_policy(), "groups": none}
    with pytest.raises(SandboxUnavailable, match=r"refused in production.*nobody may divide.*sandbox_accepts_gaps"):
        choose(production=True, **how)
    choice = choose(production=True, accept_gaps=True, **how)
    assert "not limited for a seat as a whole: nobody may divide them here" in choice.statement
    choice.sandbox.close()
