"""The production sandbox: one hardened container per seat, its image made from the runtime root without a registry."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Set
from pathlib import Path
from typing import Any, Final

import docker
import requests
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from docker.models.containers import Container
from docker.types import Mount, Ulimit

from guandan_runner.errors import InfrastructureFault, SandboxUnavailable
from guandan_runner.runtimes import RuntimeRoot
from guandan_runner.sandbox.cgroup import ControlGroups, NoControlGroups, daemon_groups
from guandan_runner.sandbox.container import DockerSeat, words
from guandan_runner.sandbox.imported import import_image, prune_images
from guandan_runner.sandbox.owner import process_name
from guandan_runner.sandbox.policy import Policy, seat_uids
from guandan_runner.sandbox.process import root_environment
from guandan_runner.sandbox.seat import (
    BOT_DIR_INSIDE,
    SOCKET_DIR_INSIDE,
    SOCKET_NAME,
    SeatSpec,
)
from guandan_runner.sandbox.seccomp import docker_profile

__all__ = ["OWNER_LABEL", "DockerSandbox", "image_finder", "image_pruner", "is_orphan", "owner_label"]

OWNER_LABEL: Final = "guandan.owner"
TIMEOUT_S: Final = 60


class DockerSandbox:
    """Runs a bot in a container: no network, read-only, own memory, share of a processor and process count."""

    kind = "docker"
    gap = ""

    def __init__(self, policy: Policy, root: RuntimeRoot) -> None:
        """Connect to the daemon, import the image when it is new, and remove containers whose worker has died."""
        self._client = _connect()
        self._policy = policy
        self._root = root
        self._importing = threading.Lock()
        try:
            self._images = {root.digest: import_image(self._client, root)}
            _remove_orphans(self._client)
            self._groups = _groups(self._client)
        except (DockerException, requests.RequestException) as error:
            raise SandboxUnavailable("docker", f"the daemon refused: {words(error)}") from error
        self._uids = seat_uids(policy)
        self._options = container_options(policy)

    def start(self, spec: SeatSpec) -> DockerSeat:
        """Start a seat's bot in a container of its own."""
        ordered = time.monotonic()
        mounts = [
            Mount(BOT_DIR_INSIDE, str(spec.bot), type="bind", read_only=True),
            Mount(SOCKET_DIR_INSIDE, str(spec.socket_dir), type="bind", read_only=True),
        ]
        uid = next(self._uids)
        own: dict[str, Any] = {"name": spec.name, "mounts": mounts, "user": f"{uid}:{uid}"}
        own |= seen_inside(spec.root or self._root)
        try:
            group = self._groups.open(spec.name, self._policy, only=("cpu",)) if self._groups else None
        except OSError as error:
            raise InfrastructureFault(f"no control group for {spec.name}: {error}") from error
        if group:
            own["cgroup_parent"] = group.parent
        try:
            container = self._created(spec, own)
        except (OSError, DockerException, requests.RequestException) as error:
            if group:
                group.close()
            raise InfrastructureFault(f"no container for {spec.name}: {words(error)}") from error
        return DockerSeat(container, policy=self._policy, group=group, ordered=ordered)

    def close(self) -> None:
        """Close the connection to the daemon."""
        self._client.close()

    def _created(self, spec: SeatSpec, own: dict[str, Any]) -> Container:
        """Create a seat's container, importing its image again when an operator has cleared it away meanwhile."""
        root = spec.root or self._root
        try:
            return self._client.containers.create(self._image(root), list(spec.entry), **own, **self._options)
        except ImageNotFound:
            with self._importing:
                self._images.pop(root.digest, None)
            return self._client.containers.create(self._image(root), list(spec.entry), **own, **self._options)

    def _image(self, root: RuntimeRoot) -> str:
        """Return the name of a root's image, imported by the first seat that needs it."""
        if root.image:
            return root.image
        with self._importing:
            if root.digest not in self._images:
                self._images[root.digest] = import_image(self._client, root)
            return self._images[root.digest]


def image_pruner() -> Callable[[Set[str], float], int] | None:
    """Return a way to remove images of roots, given the digests to keep and an age; None when no daemon answers."""
    try:
        client = _connect()
    except SandboxUnavailable:
        return None

    def prune(kept: Set[str], older_than_s: float) -> int:
        with contextlib.closing(client):
            return prune_images(client, kept, older_than_s=older_than_s)

    return prune


