"""`guandan-arena runtimes`: what an operator learns of the runtimes, and builds."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from guandan_arena.cli.commands import app
from guandan_arena.errors import InvalidArgument
from guandan_runner.runtimes import RUNTIMES


def arena(*words: str) -> Result:
    return CliRunner().invoke(app, ["runtimes", *words])


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GUANDAN_DATA_DIR", str(tmp_path))
    return tmp_path


def rows(written: Result) -> dict[str, dict[str, str]]:
    return {row["runtime"]: row for row in json.loads(written.stdout)}


def test_the_list_says_of_every_runtime_whether_it_can_be_had_here_and_builds_none(data: Path) -> None:
    listed = rows(arena("list", "--format", "json"))
    assert set(listed) == set(RUNTIMES)
    here = f"python-{sys.version_info.major}.{sys.version_info.minor}"
    assert (listed[here]["state"], listed["any"]["state"]) == ("can be built", "can be built")
    assert listed[f"{here}-numpy"]["where_or_why"].startswith("this arena has no wheel folder")
    other = next(name for name in RUNTIMES if name.startswith("python-") and not name.startswith(here))
    assert (listed[other]["state"], listed[other]["where_or_why"][:22]) == ("cannot be built", "the workers run Python")
    assert not (data / "runtime").exists()


def test_building_one_makes_its_root_once(data: Path) -> None:
    first, again = (rows(arena("build", "any", "--format", "json"))["any"] for _ in range(2))
    assert first == again
    assert (first["state"], Path(first["where_or_why"]).parent) == ("built", data / "runtime")
    root = Path(first["where_or_why"])
    assert {"bot", "run", "tmp", "proc", "dev"} <= {path.name for path in root.iterdir()}
    assert rows(arena("list", "--format", "json"))["any"]["state"] == "built"


def test_one_that_was_named_and_cannot_be_built_fails(data: Path) -> None:
    other = next(name for name, item in RUNTIMES.items() if item.kind == "python" and item.version != _here())
    done = arena("build", other, "--format", "json")
    assert done.exit_code == 1
    assert rows(done)[other]["state"] == "cannot be built"


def _here() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def test_one_that_nobody_listed_is_wrong_usage(data: Path) -> None:
    done = arena("build", "cobol")
    assert isinstance(done.exception, InvalidArgument)
    assert "there are any, node, python-3.11" in done.exception.hint


def test_a_list_that_cannot_be_read_is_a_wrong_setting(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (data / "runtimes.toml").write_text("[node]\nkind = 'perl'\n")
    monkeypatch.setenv("GUANDAN_RUNTIMES_FILE", str(data / "runtimes.toml"))
    done = arena("list")
    assert isinstance(done.exception, InvalidArgument)
    assert "runtimes_file: " in done.exception.reason
    assert "node.kind is 'perl'" in done.exception.reason
