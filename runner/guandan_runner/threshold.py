"""The threshold of the door: how many may stand there who have not yet said who they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address, ip_network
from typing import Final
from urllib.parse import unquote

from guandan_runner.tickets import NotAdmitted

__all__ = ["OF_ONE_ADDRESS", "DoorFull", "Threshold", "address_of"]

STRANGERS: Final = 64
OF_ONE_ADDRESS: Final = 8  # an author's seats come at about the same time
_NETWORK_BITS: Final = 64  # of IPv6: one household has as many addresses as it likes


class DoorFull(NotAdmitted):
    """Too many strangers stand at the door: nothing is said against the ticket, which nobody has seen."""

    def __init__(self, reason: str) -> None:
        super().__init__("door_full", reason, "wait a moment and come again while the ticket is good")


class Threshold:
    """Counts strangers by the address they come from. Who has been admitted is no stranger any more."""

    def __init__(self, *, most: int = STRANGERS, of_one_address: int = OF_ONE_ADDRESS) -> None:
        self._most = most
        self._of_one_address = of_one_address
        self._standing: Counter[str] = Counter()

    @contextmanager
    def stand(self, peer: str) -> Iterator[None]:
        """Stand here while the block runs; raise DoorFull when there is no place. ``peer`` is as gRPC writes it."""
        address = address_of(peer)
        if self._standing[address] >= self._of_one_address:
            raise DoorFull(f"{self._of_one_address} streams from your address have not yet said Hello")
        if self._standing.total() >= self._most:
            raise DoorFull("too many streams have not yet said Hello")
        self._standing[address] += 1
        try:
            yield
        finally:
            self._standing[address] -= 1
            self._standing += Counter()  # forgets those of whom nobody stands here


def address_of(peer: str) -> str:
    """Return what counts as one address: an IPv4 address, the network of an IPv6 one, or else the text as it is."""
    rest = unquote(peer).partition(":")[2]
    host = rest.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ip_address(host)
    except ValueError:
        return peer
    if address.version == 4:
        return host
    mapped = address.ipv4_mapped
    return str(mapped or ip_network((address, _NETWORK_BITS), strict=False))
