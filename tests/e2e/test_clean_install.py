"""A bot author installs three wheels and plays; nothing of the server comes along."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MEMBERS = ("engine", "proto", "sdk")
OF_THE_SERVER = ("guandan-arena", "guandan-workers", "celery", "redis", "sqlalchemy", "starlette", "docker", "numpy")


def run(*command: str | Path, cwd: Path, timeout: int = 300) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0, f"{command} exited {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def author(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty machine of an author: a virtual environment with the three wheels and what they need."""
    folder = tmp_path_factory.mktemp("author")
    sources = [ROOT / member for member in MEMBERS]
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder / "wheels", *sources, cwd=folder)
    venv.create(folder / "env", with_pip=True)
    wheels = sorted((folder / "wheels").glob("*.whl"))
    assert [wheel.name.split("-")[0] for wheel in wheels] == [f"guandan_{member}" for member in MEMBERS]
    run(folder / "env/bin/python", "-m", "pip", "install", "-q", "--no-input", *wheels, cwd=folder)
    return folder


def test_a_bot_is_made_and_played_within_a_minute(author: Path) -> None:
    guandan = author / "env/bin/guandan"
    run(guandan, "init", "mybot", cwd=author)
    played = run(guandan, "play", "mybot", "greedy", "-n", "20", "--seed", "7", cwd=author, timeout=60)
    first, second = played.splitlines()[:2]
    assert first.startswith("mybot minus greedy: ")
    assert "points per board [" in first
    assert second == "95% interval on 20 boards, each played both ways; rules standard, seed 7"


def test_a_bot_in_another_language_is_told_what_else_to_install(author: Path) -> None:
    (author / "other").mkdir()
    (author / "other" / "bot.toml").write_text('[bot]\nname = "other"\nentry = ["sh", "bot.sh"]\nruntime = "any"\n')
    words = (author / "env/bin/guandan", "play", "other", "greedy", "-n", "1")
    done = subprocess.run(words, cwd=author, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, done.stderr
    assert "hint: pip install guandan-sdk[check]" in done.stderr


def test_checking_is_told_what_else_to_install(author: Path) -> None:
    (author / "bot").mkdir()
    done = subprocess.run(
        (author / "env/bin/guandan", "check", "bot"),
        cwd=author,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "hint: pip install guandan-sdk[check]" in done.stderr


def test_nothing_of_the_server_is_installed(author: Path) -> None:
    listed = run(author / "env/bin/python", "-m", "pip", "list", "--format", "freeze", cwd=author)
    names = {line.partition("==")[0].lower().replace("_", "-") for line in listed.splitlines()}
    assert {"guandan-engine", "guandan-proto", "guandan-sdk"} <= names
    assert names.isdisjoint(OF_THE_SERVER)


def test_everything_a_bot_author_may_import_is_in_the_wheels(author: Path) -> None:
    modules = "guandan_sdk.client, guandan_sdk.arena, guandan_sdk.local, guandan_sdk.status, grpc_status"
    run(author / "env/bin/python", "-c", f"import {modules}", cwd=author)
