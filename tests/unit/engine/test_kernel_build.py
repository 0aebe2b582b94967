"""Which kernel runs: never a compiled one that is not of the source beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from guandan_engine.kernel import build
from tests.kernel_modes import in_mode

LOOK = "import guandan_engine; from guandan_engine.kernel import words; print(guandan_engine.compiled, words.bit(40))"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The kernel's source in a folder of its own, with the stamp of one compiled from it."""
    shutil.copytree(
        Path(build.PACKAGE).parent, tmp_path / "guandan_engine", ignore=shutil.ignore_patterns("__pycache__")
    )
    kernel = tmp_path / "guandan_engine" / "kernel"
    (kernel / build.NATIVE).mkdir(exist_ok=True)
    (kernel / build.NATIVE / build.STAMP).write_text(build.digest(str(kernel)))
    return kernel


needs_leave = pytest.mark.skipif(build.PURE, reason="GUANDAN_PURE=1 wants the source whatever there is")


@needs_leave
def test_what_was_compiled_from_this_source_runs(package: Path) -> None:
    assert build.compiled_folder(str(package)) == str(package / "native")


@needs_leave
@pytest.mark.parametrize("name", ["moves.py", "types.py", "__init__.py", "../cards.py", "../combos.py"])
def test_what_was_compiled_from_other_source_does_not_run_and_says_so(package: Path, name: str) -> None:
    with (package / name).open("a") as file:
        file.write("# changed\n")
    with pytest.warns(RuntimeWarning, match="not of this source"):
        assert build.compiled_folder(str(package)) is None


@needs_leave
def test_a_new_module_is_a_change(package: Path) -> None:
    (package / "another.py").write_text('"""Another."""\n')
    with pytest.warns(RuntimeWarning, match="make setup"):
        assert build.compiled_folder(str(package)) is None


def test_where_nothing_was_compiled_the_source_runs_without_a_word(package: Path) -> None:
    (package / "native" / "digest").unlink()
    assert build.compiled_folder(str(package)) is None


def look(folder: Path, *, pure: bool = False) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "GUANDAN_PURE": "1" if pure else ""}
    command = [sys.executable, "-c", LOOK]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=60, check=True)


def test_an_edited_source_is_what_runs(package: Path) -> None:
    """Whole, in a process of its own: the compiled modules lie there, and the edit shows all the same."""
    words = package / "words.py"
    words.write_text(words.read_text().replace("return _TOP >> (60 - place)", "return 7 * (_TOP >> (60 - place))"))
    done = look(package.parents[1])
    assert done.stdout.split() == ["False", str(7 << 40)]
    assert "RuntimeWarning: the compiled kernel is not of this source" in done.stderr


def test_the_source_runs_where_it_is_wanted(package: Path) -> None:
    done = look(package.parents[1], pure=True)
    assert (done.stdout.split(), done.stderr) == (["False", str(1 << 40)], "")


@pytest.mark.needs("language:c")
def test_where_there_is_a_c_compiler_the_kernel_is_compiled() -> None:
    done = in_mode(False, "tests.kernel_modes", "0", "0")
    assert done.stdout.startswith('{"compiled": true'), f"run make setup; {done.stderr}"
