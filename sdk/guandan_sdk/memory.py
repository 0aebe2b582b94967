"""What a bot remembers of a deal. Rules may forbid looking back at what was laid; nobody forbids counting along."""

from __future__ import annotations

from guandan_engine.cards import Card
from guandan_engine.events import DealStarted, Event, Played, TributePaid, TributeReturned

HAND_CARDS = 27


class Memory:
    """Everything since the cards were dealt, whatever ``SeatView.history`` and ``SeatView.counts`` still show.

    ``counts``: cards left of each seat, by counting what it laid. ``shown``: all cards that were laid. ``events``: all
    that happened, as the seat saw it. ``told``: whether a seat has told in this deal how many cards it has left.
    """

    counts: list[int]
    shown: list[Card]
    events: list[Event]
    told: list[bool]

    def __init__(self) -> None:
        self._forget()

    def add(self, event: Event) -> None:
        """Remember an event; a new deal drives out the last one."""
        if isinstance(event, DealStarted):
            self._forget()
        self.events.append(event)
        if isinstance(event, Played):
            self.counts[event.seat] -= len(event.play.cards)
            self.shown.extend(event.play.cards)
            self.told[event.seat] |= event.told
        elif isinstance(event, TributePaid | TributeReturned):
            self.counts[event.seat] -= 1
            self.counts[event.to] += 1

    def _forget(self) -> None:
        self.counts = [HAND_CARDS] * 4
        self.shown = []
        self.events = []
        self.told = [False] * 4
