"""Which parts of the machine a test needs, and the summary of those that were really tested.

`@pytest.mark.needs("sandbox:docker")` (also as the mark of a parameter) skips the test where the part is missing,
with the reason; with CI=true a missing part fails instead, and so does a whole run in which a part had no test.
"""

from __future__ import annotations

import os
import signal
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests import machine

if TYPE_CHECKING:
    from guandan_arena.store import SqlStore

settings.register_profile("house", deadline=None)  # no test depends on how fast the machine is
settings.load_profile("house")

CI = os.environ.get("CI") == "true"
EXACT = os.environ.get("GUANDAN_EXACT") == "1"


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts background jobs with SIGINT ignored, and what tests start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", f"needs(*parts): parts of the machine, of {', '.join(machine.PARTS)}")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        for part in mark.args:
            item.user_properties.append(("needs", part))
            reason = machine.missing(part)
            if reason is not None:
                (pytest.fail if CI else pytest.skip)(f"{part}: {reason}")


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """SQLAlchemy URL of an empty PostgreSQL server; mark its tests with needs("database:postgresql")."""
    with machine.postgresql() as url:
        yield url


@pytest.fixture(scope="session")
def runtime_cache() -> Iterator[Path]:
    """Where the sandboxes' runtime root is built, once per run."""
    with tempfile.TemporaryDirectory(prefix="gart-") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> str:
    """URL of a migrated SQLite database, to be copied by ``tests.databases.fresh_store``."""
    from tests import databases

    return databases.sqlite_template(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(scope="session")
def postgres_template(postgres_url: str) -> str:
    """URL of a migrated PostgreSQL database, to be copied by ``tests.databases.fresh_store``."""
    from tests import databases

    return databases.postgres_template(postgres_url)


DATABASES = [
    pytest.param("sqlite", marks=pytest.mark.needs("database:sqlite")),
    pytest.param("postgres", marks=pytest.mark.needs("database:postgresql")),
]


@pytest.fixture(params=DATABASES)
def database_template(request: pytest.FixtureRequest) -> str:
    """Each database in turn, migrated, to be copied."""
    return request.getfixturevalue(f"{request.param}_template")


@pytest.fixture
def store(database_template: str) -> Iterator[SqlStore]:
    """An empty store on each database in turn."""
    from tests import databases

    with databases.fresh_store(database_template) as fresh:
        yield fresh


@pytest.fixture(scope="session")
def share() -> float:
    """The share of an exact test's cases to run: all with GUANDAN_EXACT=1, else a tenth."""
    return 1.0 if EXACT else 0.1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts = _part_counts(terminalreporter)
    if not any(counts.values()):
        return
    terminalreporter.section("parts tested")
    for part in machine.PARTS:
        passed, failed, skipped = (counts[part, state] for state in ("passed", "failed", "skipped"))
        reason = machine.missing(part)
        note = "" if reason is None else f" ({reason})"
        terminalreporter.write_line(f"{part:<22} {passed} passed, {failed} failed, {skipped} skipped{note}")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A whole run under CI that left a part untested is not a success."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    whole_run = session.config.args_source == pytest.Config.ArgsSource.TESTPATHS
    if not (CI and whole_run and exitstatus == 0 and isinstance(reporter, pytest.TerminalReporter)):
        return
    counts = _part_counts(reporter)
    untested = [part for part in machine.PARTS if not counts[part, "passed"]]
    if untested:
        reporter.write_line(f"\nno test passed for: {', '.join(untested)}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _part_counts(reporter: pytest.TerminalReporter) -> Counter[tuple[str, str]]:
    """How many tests passed, failed and were skipped for each part."""
    counts: Counter[tuple[str, str]] = Counter()
    for state in ("passed", "failed", "skipped", "error"):
        for report in reporter.stats.get(state, []):
            for key, part in getattr(report, "user_properties", []):
                if key == "needs" and (report.when == "call" or state != "passed"):
                    counts[part, "failed" if state == "error" else state] += 1
    return counts
