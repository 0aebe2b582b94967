"""What the services need from outside, as Protocols; ``app.build`` chooses the adapters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from guandan_arena.services import records as r
from guandan_arena.services.states import EventState, VersionState
from guandan_arena.settings import Settings
from guandan_runner.building import Wheel


class Clock(Protocol):
    """The wall clock."""

    def now_ms(self) -> int:
        """Return UTC milliseconds since 1970."""
        ...


class Entropy(Protocol):
    """The source of secrets and ids."""

    def token_bytes(self, count: int) -> bytes:
        """Return ``count`` unpredictable bytes."""
        ...


class Blobs(Protocol):
    """Archives, replays and logs by the SHA-256 hex digest of their bytes."""

    def put(self, data: bytes) -> str:
        """Keep bytes and return their digest; keeping the same bytes again changes nothing."""
        ...

    def get(self, digest: str) -> bytes:
        """Return the bytes of a digest; raise NotFound, or Unavailable when they no longer match it."""
        ...

    def has(self, digest: str) -> bool:
        """Whether the bytes of a digest are kept."""
        ...


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


class Ladder(Protocol):
    """The live Elo of every version: whole milli-Elo in a sorted set. All of it can be rebuilt from SQL."""

    def apply(self, change: r.MatchChange) -> bool:
        """Move both ratings by one match; the second call for the same match changes nothing and returns False."""
        ...

    def enter(self, versions: Mapping[str, int]) -> None:
        """Give these versions their starting milli-Elo, unless they already have a rating."""
        ...

    def top(self, *, limit: int, offset: int = 0) -> Sequence[tuple[str, int]]:
        """Return (version id, milli-Elo), best first; equal ratings in order of id."""
        ...

    def rating(self, version_id: str) -> int | None:
        """Return a version's milli-Elo, or None when it has never entered."""
        ...

    def applied(self, event_id: str) -> Mapping[str, int]:
        """Return the delta applied for every match id of an event."""
        ...

    def rebuild(self, ratings: Mapping[str, int], changes: Iterable[r.MatchChange]) -> None:
        """Replace all ratings and all applied deltas in one step."""
        ...

    def dump(self) -> bytes:
        """Return ratings and applied deltas in one canonical text, so that two states can be compared byte by byte."""
        ...

    def ping(self) -> None:
        """Raise Unavailable, naming the URL without its password, when the server does not answer."""
        ...

    def close(self) -> None:
        """Give the connections back."""
        ...


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

    def disconnect(self) -> None:
        """Give the connections back."""
        ...


class Accounts(Protocol):
    """Accounts and tokens."""

    def add(self, account: r.Account) -> None:
        """Add an account; raise AlreadyExists when its name is taken."""
        ...

    def get(self, account_id: str) -> r.Account: ...
    def find(self, name: str) -> r.Account | None: ...
    def count_since(self, since_ms: int) -> int:
        """Return how many accounts were created at or after a time."""
        ...

    def lock(self, account_id: str) -> None:
        """Hold an account's row until the transaction ends: what it may have is counted by one at a time."""
        ...

    def set_operator(self, account_id: str, operator: bool) -> None: ...
    def add_token(self, token: r.Token, secret_hash: str) -> None: ...
    def token(self, token_id: str) -> tuple[r.Token, str] | None:
        """Return a token and the hash of its secret."""
        ...

    def tokens(self, account_id: str) -> tuple[r.Token, ...]: ...
    def revoke(self, token_id: str, at_ms: int) -> None: ...


class Bots(Protocol):
    """Bots."""

    def add(self, bot: r.Bot) -> None:
        """Add a bot; raise AlreadyExists when its name is taken."""
        ...

    def get(self, bot_id: str) -> r.Bot: ...
    def find(self, name: str) -> r.Bot | None: ...
    def browse(self, *, owner: str | None = None, limit: int = 50, offset: int = 0) -> tuple[r.Bot, ...]: ...
    def lock(self, bot_id: str) -> r.Bot:
        """Return a bot, holding its row until the transaction ends."""
        ...


class Versions(Protocol):
    """Versions and their checks."""

    def add(self, version: r.Version) -> bool:
        """Add a version and its queued check; False, changing nothing, when the bot already has this digest."""
        ...

    def get(self, version_id: str) -> r.Version: ...
    def find(self, bot_id: str, digest: str) -> r.Version | None: ...
    def of_bot(self, bot_id: str) -> tuple[r.Version, ...]: ...
    def active(self) -> tuple[r.Version, ...]:
        """Return every active version, by id."""
        ...

    def count_since(self, account_id: str, since_ms: int) -> int:
        """Return how many versions an account has submitted at or after a time."""
        ...

    def get_many(self, version_ids: Iterable[str]) -> Mapping[str, r.Version]: ...
    def set_state(self, version: r.Version, state: VersionState) -> r.Version: ...
    def set_wheels(self, version_id: str, wheels: Sequence[Wheel]) -> None: ...
    def active_count(self, account_id: str) -> int:
        """Return how many active versions an account has."""
        ...

    def check(self, version_id: str) -> r.Check: ...
    def lock_check(self, version_id: str) -> r.Check: ...
    def save_check(self, check: r.Check) -> None: ...
    def stale_checks(self, *, now_ms: int, queued_before_ms: int) -> tuple[str, ...]:
        """Return version ids whose check has an expired lease, or has been queued since before a time."""
        ...


