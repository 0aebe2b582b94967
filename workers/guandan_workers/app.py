"""The Celery application of the workers: ``celery -A guandan_workers.app worker`` (or ``beat``)."""

from __future__ import annotations

import os

# Before grpc is imported anywhere: sandboxes are spawned from processes that hold gRPC servers.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

from celery import Celery
from celery.signals import worker_init

from guandan_arena import settings
from guandan_arena.live import heartbeats
from guandan_arena.live.queue import celery_settings
from guandan_arena.tracebacks import without_values

without_values()
app = Celery("guandan_workers", include=["guandan_workers.tasks"])
_settings = settings.read(os.environ)
app.conf.update(celery_settings(_settings))


@worker_init.connect
def _begin(**_: object) -> None:
    """Say which sandbox plays here and give signs of life; a worker without a sandbox ends at once."""
    from guandan_runner import seating  # noqa: PLC0415 - the beat needs none of it
    from guandan_workers.shelf import tidy  # noqa: PLC0415
    from guandan_workers.worker import announce_sandbox  # noqa: PLC0415

    tidy(_settings)
    seating.sweep(older_than_s=_settings.match_limit_ms / 1000)
    heartbeats.announce(_settings.broker_url, announce_sandbox())
