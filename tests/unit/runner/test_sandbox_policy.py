"""Limits as data."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from guandan_runner.sandbox.policy import InvalidPolicy, load_policy, parse_policy

SHIPPED = (files("guandan_runner.sandbox") / "policy.toml").read_text()


def test_the_shipped_policy_is_read() -> None:
    assert load_policy().memory_bytes == 256 * 1024 * 1024


def test_a_policy_may_come_from_a_file_of_the_operator(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(SHIPPED.replace("processes = 64", "processes = 8"))
    assert load_policy(tmp_path / "p.toml").processes == 8


def test_a_policy_that_is_not_there_is_refused_by_its_path(tmp_path: Path) -> None:
    with pytest.raises(InvalidPolicy, match=r"cannot be read.*nowhere\.toml"):
        load_policy(tmp_path / "nowhere.toml")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (SHIPPED + "\nswap_bytes = 1\n", "swap_bytes"),
        (SHIPPED.replace("processes = 64", ""), "processes"),
        (SHIPPED.replace("processes = 64", "processes = -1"), "processes = -1"),
        (SHIPPED.replace("processes = 64", "processes = true"), "processes = True"),
        (SHIPPED.replace("processes = 64", 'processes = "64"'), "processes = '64'"),
        (SHIPPED.replace("docker_init = true", "docker_init = 1"), "docker_init = 1"),
        ("memory_bytes = ", "not TOML"),
    ],
)
def test_a_policy_that_cannot_be_meant_is_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(InvalidPolicy, match=named):
        parse_policy(text)
