"""Work for the workers."""

from __future__ import annotations

from typing import Protocol


class JobQueue(Protocol):
    """Where work for the workers is put. Delivery may be repeated or lost: claims and the reaper make up for it."""

    def play_match(self, match_id: str, *, remote: bool = False) -> None:
        """Ask for a match to be played; ``remote``: a side of it plays from its author's machine."""
        ...

    def check_version(self, version_id: str) -> None:
        """Ask for a version to be checked."""
        ...

    def play_remote(self, game_id: str) -> None:
        """Ask for the unrated game of a remote bot to be played."""
        ...

    def ping(self) -> None:
        """Raise Unavailable, naming the URL without its password, when the broker does not answer."""
        ...

    def close(self) -> None:
        """Give the connections back."""
        ...
