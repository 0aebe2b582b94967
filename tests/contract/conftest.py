"""Seats in each kind of sandbox, for the tests of sandboxes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from guandan_runner.sandbox import choose, load_policy
from tests.sandboxed import Seats


@pytest.fixture
def seats(request: pytest.FixtureRequest, runtime_cache: Path) -> Iterator[Seats]:
    folder = Path(tempfile.mkdtemp(prefix="gat-", dir="/tmp"))
    folder.chmod(0o755)
    choice = choose(wanted=request.param, production=False, cache=runtime_cache, policy=load_policy())
    assert choice.sandbox.kind == request.param
    seats = Seats(choice.sandbox, folder)
    with seats.open:
        yield seats
    choice.sandbox.close()
    shutil.rmtree(folder)
