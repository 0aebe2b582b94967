"""What travels between the arena, its workers and those who watch or wait: it may all be lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StreamEntry:
    """A line of a live stream; ``id`` is where reading resumes."""

    id: str
    line: str


class TableStreams(Protocol):
    """The live feed of each table, hidden cards cut: lines of replay JSON. It may be lost without harm."""

    def append(self, table_id: str, lines: Sequence[str]) -> None:
        """Add lines at the end."""
        ...

    def close(self, table_id: str) -> None:
        """Say that no more will come and let the stream expire."""
        ...

    def read(self, table_id: str, *, after: str = "0", limit: int = 500, wait_ms: int = 0) -> Sequence[StreamEntry]:
        """Return entries after an id, waiting at most ``wait_ms`` for the first."""
        ...

    def is_closed(self, table_id: str) -> bool:
        """Whether the stream has been closed."""
        ...


class Rulings(Protocol):
    """The way of a referee's ruling to the worker that plays the table, and of its answer back."""

    def put(self, table_id: str, ruling: str) -> None:
        """Put a ruling where the table's worker looks for it."""
        ...

    def read(self, table_id: str, *, after: str = "0") -> Sequence[StreamEntry]:
        """Return the rulings after an entry, at once."""
        ...

    def answer(self, table_id: str, ruling_id: str, answer: str) -> None:
        """Say what became of a ruling; what was said first stands."""
        ...

    def answer_to(self, table_id: str, ruling_id: str) -> str | None:
        """Return what became of a ruling, None while nobody has said."""
        ...


class Lounge(Protocol):
    """Where the games of remote bots wait and are told about. All of it may be lost: such a game is asked for again."""

    def open(self, account_id: str, game_id: str, game: str, *, expire_ms: int) -> bool:
        """Keep a game for a worker; False when the account has one under way."""
        ...

    def take(self, game_id: str, *, expire_ms: int) -> str | None:
        """Return a game to play, once, and hold it; None when another has taken it or it has expired."""
        ...

    def hold(self, account_id: str, game_id: str, *, expire_ms: int) -> bool:
        """Say that a game is still under way; False, changing nothing, when it is so no more."""
        ...

    def is_held(self, account_id: str, game_id: str) -> bool:
        """Whether a game is still under way."""
        ...

    def release(self, account_id: str, game_id: str) -> None:
        """Say that a game is under way no more; another game of the account stays as it is."""
        ...

    def tell(self, game_id: str, notice: str) -> None:
        """Tell whoever waits for a game."""
        ...

    def read(self, game_id: str, *, after: str = "0", wait_ms: int = 0) -> Sequence[StreamEntry]:
        """Return the notices after an entry, waiting at most ``wait_ms`` for the first."""
        ...


class Invitations(Protocol):
    """The way of a seat's ticket to whoever attends for a remote bot. It may be lost: then the seat stays empty."""

    def attend(self, bot: str, attendant: str, *, expire_ms: int) -> None:
        """Let an attendant, and nobody before it, read what comes for a bot."""
        ...

    def attends(self, bot: str, attendant: str, *, expire_ms: int) -> bool:
        """Whether no other attendant has come for a bot; if so, this one stays for as long again."""
        ...

    def put(self, bot: str, invitation: str, *, expire_ms: int) -> None:
        """Put an invitation for a bot."""
        ...

    def read(self, bot: str, *, after: str = "0") -> Sequence[StreamEntry]:
        """Return the invitations after an entry, at once."""
        ...
