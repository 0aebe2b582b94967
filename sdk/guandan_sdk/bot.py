"""What an author writes: a class with one method, ``play``. Everything else has a sensible default."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from guandan_engine.actions import Lay, Pass
from guandan_engine.cards import Card, order_key
from guandan_engine.combos import Combo
from guandan_engine.exchange import NOTE_BYTES
from guandan_engine.quoting import cut
from guandan_sdk.memory import Memory

if TYPE_CHECKING:
    from guandan_engine.clock import Clocks
    from guandan_engine.events import CardOffered, DealEnded, Event
    from guandan_engine.rules import RuleSet
    from guandan_engine.view import SeatView

Options: TypeAlias = tuple[Combo | None, ...]
"""Every legal play in canonical form; when following, the first one is None, which means pass."""

Choice: TypeAlias = Combo | Lay | Pass | None
"""What ``Bot.play`` returns: one of the options, or a ``Lay`` with exact cards and their reading."""


@dataclass(frozen=True, slots=True)
class Welcome:
    """What a bot learns when it sits down. ``seed`` is this seat's own; ``Bot.random`` already uses it."""

    table: str
    seat: int
    rules: RuleSet
    clocks: Clocks
    seed: int


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """Time for the current decision: ``move_ms`` are free, after that the ``bank_ms`` of this seat are used up."""

    move_ms: int
    bank_ms: int


class Bot(ABC):
    """A player in one seat at one table.

    Overwrite ``play``. An instance lives for one table: its attributes are its memory. For the same seed and the same
    cards a bot should make the same plays, so take chance from ``self.random`` and nowhere else.
    """

    random: Random
    """Chance seeded by the table for this seat; there from ``start`` on."""

    time: TimeLeft
    """Time for the decision being asked; there while the method that decides runs."""

    memory: Memory
    """All that was laid and told since the deal began, by counting along; there from ``start`` on."""

    announce: bool | None = None
    """Whether the answer being given tells the others how many cards are left (报牌); None again before each answer.

    While it is None, they are told whenever the rules owe it to them. Set it in ``play`` to take that over.
    """

    _note: str = ""

    @abstractmethod
    def play(self, view: SeatView, options: Options) -> Choice:
        """Choose one of the options: a Combo, or None to pass (offered only when following)."""

    def pay(self, view: SeatView, options: tuple[Card, ...]) -> Card:
        """Choose the tribute (进贡) among cards of equal rank: by default the first."""
        return options[0]

    def give_back(self, view: SeatView, options: tuple[Card, ...]) -> Card:
        """Choose the card to return (还贡): by default the lowest at this level."""
        return min(options, key=lambda card: (order_key(card.rank, view.level), card.index))

    def resist(self, view: SeatView) -> bool:
        """Decide whether to show the big jokers and not to pay (抗贡), if the other holder agrees: by default yes."""
        return True

    def take_tribute(self, view: SeatView, offers: tuple[CardOffered, ...]) -> CardOffered:
        """Choose one of two equal tributes, each lying before its payer: by default the first."""
        return offers[0]

    def take_back(self, view: SeatView, offers: tuple[CardOffered, ...]) -> CardOffered:
        """Choose one of two returns, each lying before its giver: by default the highest at this level."""
        return max(offers, key=lambda offer: (order_key(offer.card.rank, view.level), -offer.seat))

    def name_leader(self, view: SeatView, seats: tuple[int, ...]) -> int:
        """Choose which of two payers leads: by default this seat itself."""
        return view.seat if view.seat in seats else seats[0]

    def start(self, welcome: Welcome) -> None:  # noqa: B027 - optional to overwrite
        """Sit down at a table; called once, before anything else."""

    def deal_started(self, view: SeatView) -> None:  # noqa: B027 - optional to overwrite
        """Look at a new hand, before tribute."""

    def event(self, view: SeatView, event: Event) -> None:  # noqa: B027 - optional to overwrite
        """See what has happened; the view already includes it."""

    def deal_ended(self, view: SeatView, ended: DealEnded) -> None:  # noqa: B027 - optional to overwrite
        """See how the deal ended and what the others held."""

    def note(self, text: str) -> None:
        """Add a line to this bot's own log beside the next answer (1 KB per answer, longer text is cut)."""
        joined = f"{self._note}\n{text}" if self._note else text
        self._note = cut(joined, most_bytes=NOTE_BYTES)


def run(bot: Bot | type[Bot]) -> None:
    """Play one table as this bot: connect to the table named by ``GUANDAN_TABLE``, return when it is over."""
    from guandan_sdk.client import play_table  # noqa: PLC0415 - grpc is slow to import and only needed here

    play_table(bot)
