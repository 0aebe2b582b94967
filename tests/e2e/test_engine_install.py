"""The engine's source archive installs into an empty environment with a C compiler, and into one without."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
SAID = "building without a compiled kernel, the source will run"
PLAY = """
import guandan_engine
from guandan_engine.kernel import playouts, random_state
from guandan_engine.rules import load
state = random_state(5, load("standard"))
print(guandan_engine.compiled)
print([str(play) for play in state.legal()], playouts(state, 7, 5))
"""


def run(*command: str | Path, cwd: Path, **changes: str) -> str:
    """Run a command with some of the environment changed; return all that it says."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("CC", "PYTHONPATH", "GUANDAN_PURE")
    }
    done = subprocess.run(
        command, cwd=cwd, env=environment | changes, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, f"{command} exited {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, made from a copy of the engine that holds nothing built."""
    folder = tmp_path_factory.mktemp("archive")
    ignored = shutil.ignore_patterns("__pycache__", "native", "*.egg-info", "build")
    shutil.copytree(ROOT / "engine", folder / "engine", ignore=ignored)
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    run(sys.executable, "-c", code, cwd=folder / "engine")
    (found,) = folder.glob("guandan_engine-*.tar.gz")
    return found


@pytest.fixture(scope="module")
def answers() -> dict[bool, str]:
    """What the installed engines played, by whether they are compiled."""
    return {}


@pytest.mark.parametrize(
    "compiler",
    [
        pytest.param(True, id="with a C compiler", marks=pytest.mark.needs("language:c")),
        pytest.param(False, id="without one"),
    ],
)
def test_the_archive_installs(archive: Path, tmp_path: Path, compiler: bool, answers: dict[bool, str]) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    path = os.environ["PATH"] if compiler else str(python.parent)
    said = run(python, "-m", "pip", "install", "-v", "--no-input", "--no-cache-dir", archive, cwd=tmp_path, PATH=path)
    compiled, played = run(python, "-W", "error", "-c", PLAY, cwd=tmp_path).split("\n", 1)
    assert (compiled, SAID in said) == (str(compiler), not compiler)
    listed = run(python, "-m", "pip", "list", "--format", "freeze", cwd=tmp_path)
    names = {canonicalize_name(line.partition("==")[0]) for line in listed.splitlines() if "==" in line}
    needed = {"librt", "mypy-extensions"} if compiler else set()
    assert names - {"pip", "setuptools"} == {"guandan-engine", *needed}
    answers[compiler] = played
    assert len(set(answers.values())) == 1


def test_a_wheel_for_every_machine_can_be_asked_for(archive: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", tmp_path, archive]
    run(*command, cwd=tmp_path, GUANDAN_PURE="1")
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
