"""A queue of work that only remembers what was put in."""

from __future__ import annotations


class FakeJobQueue:
    """``waiting`` holds (task name, id) in the order they were asked for; clear it to lose or to take them."""

    def __init__(self) -> None:
        self.waiting: list[tuple[str, str]] = []

    def play_match(self, match_id: str, *, remote: bool = False) -> None:
        self.waiting.append(("guandan.play_match", match_id))

    def check_version(self, version_id: str) -> None:
        self.waiting.append(("guandan.check_version", version_id))

    def play_remote(self, game_id: str) -> None:
        self.waiting.append(("guandan.play_remote", game_id))

    def ping(self) -> None:
        """Always here."""

    def close(self) -> None:
        pass
