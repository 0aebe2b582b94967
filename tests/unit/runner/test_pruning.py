"""What is kept only to save work goes when it is old or too much, and never while it may be in use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from guandan_runner.pruning import prune

NOW = 1_800_000_000
DAY = 86_400


def kept(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, age_s in (("now", 10), ("today", DAY / 2), ("week", 7 * DAY), ("month", 30 * DAY)):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep/file").write_bytes(bytes(1000))
        os.utime(tmp_path / name, (NOW - age_s, NOW - age_s))
    return tmp_path


@pytest.mark.parametrize(
    ("older_than_s", "most_bytes", "left"),
    [
        (60 * DAY, 10_000, ["month", "now", "today", "week"]),
        (10 * DAY, 10_000, ["now", "today", "week"]),
        (DAY, 10_000, ["now", "today"]),
        (60 * DAY, 2_500, ["now", "today"]),
        (60 * DAY, 3_000, ["now", "today", "week"]),
        (0, 0, ["now"]),
    ],
)
def test_the_oldest_go_by_age_and_by_size_but_not_what_may_be_in_use(folder, older_than_s, most_bytes, left):
    gone = prune(folder, older_than_s=older_than_s, most_bytes=most_bytes, spare_s=3600, now_s=NOW)
    assert (kept(folder), gone) == (left, 4 - len(left))


def test_what_a_killed_process_was_removing_goes_in_time(folder):
    (folder / "month").rename(folder / "removing-1-month")
    assert prune(folder, older_than_s=10 * DAY, most_bytes=10_000, spare_s=3600, now_s=NOW) == 1
    assert kept(folder) == ["now", "today", "week"]


def test_a_folder_that_is_not_there_is_no_error_and_links_are_left_alone(tmp_path):
    assert prune(tmp_path / "none", older_than_s=0, most_bytes=0, spare_s=0) == 0
    (tmp_path / "target").mkdir()
    (tmp_path / "shelf").mkdir()
    (tmp_path / "shelf/link").symlink_to(tmp_path / "target")
    assert prune(tmp_path / "shelf", older_than_s=0, most_bytes=0, spare_s=0, now_s=NOW * 2) == 0
