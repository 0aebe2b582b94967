"""Setting up does nothing when nothing changed, and knows when something did."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A checkout with a made-up environment whose stamp says that it is complete."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    setup = runpy.run_path(str(tmp_path / "scripts" / "setup.py"))
    for member in setup["MEMBERS"]:
        (tmp_path / member).mkdir()
        shutil.copy(ROOT / member / "pyproject.toml", tmp_path / member)
    shutil.copy(ROOT / "engine" / "setup.py", tmp_path / "engine")
    package = tmp_path / "engine" / "guandan_engine"
    shutil.copytree(ROOT / "engine" / "guandan_engine", package, ignore=shutil.ignore_patterns("__pycache__", "native"))
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").touch()
    setup["_stamp"]("dev").write_text(setup["_digest"]("dev"))
    return tmp_path


def is_ready(clone: Path, kind: str) -> bool:
    return runpy.run_path(str(clone / "scripts" / "setup.py"))["_is_ready"](kind)


def run(clone: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(clone / "scripts" / "setup.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_with_a_matching_stamp_nothing_is_done(clone: Path) -> None:
    done = run(clone, "dev")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_environment_for_development_also_serves_for_running(clone: Path) -> None:
    assert is_ready(clone, "run")


@pytest.mark.parametrize(
    "name",
    [
        "requirements/dev.txt",
        "arena/pyproject.toml",
        "engine/setup.py",
        "engine/guandan_engine/kernel/moves.py",
        "engine/guandan_engine/cards.py",
    ],
)
def test_a_changed_lock_member_or_kernel_makes_the_environment_stale(clone: Path, name: str) -> None:
    with (clone / name).open("a") as file:
        file.write("# changed\n")
    assert not is_ready(clone, "dev")


def test_where_the_kernel_alone_changed_nothing_else_is_stale(clone: Path) -> None:
    with (clone / "engine/guandan_engine/kernel/words.py").open("a") as file:
        file.write("# changed\n")
    setup = runpy.run_path(str(clone / "scripts" / "setup.py"))
    assert not setup["_matches"]("dev")
    assert setup["_matches"]("dev", kernel=False)


def test_an_environment_that_was_moved_is_stale(clone: Path) -> None:
    moved = clone.with_name("moved")
    clone.rename(moved)
    assert not is_ready(moved, "dev")


def test_a_wrong_word_is_a_usage_error(clone: Path) -> None:
    done = run(clone, "everything")
    assert done.returncode == 2
    assert "run|dev" in done.stderr
