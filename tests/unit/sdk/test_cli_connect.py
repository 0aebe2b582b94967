"""What `guandan connect` tells its author of a table."""

from __future__ import annotations

import pytest

from guandan_engine.conduct import Verdict
from guandan_proto import codec
from guandan_proto.v1 import lounge_pb2
from guandan_sdk.cli.connect import _told


@pytest.mark.parametrize(("way", "clean"), [(0, False), (1, True)])
def test_whose_fault_it_was_follows_from_what_the_arena_says_not_from_the_name_of_the_table(
    way: int, clean: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    verdicts = [Verdict.CRASHED, Verdict.OK, Verdict.OK, Verdict.OK]
    table = lounge_pb2.TablePlayed(
        table_id="any name", way=way, verdicts=map(codec.encode_verdict, verdicts), details=["exit code 1", "", "", ""]
    )
    assert _told(table) is clean
    assert f"seat 0 ({'theirs' if clean else 'yours'}): crashed: exit code 1" in capsys.readouterr().err