def image_finder() -> Callable[[str], str | None] | None:
    """Return a way to find the id of an image the daemon has, by its name; None when no daemon answers."""
    try:
        client = _connect()
    except SandboxUnavailable:
        return None

    def find(name: str) -> str | None:
        try:
            return str(client.images.get(name).id)
        except ImageNotFound:
            return None
        except (DockerException, requests.RequestException) as error:
            raise InfrastructureFault(f"the Docker daemon does not tell of {name}: {words(error)}") from error

    return find


def _connect() -> docker.DockerClient:
    """Return a client of the daemon that DOCKER_HOST names, or of the usual one; raise SandboxUnavailable."""
    address = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    try:
        if address.startswith("unix://"):  # the client would leave a socket open when nobody listens
            with socket.socket(socket.AF_UNIX) as trial:
                trial.connect(address.removeprefix("unix://"))
        client = docker.from_env(timeout=TIMEOUT_S)
        client.ping()
    except (OSError, DockerException) as error:
        raise SandboxUnavailable("docker", f"no Docker daemon answers at {address}") from error
    return client


def _groups(client: docker.DockerClient) -> ControlGroups | None:
    """Return groups for containers to lie in, or None where the daemon or this process's rights do not allow it."""
    if client.info().get("CgroupDriver") != "cgroupfs":
        return None
    with contextlib.suppress(NoControlGroups):
        return daemon_groups()
    return None


def seen_inside(root: RuntimeRoot) -> dict[str, Any]:
    """Return what a bot finds when it starts in a root: its variables and where it is."""
    target = f"unix:{SOCKET_DIR_INSIDE}/{SOCKET_NAME}"
    return {"environment": root_environment(root, target), "working_dir": root.folder or BOT_DIR_INSIDE}


def container_options(policy: Policy) -> dict[str, Any]:
    """Return what every seat's container is created with: the policy in Docker's words."""
    return {
        "hostname": policy.hostname,
        "labels": {OWNER_LABEL: owner_label(os.getpid())},
        "network_mode": "none",
        "runtime": policy.docker_runtime or None,
        "read_only": True,
        "tmpfs": {"/tmp": f"rw,noexec,nosuid,nodev,size={policy.tmp_bytes},mode=1777"},  # noqa: S108
        "mem_limit": policy.memory_bytes,
        "memswap_limit": policy.memory_bytes,
        "nano_cpus": int(policy.cpus * 1_000_000_000),
        "pids_limit": policy.processes,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges", f"seccomp={docker_profile()}"],
        "init": policy.docker_init,
        "ipc_mode": "none",
        "cgroupns": "private",
        "ulimits": [
            Ulimit(name="nofile", soft=policy.open_files, hard=policy.open_files),
            Ulimit(name="fsize", soft=policy.file_bytes, hard=policy.file_bytes),
            Ulimit(name="core", soft=0, hard=0),
        ],
        "log_config": {"Type": "none"},  # the worker listens itself, and ends a bot that says too much
    }


def _remove_orphans(client: docker.DockerClient) -> None:
    """Remove containers whose worker was killed: nobody else will."""
    for container in client.containers.list(all=True, ignore_removed=True, filters={"label": OWNER_LABEL}):
        if is_orphan(container.labels[OWNER_LABEL]):
            with contextlib.suppress(NotFound, APIError):  # another worker removes it at the same time
                container.remove(force=True)


def owner_label(pid: int) -> str:
    """Name a process of this machine for good: host, boot, process number and when it was started.

    Workers on several machines, or in several containers of one, may share a daemon and do not see each other's
    processes; after a new boot, and in time anyway, numbers come again.
    """
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{socket.gethostname()}/{boot}/{process_name(pid)}"


def is_orphan(label: str) -> bool:
    """Whether the process so named was of this host and lives no more; of other hosts nothing can be said."""
    host, _, rest = label.partition("/")
    pid = rest.rpartition("/")[2].partition(".")[0]
    return host == socket.gethostname() and pid.isdigit() and label != owner_label(int(pid))
