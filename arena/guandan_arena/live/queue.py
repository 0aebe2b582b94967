"""The queue of work as Celery sees it: the one place of its settings, and the side that puts work in.

Workers reuse ``celery_settings``; the arena knows their tasks by name only. Delivery is at least once: a task is
acknowledged when it has ended, a dead worker's task comes again after the visibility timeout at the latest, and the
claim in SQL makes the second delivery do nothing. The reaper does not wait for any of this.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from celery import Celery
from celery.schedules import crontab
from kombu.exceptions import OperationalError

from guandan_arena.errors import Unavailable
from guandan_arena.live import connection
from guandan_arena.settings import Settings
from guandan_arena.urls import masked

PLAY_MATCH: Final = "guandan.play_match"
CHECK_VERSION: Final = "guandan.check_version"
PLAY_REMOTE: Final = "guandan.play_remote"
REAP: Final = "guandan.reap"
OPEN_NIGHT: Final = "guandan.open_night"

MATCHES: Final = "matches"
CHECKS: Final = "checks"
CONTROL: Final = "control"
REMOTES: Final = "remotes"
REMOTE_MATCHES: Final = "remote-matches"
QUEUES: Final = (MATCHES, CHECKS, CONTROL)
"""What rated play needs."""
REMOTE_QUEUES: Final = (REMOTE_MATCHES, REMOTES)
"""What remote bots play: a worker serves these in turn or the others, so that nobody far away holds a night up."""

_ROUTES: Final = {REAP: CONTROL, OPEN_NIGHT: CONTROL, CHECK_VERSION: CHECKS, PLAY_REMOTE: REMOTES}
_KEPT: Final = "what was asked for is kept in SQL and is queued again by the reaper"
_SOFT_MARGIN_S: Final = 15
_VISIBLE_MARGIN_S: Final = 300
_SWEEP_WAITS_S: Final = 60.0


def celery_settings(settings: Settings) -> dict[str, Any]:
    """Return everything that Celery is configured with, for the arena, its workers and its beat.

    The visibility timeout is above the hard limit of the longest match, or a match would be delivered twice while it
    runs; the sweep for unacknowledged tasks runs each second instead of about each 100.
    """
    hard_s = settings.match_limit_ms // 1000 + _SOFT_MARGIN_S
    return {
        "broker_url": connection.celery_url(settings.broker_url),
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "broker_transport_options": {
            "visibility_timeout": hard_s + _VISIBLE_MARGIN_S,
            "unacked_restore_interval": 1,
            "unacked_restore_throttle": 1,
            "global_keyprefix": "celery:",
            "socket_connect_timeout": 5,
            "socket_timeout": 30,
        },
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "task_ignore_result": True,
        "task_serializer": "json",
        "accept_content": ["json"],
        "task_soft_time_limit": hard_s - _SOFT_MARGIN_S,
        "task_time_limit": hard_s,
        "task_default_queue": MATCHES,
        "task_create_missing_queues": True,
        "task_routes": {task: {"queue": queue} for task, queue in _ROUTES.items()},
        "worker_prefetch_multiplier": 1,
        "worker_cancel_long_running_tasks_on_connection_loss": True,
        "worker_hijack_root_logger": False,
        "timezone": "UTC",
        "beat_schedule": _schedule(settings),
    }


def _schedule(settings: Settings) -> dict[str, dict[str, Any]]:
    """Return what beat asks for: sweeps, which may wait for a match to end but not pile up behind it, and the night."""
    reap_s = settings.reap_ms / 1000
    expires = {"expires": max(reap_s, _SWEEP_WAITS_S)}
    schedule: dict[str, dict[str, Any]] = {"reap": {"task": REAP, "schedule": reap_s, "options": expires}}
    if settings.night_hour_utc is not None:
        at = crontab(minute="0", hour=str(settings.night_hour_utc))
        schedule["night"] = {"task": OPEN_NIGHT, "schedule": at, "options": {"expires": 3600}}
    return schedule


class CeleryJobQueue:
    """Puts tasks in by name."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def play_match(self, match_id: str, *, remote: bool = False) -> None:
        """Ask for a match to be played, by a worker with a door when a side of it is remote."""
        self._send(PLAY_MATCH, match_id, queue=REMOTE_MATCHES if remote else None)

    def check_version(self, version_id: str) -> None:
        """Ask for a version to be checked."""
        self._send(CHECK_VERSION, version_id)

    def play_remote(self, game_id: str) -> None:
        """Ask for the unrated game of a remote bot to be played."""
        self._send(PLAY_REMOTE, game_id, lost="nothing is queued; ask again when it is back")

    def ping(self) -> None:
        """Raise Unavailable, naming the URL without its password, when the broker does not answer."""
        connection.ping(self._settings.broker_url)

    def close(self) -> None:
        """Give the connections back."""
        self._app.close()

    @cached_property
    def _app(self) -> Celery:
        app = Celery("guandan_arena", set_as_current=False)
        app.conf.update(celery_settings(self._settings))
        return app

    def _send(self, task: str, subject: str, *, queue: str | None = None, lost: str = _KEPT) -> None:
        """Put a task in, by its route unless a queue is named; ``lost``: what to tell of it when the broker is away."""
        policy = {"max_retries": 4, "interval_start": 0, "interval_step": 0.5, "interval_max": 1}
        try:
            self._app.send_task(task, args=(subject,), queue=queue, retry=True, retry_policy=policy)
        except OperationalError as error:
            raise Unavailable(
                "broker_unavailable",
                f"the broker at {masked(self._settings.broker_url)} does not answer: {error}",
                lost,
            ) from error
