"""The log of a table: what really happened, in order, and what each seat is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from guandan_engine.chair import Chair, Decided
from guandan_engine.conduct import Fault, Verdict, verdict_of
from guandan_engine.events import DECISIONS, DealStarted, Event
from guandan_engine.exchange import NOTE_BYTES, Evidence, Record, Tell
from guandan_engine.quoting import cut as cut_text
from guandan_engine.quoting import quoted
from guandan_engine.rules import RuleSet
from guandan_engine.seats import Four, four
from guandan_engine.view import SeatView, cut, cuts, view_of

__all__ = ["Logbook", "detail_of"]


DETAIL_CHARS: Final = 300


class Logbook:
    """Records numbered from 1. A decision is recorded with how it came about, as its chair remembers it.

    ``evidence``: why seats were answered for. ``notes``: (number of the last record before the answer, seat, text),
    private to each seat's author.
    """

    def __init__(self, seats: Sequence[Chair]) -> None:
        self.records: list[Record] = []
        self.evidence: list[Evidence] = []
        self.notes: list[tuple[int, int, str]] = []
        self._seats = seats
        self._deal_at = 0  # index of the last DealStarted

    def add(self, events: Sequence[Event]) -> tuple[Tell, ...]:
        """Record what happened, the ruling before the action it led to, and tell it to every seat that is there."""
        told: list[Tell] = []
        for event in events:
            decided = self._decided(event)
            if decided and decided.ruling:
                told += self._add(Record(len(self.records) + 1, decided.ruling))
            ms, left = (decided.ms, decided.left) if decided else (0, 0)
            told += self._add(Record(len(self.records) + 1, event, ms, left))
        return tuple(told)

    def again(self, seat: int) -> tuple[Tell, ...]:
        """Tell a seat everything once more."""
        return tuple(_tell(record, seat) for record in self.records)

    def view(self, seat: int | None, rules: RuleSet) -> SeatView:
        """Return what a seat (None: a spectator) may know of the deal, folded as a client would."""
        return view_of(seat, rules, (record.event for record in self.records[self._deal_at :]))

    def note(self, seat: int, text: str) -> None:
        """Keep the note of an answer that is being recorded, cut where it is too long."""
        self.notes.append((len(self.records), seat, cut_text(text, most_bytes=NOTE_BYTES)))

    def fault(self, seat: int, fault: Fault, detail: str, now_ms: int) -> None:
        """Keep why a seat is answered for."""
        self.evidence.append(Evidence(seat, fault, len(self.records), now_ms, detail_of(detail)))

    def knows(self, seat: int, fault: Fault) -> bool:
        """Whether this is held against a seat already."""
        return any((known.seat, known.fault) == (seat, fault) for known in self.evidence)

    @property
    def verdicts(self) -> Four[Verdict]:
        """How the game of each seat ended, as known so far."""
        return four(verdict_of(e.fault for e in self.evidence if e.seat == seat) for seat in range(4))

    def _decided(self, event: Event) -> Decided | None:
        if not isinstance(event, DECISIONS):
            return None
        here = self._seats[event.seat]
        decided, here.decided = here.decided, None
        return decided

    def _add(self, record: Record) -> list[Tell]:
        if isinstance(record.event, DealStarted):
            self._deal_at = len(self.records)
        self.records.append(record)
        seen = cuts(record.event)
        records = {id(record.event): record}
        for event in seen:
            if id(event) not in records:
                records[id(event)] = Record(record.n, event, record.ms, record.left)
        return [Tell(seat, records[id(seen[seat])]) for seat, here in enumerate(self._seats) if here.connected]


def detail_of(text: str) -> str:
    """Return what is said of a fault, made fit for the log."""
    return quoted(text, most=DETAIL_CHARS)


def _tell(record: Record, seat: int) -> Tell:
    return Tell(seat, Record(record.n, cut(record.event, seat), record.ms, record.left))
