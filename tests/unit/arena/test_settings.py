"""Settings: where they come from, and what cannot stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from guandan_arena.errors import InvalidArgument
from guandan_arena.settings import Settings, read


def refusal(environ: dict[str, str]) -> str:
    with pytest.raises(InvalidArgument) as refused:
        read(environ)
    assert refused.value.code == "bad_settings"
    return refused.value.reason


def test_nothing_set_means_everything_embedded():
    settings = read({"PATH": "/bin", "GUANDAN_TABLE": "unix:/x"})
    assert settings == Settings()
    assert settings.store_url.startswith("sqlite:////")
    assert settings.broker_url.startswith("unix:///")


def test_the_environment_is_read_by_type():
    settings = read({"GUANDAN_WORKERS": "5", "GUANDAN_OPEN_REGISTRATION": "No", "GUANDAN_DATA_DIR": "/srv/arena"})
    assert (settings.workers, settings.open_registration, settings.data_dir) == (5, False, Path("/srv/arena"))


def test_the_customary_names_of_urls_are_read_too():
    settings = read({"DATABASE_URL": "postgresql://db/arena", "REDIS_URL": "redis://cache/0"})
    assert (settings.store_url, settings.broker_url) == ("postgresql://db/arena", "redis://cache/0")


def test_a_file_is_read_and_the_environment_overrides_it(tmp_path):
    file = tmp_path / "arena.toml"
    file.write_text('night_rounds = 7\nworkers = 1\nproduction = true\ndata_dir = "/data"\n')
    settings = read({"GUANDAN_CONFIG": str(file), "GUANDAN_WORKERS": "3"})
    assert (settings.night_rounds, settings.workers, settings.production) == (7, 3, True)
    assert settings.data_dir == Path("/data")


def test_an_empty_variable_is_not_set():
    assert read({"GUANDAN_WORKERS": "", "DATABASE_URL": ""}) == Settings()


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        (
            {"GUANDAN_DATABASE_URL": "sqlite:////a", "DATABASE_URL": "sqlite:////b"},
            ["GUANDAN_DATABASE_URL", "DATABASE_URL"],
        ),
        ({"GUANDAN_REDIS_URL": "redis://a", "REDIS_URL": "redis://b"}, ["GUANDAN_REDIS_URL", "REDIS_URL"]),
        ({"GUANDAN_LEASE_MS": "10000", "GUANDAN_LEASE_RENEW_MS": "9000"}, ["lease_ms", "lease_renew_ms"]),
        ({"GUANDAN_TLS_CERT": "/c"}, ["tls_cert", "tls_key"]),
        ({"GUANDAN_REMOTE_HOST": "localhost"}, ["remote_host", "remote_ports"]),
        (
            {"GUANDAN_REMOTE_HOST": "arena.example", "GUANDAN_REMOTE_PORTS": "7300-7309"},
            ["remote_host", "tls_cert"],
        ),
        (
            {
                "GUANDAN_REMOTE_HOST": "localhost",
                "GUANDAN_REMOTE_PORTS": "7300-7301",
                "GUANDAN_REMOTE_WORKERS": "3",
            },
            ["remote_workers", "remote_ports"],
        ),
        ({"GUANDAN_PRODUCTION": "1", "GUANDAN_SANDBOX": "process"}, ["production", "sandbox"]),
        ({"GUANDAN_GRPC_PORT": "8000", "GUANDAN_WEB_PORT": "8000"}, ["grpc_port", "web_port"]),
        ({"GUANDAN_MATCH_LIMIT_MS": "5000"}, ["match_limit_ms", "clock_connect_ms"]),
        ({"GUANDAN_NIGHT_BOARDS": "9"}, ["night_boards", "match_limit_ms", "may take 9453600 ms"]),
        ({"GUANDAN_CLOCK_MOVE_MS": "3000"}, ["night_boards", "match_limit_ms"]),
        ({"GUANDAN_CLOCK_MOVE_MS": "0", "GUANDAN_CLOCK_BANK_MS": "0"}, ["clock_move_ms", "clock_bank_ms"]),
        ({"GUANDAN_UNPACKED_MAX_BYTES": "9"}, ["unpacked_max_bytes", "archive_max_bytes"]),
    ],
)
def test_settings_that_contradict_are_refused_naming_both(environ, named):
    reason = refusal(environ)
    assert all(key in reason for key in named)


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({"GUANDAN_WORKERS": "many"}, "GUANDAN_WORKERS = 'many'"),
        ({"GUANDAN_WORKERS": "-1"}, "workers"),
        ({"GUANDAN_PRODUCTION": "maybe"}, "GUANDAN_PRODUCTION = 'maybe'"),
        ({"GUANDAN_REMOTE_HOST": "localhost", "GUANDAN_REMOTE_PORTS": "7309-7300"}, "'7309-7300' is not a range"),
        ({"GUANDAN_REMOTE_HOST": "localhost", "GUANDAN_REMOTE_PORTS": "1-70000"}, "'1-70000' is not a range"),
        ({"GUANDAN_SANDBOX": "tin"}, "'tin' is none of auto, docker"),
        ({"GUANDAN_NIGHT_HOUR_UTC": "24"}, "night_hour_utc"),
        ({"GUANDAN_NIGHT_ROUNDS": "0"}, "night_rounds"),
        ({"GUANDAN_CONFIG": "/nowhere/arena.toml"}, "/nowhere/arena.toml"),
    ],
)
def test_a_value_that_cannot_stand_is_named(environ, named):
    assert named in refusal(environ)


@pytest.mark.parametrize(
    ("text", "named"),
    [("wrokers = 3", "wrokers"), ('workers = "3"', "workers"), ("production = 1", "production"), ("[", "arena.toml")],
)
def test_a_file_with_a_mistake_is_refused(tmp_path, text, named):
    file = tmp_path / "arena.toml"
    file.write_text(text)
    assert named in refusal({"GUANDAN_CONFIG": str(file)})
