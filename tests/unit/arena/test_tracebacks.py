"""Our own logs say where an error happened, and nothing of the values it happened with."""

from __future__ import annotations

import io

import pytest
import structlog

from guandan_arena.tracebacks import without_values


@pytest.fixture
def written():
    before = structlog.get_config()
    text = io.StringIO()
    without_values()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(text), cache_logger_on_first_use=False)
    yield text
    structlog.configure(**before)


def fail(ticket: str) -> None:
    raise ValueError(f"cannot be put: {len(ticket)} characters")


def test_a_logged_error_tells_no_local_variable(written):
    try:
        fail("-".join(("hush", "hush", "tick")))
    except ValueError:
        structlog.get_logger().exception("match given back")
    told = written.getvalue()
    assert "cannot be put: 14 characters" in told
    assert "in fail" in told
    assert "hush-hush" not in told  # the line of the call is told, not what it came to
