"""Events and who takes part, with ratings frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from guandan_arena.services.states import EventKind, EventState, RoundState
from guandan_engine.clock import Clocks
from guandan_runner.building import Wheel
from guandan_runner.manifest import Manifest


@dataclass(frozen=True, slots=True)
class NightSpec:
    """How a night is played; frozen when it opens. ``owners_apart``: two bots of one owner do not meet."""

    rounds: int
    boards: int
    clocks: Clocks
    owners_apart: bool = True


@dataclass(frozen=True, slots=True)
class Event:
    """A ladder night or an open event. ``rules`` are all parameters expanded; ``secret`` is None until it is over."""

    id: str
    name: str
    kind: EventKind
    state: EventState
    rules: Mapping[str, object]
    spec: NightSpec
    commitment: str
    secret: bytes | None
    created_ms: int
    closed_ms: int | None


@dataclass(frozen=True, slots=True)
class Round:
    """A Swiss round of an event; ``number`` from 1."""

    event_id: str
    number: int
    state: RoundState
    opened_ms: int
    closed_ms: int | None


@dataclass(frozen=True, slots=True)
class Entrant:
    """A version in an event. ``seed`` from 1 is its place in the seeding order; Elo and games are those at entry.

    ``remote``: it plays from its author's machine.
    """

    event_id: str
    version_id: str
    owner: str
    bot: str
    number: int
    seed: int
    elo_milli: int
    games: int
    remote: bool = False

    @property
    def title(self) -> str:
        """Return the entrant's name for people, as ``greedy/3``."""
        return f"{self.bot}/{self.number}"


@dataclass(frozen=True, slots=True)
class Rating:
    """A version's Elo as SQL knows it: start plus the deltas of every finished match."""

    elo_milli: int
    games: int


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two entrants of a match, with its rating frozen when it was paired."""

    version_id: str
    owner: str
    bot: str
    number: int
    digest: str
    manifest: Manifest
    elo_milli: int
    games: int
    wheels: tuple[Wheel, ...] = ()

    @property
    def remote(self) -> bool:
        """Whether it plays from its author's machine."""
        return self.manifest.is_remote

    @property
    def title(self) -> str:
        """Return the side's name for people, as ``greedy/3``."""
        return f"{self.bot}/{self.number}"
