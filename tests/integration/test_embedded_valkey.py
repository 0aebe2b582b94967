from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest
import redis

from guandan_arena.errors import InvalidArgument, Unavailable
from guandan_arena.live import valkey
from guandan_arena.live.queue import CeleryJobQueue
from guandan_arena.settings import Settings

pytestmark = pytest.mark.needs("broker:valkey")


def client_of(settings: Settings) -> redis.Redis:
    return redis.Redis.from_url(settings.broker_url, decode_responses=True)


def test_what_was_written_is_there_after_the_server_was_started_again(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    with valkey.serving(settings), client_of(settings) as client:
        client.set("k", "v")
        folder = settings.valkey_socket.parent
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    with valkey.serving(settings), client_of(settings) as client:
        assert client.get("k") == "v"
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}


@pytest.mark.parametrize("name", ["a folder with blanks 'and' \"quotes\"", "x" * 120, "掼蛋"])
def test_any_data_folder_serves_both_redis_and_celery(tmp_path: Path, name: str) -> None:
    settings = Settings(data_dir=tmp_path / name)
    with valkey.serving(settings), client_of(settings) as client:
        queue = CeleryJobQueue(settings)
        queue.play_match("m1")
        queue.close()
        assert client.llen("celery:matches") == 1
        assert client.config_get("dir")["dir"] == str((tmp_path / name / "valkey").resolve())
    shutil.rmtree(settings.valkey_socket.parent)


def test_a_second_server_on_the_same_folder_ends_instead_of_sharing_it(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    with valkey.serving(settings), client_of(settings) as client:
        client.set("k", "v")
        with pytest.raises(Unavailable, match="another Valkey"), valkey.serving(settings):
            pass
        assert client.get("k") == "v"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_socket_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / ("x" * 120))
    folder = settings.valkey_socket.parent
    folder.mkdir()
    try:
        os.chown(folder, 65534, 65534)
        with pytest.raises(InvalidArgument, match="somebody else"), valkey.serving(settings):
            pass
    finally:
        folder.rmdir()