class Stages(Protocol):
    """The stages of versions, in order. Who writes one holds the version's bot or its check."""

    def add(self, version_id: str) -> None: ...
    def of(self, version_id: str) -> tuple[r.Stage, ...]: ...
    def save(self, item: r.Stage) -> None: ...


class Events(Protocol):
    """Events with their entrants and rounds, and the switch that pauses them."""

    def add(self, event: r.Event, secret: bytes, entrants: Sequence[r.Entrant]) -> None: ...
    def get(self, event_id: str) -> r.Event: ...
    def lock(self, event_id: str) -> r.Event:
        """Return an event, holding its row until the transaction ends."""
        ...

    def secret(self, event_id: str) -> bytes:
        """Return the secret, also before it is revealed. It must leave the services only as deal secrets."""
        ...

    def browse(self, *, state: EventState | None = None, limit: int = 50, offset: int = 0) -> tuple[r.Event, ...]:
        """Return events, newest first."""
        ...

    def close(self, event_id: str, at_ms: int) -> None: ...
    def entrants(self, event_id: str) -> tuple[r.Entrant, ...]:
        """Return entrants by seed."""
        ...

    def latest_entries(self) -> Mapping[str, r.Entrant]:
        """Return, for every version that has ever entered a rated event, its entry in the newest one."""
        ...

    def add_round(self, item: r.Round) -> bool:
        """Add a round; False, changing nothing, when it is there already."""
        ...

    def rounds(self, event_id: str) -> tuple[r.Round, ...]: ...
    def close_round(self, event_id: str, number: int, at_ms: int) -> None: ...
    def paused(self) -> bool: ...
    def set_paused(self, paused: bool) -> None: ...


class Pairings(Protocol):
    """Pairings, which people call matches."""

    def add(self, matches: Sequence[r.Match]) -> None: ...
    def get(self, match_id: str) -> r.Match: ...
    def lock(self, match_id: str) -> r.Match:
        """Return a match, holding its row until the transaction ends."""
        ...

    def save(self, match: r.Match) -> None:
        """Write state, attempt, lease and outcome."""
        ...

    def of_event(self, event_id: str, *, round: int | None = None) -> tuple[r.Match, ...]: ...  # noqa: A002
    def open_count(self, event_id: str, round: int) -> int: ...  # noqa: A002
    def browse(
        self,
        *,
        event_id: str | None = None,
        version_id: str | None = None,
        bot_id: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[r.Match, ...]:
        """Return matches, newest first."""
        ...

    def playing_count(self) -> int:
        """Return how many matches are being played in all events."""
        ...

    def stale(self, *, now_ms: int, queued_before_ms: int) -> tuple[str, ...]:
        """Return ids of matches whose lease has expired, or which have been queued since before a time."""
        ...

    def changes(self, *, event_id: str | None = None) -> tuple[r.MatchChange, ...]:
        """Return what every rated match moves, in order of finishing."""
        ...

    def ratings(self, version_ids: Iterable[str] | None = None) -> Mapping[str, r.Rating]:
        """Return the Elo and games of versions that have ever entered a rated event (all, or these)."""
        ...


class Tables(Protocol):
    """Tables that counted."""

    def add(self, tables: Sequence[r.Table]) -> None: ...
    def get(self, table_id: str) -> r.Table: ...
    def of_match(self, match_id: str) -> tuple[r.Table, ...]: ...
    def of_matches(self, match_ids: Iterable[str]) -> tuple[r.Table, ...]:
        """Return the tables of several matches, by match, board and way."""
        ...

    def of_event(self, event_id: str) -> tuple[r.Table, ...]: ...
    def board_scores(self) -> tuple[r.BoardScore, ...]:
        """Return every board of every rated match, both ways, in order of its id."""
        ...


class Fits(Protocol):
    """Refitted ratings: one fit per event."""

    def add(self, event_id: str, fits: Sequence[r.RatingFit]) -> None: ...
    def of_event(self, event_id: str) -> Mapping[str, r.RatingFit]:
        """Return an event's fit by version id; empty while it runs."""
        ...

    def latest(self) -> Mapping[str, r.RatingFit]:
        """Return the newest fit by version id; empty when no event has ended."""
        ...


class Audit(Protocol):
    """The journal of what was done."""

    def add(self, entry: r.AuditEntry) -> None: ...
    def count_since(self, *, subject: str, action: str, since_ms: int) -> int: ...
    def browse(self, *, subject: str | None = None, limit: int = 100) -> tuple[r.AuditEntry, ...]: ...


class Transaction(Protocol):
    """All repositories within one transaction: it commits when the block ends, and rolls back on an exception."""

    accounts: Accounts
    bots: Bots
    versions: Versions
    stages: Stages
    events: Events
    pairings: Pairings
    tables: Tables
    fits: Fits
    audit: Audit


class Store(Protocol):
    """The SQL database: the truth."""

    def transaction(self) -> AbstractContextManager[Transaction]:
        """Begin a transaction that may write."""
        ...

    def snapshot(self) -> AbstractContextManager[Transaction]:
        """Begin a transaction that only reads, from one consistent state."""
        ...

    def ping(self) -> None:
        """Raise Unavailable, naming the URL without its password, when the database does not answer."""
        ...

    def close(self) -> None:
        """Give the connections back."""
        ...


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything a service may use."""

    store: Store
    ladder: Ladder
    tables: TableStreams
    rulings: Rulings
    lounge: Lounge
    invitations: Invitations
    blobs: Blobs
    queue: JobQueue
    clock: Clock
    entropy: Entropy
    settings: Settings
