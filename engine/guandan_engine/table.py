"""The table adjudicator: a state machine that is told what happened and when, and says what must be done.

It never reads a clock and never touches a wire. Every input carries ``now_ms``; every input returns effects, to be
carried out in order. The one log of records is what really happened; what a seat is told is cut from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from guandan_engine.actions import Action, Question
from guandan_engine.board import Board, Hands
from guandan_engine.clock import STANDARD, Clocks
from guandan_engine.conduct import Fault, Verdict
from guandan_engine.events import Event
from guandan_engine.rules import RuleSet
from guandan_engine.view import SeatView

Dealer: TypeAlias = Callable[[int], Hands]


@dataclass(frozen=True, slots=True)
class TableSpec:
    """What is played at a table.

    ``board`` None is a classic match: from 2 until A is passed, or ``deal_limit`` deals; ``leader`` leads its first
    deal. ``seeds`` are handed to the bots. ``retries``: illegal answers forgiven per question.
    """

    table_id: str
    rules: RuleSet
    clocks: Clocks = STANDARD
    seeds: tuple[int, int, int, int] = (0, 0, 0, 0)
    board: Board | None = None
    deal_limit: int | None = None
    retries: int = 1
    leader: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the log: ``n`` from 1; for a decision, the ``ms`` it took and the bank ``left`` after it, else 0."""

    n: int
    event: Event
    ms: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """A question put to a seat. It may think ``clock_ms`` free of charge, then ``bank_ms`` more."""

    id: int
    question: Question
    clock_ms: int
    bank_ms: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A seat's answer: the index of an option or an action; ``note`` (at most 1 KB is kept) is for its own log."""

    choice: int | Action
    note: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer was not taken. ``attempts_left`` 0 with a ``substitute``: that action is played instead.

    Codes beside those of ``IllegalAction``: ``stale`` (that request is not open: nothing is lost), ``no_such_option``.
    """

    request_id: int
    code: str
    reason: str
    hint: str = ""
    attempts_left: int = 0
    substitute: Action | None = None


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell a seat what happened; the record is already cut for it."""

    seat: int
    record: Record


@dataclass(frozen=True, slots=True)
class AskSeat:
    """Put a request to a seat, and call ``Table.sent`` once it is on the wire."""

    seat: int
    request: Request


@dataclass(frozen=True, slots=True)
class Refuse:
    """Tell a seat that its answer was not taken."""

    seat: int
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class Over:
    """The table has ended; the last record is its MatchEnded."""


Effect: TypeAlias = Tell | AskSeat | Refuse | Over
Effects: TypeAlias = tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why the table answered for a seat, or gave it up: ``n`` is the number of the last record before it."""

    seat: int
    fault: Fault
    n: int
    at_ms: int
    detail: str = ""


class Table:
    """Four seats, their clocks and one board or match. Fed with inputs and times, it answers with effects."""

    log: list[Record]
    evidence: list[Evidence]
    notes: list[tuple[int, int, str]]  # number of the record before the answer, seat, note

    def __init__(self, spec: TableSpec, dealer: Dealer | None = None, *, opened_ms: int = 0) -> None:
        """Open a table; ``dealer(n)`` gives the hands of deal n (from 1) and may be None for a board."""
        raise NotImplementedError

    def joined(self, seat: int, now_ms: int) -> Effects:
        """A seat's stream is there: the first time, or again after it was lost (the log and its request come again)."""
        raise NotImplementedError

    def sent(self, seat: int, request_id: int, now_ms: int) -> Effects:
        """The request is on the wire: the seat's clock starts."""
        raise NotImplementedError

    def answered(self, seat: int, request_id: int, answer: Answer, now_ms: int) -> Effects:
        """A seat has answered; whatever it sent is judged, never trusted."""
        raise NotImplementedError

    def broken(self, seat: int, fault: Fault, detail: str, now_ms: int) -> Effects:
        """A seat cannot go on (or we cannot): the substitute plays for it from now on."""
        raise NotImplementedError

    def lost(self, seat: int, now_ms: int) -> Effects:
        """A seat's stream has ended; it may join again while its clock runs."""
        raise NotImplementedError

    def tick(self, now_ms: int) -> Effects:
        """Time has passed; to be called when ``deadline_ms`` is reached."""
        raise NotImplementedError

    @property
    def deadline_ms(self) -> int | None:
        """When ``tick`` must be called next; None while nothing is awaited."""
        raise NotImplementedError

    @property
    def ended(self) -> bool:
        """Whether the table is over."""
        raise NotImplementedError

    @property
    def verdicts(self) -> tuple[Verdict, Verdict, Verdict, Verdict]:
        """How the game of each seat ended, as known so far."""
        raise NotImplementedError

    @property
    def times(self) -> tuple[tuple[int, ...], ...]:
        """Milliseconds of every decision each seat made itself."""
        raise NotImplementedError

    def view(self, seat: int | None) -> SeatView:
        """Return what a seat (None: a spectator) may know now, folded from the log as a client would."""
        raise NotImplementedError
