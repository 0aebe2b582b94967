"""Settings that cannot be, SQL or Redis that is not there: a clear answer, in time, and no process left."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from guandan_arena.live import valkey
from guandan_arena.settings import Settings
from tests.house import COMMAND, PATIENCE_S, processes_of

WRONG_USAGE, NO_ANSWER = 2, 3


def command(data: Path, *words: str, **environ: str) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GUANDAN_")}
    environ = {**kept, "GUANDAN_DATA_DIR": str(data), **environ}
    return subprocess.Popen([COMMAND, *words], env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def refused(data: Path, *words: str, code: int, **environ: str) -> str:
    """What a command says, which must end by itself with this code, write no data and leave no process."""
    with command(data, *words, **environ) as process:
        out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (code, ""), err
    assert processes_of(str(data)) == []
    assert "Traceback" not in err
    return err


CONTRADICTIONS: Mapping[str, Mapping[str, str]] = {
    "grpc_port and web_port": {"GUANDAN_GRPC_PORT": "5000", "GUANDAN_WEB_PORT": "5000"},
    "lease_renew_ms and lease_ms": {"GUANDAN_LEASE_MS": "1000", "GUANDAN_LEASE_RENEW_MS": "900"},
    "production and sandbox": {"GUANDAN_PRODUCTION": "true", "GUANDAN_SANDBOX": "process"},
    "GUANDAN_REDIS_URL and REDIS_URL": {"GUANDAN_REDIS_URL": "redis://one", "REDIS_URL": "redis://two"},
}


@pytest.mark.parametrize("names", CONTRADICTIONS)
def test_settings_that_contradict_each_other_are_both_named_before_anything_starts(tmp_path: Path, names: str) -> None:
    said = refused(tmp_path, "up", code=WRONG_USAGE, **CONTRADICTIONS[names])
    assert f"bad_settings: {names}" in said
    assert list(tmp_path.iterdir()) == []


def test_a_settings_file_with_an_unknown_key_is_named_with_the_key(tmp_path: Path) -> None:
    file = tmp_path / "arena.toml"
    file.write_text("grpc_prot = 5000\n")
    said = refused(tmp_path / "arena", "--config", str(file), "up", code=WRONG_USAGE)
    assert "grpc_prot" in said
    assert str(file) in said


REDIS = {"REDIS_URL": "redis://:s3cret@127.0.0.1:1/0"}
SQL = {"DATABASE_URL": "postgresql://me:s3cret@127.0.0.1:1/arena"}


@pytest.mark.parametrize("words", [("worker",), ("beat",), ("night",), ("ratings", "rebuild")], ids=" ".join)
def test_a_redis_that_does_not_answer_is_named_and_not_waited_for_without_end(
    tmp_path: Path, words: tuple[str, ...], sqlite_template: str
) -> None:
    sql = {"DATABASE_URL": sqlite_template}
    said = refused(tmp_path, *words, code=NO_ANSWER, GUANDAN_START_WAIT_MS="300", **REDIS, **sql)
    assert "redis://:***@127.0.0.1:1/0 does not answer" in said
    assert "REDIS_URL" in said.splitlines()[1]
    assert "s3cret" not in said


@pytest.mark.parametrize("words", [("worker",), ("migrate",), ("night",)], ids=" ".join)
def test_an_sql_that_does_not_answer_is_named_and_not_waited_for_without_end(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    said = refused(tmp_path, *words, code=NO_ANSWER, GUANDAN_START_WAIT_MS="300", **SQL)
    assert "me:***@127.0.0.1:1/arena does not answer" in said
    assert "DATABASE_URL" in said.splitlines()[1]
    assert "s3cret" not in said


def test_a_database_without_its_tables_is_told_with_the_command_that_makes_them(tmp_path: Path) -> None:
    said = refused(tmp_path, "serve", code=NO_ANSWER)
    assert "schema_outdated" in said
    assert "guandan-arena migrate" in said


@pytest.mark.needs("broker:valkey")
def test_a_redis_that_comes_late_is_waited_for(tmp_path: Path, sqlite_template: str) -> None:
    settings = Settings(data_dir=tmp_path)
    patient = {"GUANDAN_START_WAIT_MS": str(PATIENCE_S * 1000), "DATABASE_URL": sqlite_template}
    with command(tmp_path, "audit", **patient) as audit:
        hang_up_on_the_first_caller(settings.valkey_socket)
        with valkey.serving(settings):
            out, err = audit.communicate(timeout=PATIENCE_S)
    assert (audit.returncode, "clean" in out) == (0, True), err


def hang_up_on_the_first_caller(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as nobody:
        nobody.bind(str(path))
        nobody.listen()
        nobody.settimeout(PATIENCE_S)
        caller, _ = nobody.accept()
        caller.close()
    path.unlink()
