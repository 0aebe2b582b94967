"""Strangers at the door of remote bots: so many at once, and of one address no more than its share."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from guandan_runner.threshold import DoorFull, Threshold, address_of


def test_an_address_has_its_share_and_others_still_find_room() -> None:
    threshold = Threshold(most=5, of_one_address=2)
    with ExitStack() as standing:
        for port in (1, 2):
            standing.enter_context(threshold.stand(f"ipv4:10.0.0.1:{port}"))
        with pytest.raises(DoorFull, match="from your address") as full, threshold.stand("ipv4:10.0.0.1:3"):
            pass
        assert (full.value.code, bool(full.value.hint)) == ("door_full", True)
        for last in (2, 3, 4):
            standing.enter_context(threshold.stand(f"ipv4:10.0.0.{last}:1"))
        with pytest.raises(DoorFull, match="too many"), threshold.stand("ipv4:10.0.0.9:1"):
            pass
    with threshold.stand("ipv4:10.0.0.1:4"):
        pass


def test_who_leaves_by_an_error_makes_room() -> None:
    threshold = Threshold(most=1)
    for _ in range(3):
        with pytest.raises(TimeoutError), threshold.stand("ipv4:10.0.0.1:1"):
            raise TimeoutError


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:10.0.0.1:50000", "10.0.0.1"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:50000", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:2::9]:50000", "2001:db8:1:2::/64"),
        ("ipv6:%5B::ffff:10.0.0.1%5D:50000", "10.0.0.1"),
        ("ipv6:%5Bfe80::1%25eth0%5D:50000", "fe80::/64"),
        ("unix:", "unix:"),
        ("", ""),
    ],
)
def test_what_counts_as_one_address(peer: str, address: str) -> None:
    assert address_of(peer) == address
