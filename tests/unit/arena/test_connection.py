from __future__ import annotations

import os
from pathlib import Path

import pytest

from guandan_arena.cli.parts import worker_arguments
from guandan_arena.live.connection import celery_url
from guandan_arena.live.queue import CONTROL, MATCHES, QUEUES, REMOTE_QUEUES, REMOTES, celery_settings
from guandan_arena.settings import Settings
from guandan_arena.urls import masked


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://localhost:6379/0", "redis://localhost:6379/0"),
        ("redis://:s3cret@host/1", "redis://:***@host/1"),
        ("rediss://me:s3cret@host:1/0", "rediss://me:***@host:1/0"),
        ("redis://me@host/0", "redis://me@host/0"),
        ("unix:///run/v.sock?db=0&password=s3cret", "unix:///run/v.sock?db=0&password=***"),
        ("redis://:a@b@host/0", "redis://:***@host/0"),
        ("redis://:a/b@host/0", "redis://:***@host/0"),
        ("postgresql+psycopg://ann:s3cret@host/arena", "postgresql+psycopg://ann:***@host/arena"),
        ("postgresql://host/arena?user=ann&password=s3cret", "postgresql://host/arena?user=ann&password=***"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    assert masked(url) == shown


@pytest.mark.parametrize(
    ("url", "for_celery"),
    [
        ("redis://:pw@host:6379/2", "redis://:pw@host:6379/2"),
        ("unix:///run/v.sock", "redis+socket:///run/v.sock?virtual_host=0"),
        ("unix:///run/a%20b/v.sock?db=3", "redis+socket:///run/a b/v.sock?virtual_host=3"),
    ],
)
def test_a_socket_is_named_as_celery_wants_it(url: str, for_celery: str) -> None:
    assert celery_url(url) == for_celery


def test_a_task_is_never_delivered_again_while_the_longest_match_may_still_run() -> None:
    conf = celery_settings(Settings(night_boards=1, clock_move_ms=400, match_limit_ms=600_000))
    visible_s = conf["broker_transport_options"]["visibility_timeout"]
    assert conf["task_soft_time_limit"] == 600 < conf["task_time_limit"] < visible_s


def test_a_dead_workers_task_is_found_at_once_and_counts_when_it_ends() -> None:
    conf = celery_settings(Settings())
    assert conf["task_acks_late"]
    assert conf["task_reject_on_worker_lost"]
    assert conf["worker_prefetch_multiplier"] == 1
    assert conf["broker_transport_options"]["unacked_restore_throttle"] == 1


def test_sweeps_do_not_wait_behind_matches_and_do_not_pile_up() -> None:
    conf = celery_settings(Settings(reap_ms=15_000))
    assert conf["task_routes"]["guandan.reap"]["queue"] == CONTROL != MATCHES
    assert {CONTROL, MATCHES} <= set(QUEUES)
    assert conf["beat_schedule"] == {"reap": {"task": "guandan.reap", "schedule": 15.0, "options": {"expires": 60.0}}}


def test_games_of_remote_bots_take_no_worker_from_a_night() -> None:
    routes = celery_settings(Settings())["task_routes"]
    assert routes["guandan.play_remote"]["queue"] == REMOTES
    ours, theirs = (
        " ".join(worker_arguments(Settings(workers=3), name="w", remote=remote)) for remote in (False, True)
    )
    assert f"--concurrency=3 --queues={','.join(QUEUES)}" in ours
    assert REMOTES not in ours
    assert f"--concurrency=1 --queues={','.join(REMOTE_QUEUES)}" in theirs


def test_a_night_opens_by_itself_only_at_the_hour_that_was_set() -> None:
    night = celery_settings(Settings(night_hour_utc=3))["beat_schedule"]["night"]
    assert night["task"] == "guandan.open_night"
    assert night["schedule"].hour == {3}
    assert night["schedule"].minute == {0}


def test_the_embedded_server_has_its_socket_in_the_data_folder(tmp_path: Path) -> None:
    settings = Settings(data_dir=Path("/srv/arena"))
    assert settings.broker_url == "unix:///srv/arena/valkey/v.sock?db=0"


def test_a_data_folder_with_a_long_name_gets_a_short_socket_that_every_process_finds(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 120)
    socket = Settings(data_dir=deep).valkey_socket
    assert len(os.fsencode(socket)) < 108
    assert socket == Settings(data_dir=deep / ".." / deep.name).valkey_socket
    assert socket != Settings(data_dir=deep / "other").valkey_socket
