"""What authors own: accounts, tokens, bots, versions."""

from __future__ import annotations

from dataclasses import dataclass

from guandan_arena.services.states import VersionState
from guandan_runner.building import Wheel
from guandan_runner.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Account:
    """An author or an operator."""

    id: str
    name: str
    operator: bool
    created_ms: int


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token: never its secret."""

    id: str
    account_id: str
    label: str
    created_ms: int
    expires_ms: int
    revoked_ms: int | None = None


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token; ``text`` is shown this once."""

    account: Account
    token: Token
    text: str


@dataclass(frozen=True, slots=True)
class Bot:
    """A name, unique in the arena, under which an account submits versions."""

    id: str
    account_id: str
    owner: str
    name: str
    created_ms: int
    active: str | None = None
    """Id of the version that plays, if any."""


@dataclass(frozen=True, slots=True)
class Version:
    """One immutable upload. ``owner`` and ``bot`` are names; ``number`` counts from 1 within the bot."""

    id: str
    bot_id: str
    owner: str
    bot: str
    number: int
    digest: str
    size_bytes: int
    manifest: Manifest
    filename: str
    message: str
    state: VersionState
    created_ms: int
    wheels: tuple[Wheel, ...] = ()
    """What its dependencies were resolved to when it was built, so that every machine builds the same."""

    @property
    def remote(self) -> bool:
        """Whether it plays from its author's machine: then there is no code of it here."""
        return self.manifest.is_remote

    @property
    def title(self) -> str:
        """Return the version's name for people, as ``greedy/3``."""
        return f"{self.bot}/{self.number}"


@dataclass(frozen=True, slots=True)
class Submission:
    """The answer to an upload. ``created`` is False when the bot already had a version of this digest."""

    version: Version
    created: bool
