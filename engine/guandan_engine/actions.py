"""What a seat may be asked and what it may answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from guandan_engine.cards import Card
from guandan_engine.combos import Combo, Reading

__all__ = ["Action", "Ask", "Choose", "Give", "Lay", "Option", "Pass", "Play", "Question", "Resist"]


@dataclass(frozen=True, slots=True)
class Play:
    """A combo laid on the table with its concrete cards (sorted by index)."""

    combo: Combo
    cards: tuple[Card, ...]


class Ask(StrEnum):
    """The question a request puts to a seat."""

    PAY = "pay"
    RETURN = "return"
    PLAY = "play"
    ANTI = "anti"
    CHOOSE_TRIBUTE = "choose_tribute"
    CHOOSE_RETURN = "choose_return"
    CHOOSE_LEADER = "choose_leader"


@dataclass(frozen=True, slots=True)
class Pass:
    """Lay nothing."""


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay these cards, read as declared; ``reading`` may be None when only one reading is possible."""

    cards: tuple[Card, ...]
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class Give:
    """Hand over one card: the tribute when asked to PAY or ANTI, the return when asked to RETURN."""

    card: Card


@dataclass(frozen=True, slots=True)
class Resist:
    """抗贡: show the big jokers instead of paying."""


@dataclass(frozen=True, slots=True)
class Choose:
    """Take the card that lies before this seat; asked to CHOOSE_LEADER, name this seat."""

    seat: int


Action: TypeAlias = Pass | Lay | Give | Resist | Choose

Option: TypeAlias = Combo | Card | Resist | Choose | None
"""One canonical answer; None is a pass."""

Options: TypeAlias = tuple[Option, ...]


class Question:
    """What the rules ask of one seat now. A deal may put several at once (two payers, two returners).

    ``options`` lists every canonical answer: for PLAY, None (pass, first, only when following) and Combos in the
    order of ``legal_plays``; for PAY and RETURN, the different Cards allowed; for ANTI, Resist and the Cards that may
    be paid instead; for the CHOOSE asks, a Choose for each seat. Never empty.
    """

    __slots__ = ("_listed", "ask", "seat", "to_beat")

    def __init__(
        self, seat: int, ask: Ask, options: Options | Callable[[], Options], to_beat: Play | None = None
    ) -> None:
        """Put a question; options given as a function are listed when they are first looked at."""
        self.seat: Final = seat
        self.ask: Final = ask
        self.to_beat: Final = to_beat
        self._listed = options

    @property
    def options(self) -> Options:
        """Every canonical answer."""
        if not isinstance(self._listed, tuple):
            self._listed = self._listed()
        return self._listed

    def __eq__(self, other: object) -> bool:
        """Whether the same is asked of the same seat."""
        return isinstance(other, Question) and self._facts() == other._facts()

    def __hash__(self) -> int:
        """Equal questions have one hash."""
        return hash(self._facts())

    def __repr__(self) -> str:
        """Show everything."""
        return f"Question{self._facts()!r}"

    def _facts(self) -> tuple[object, ...]:
        return self.seat, self.ask, self.options, self.to_beat
