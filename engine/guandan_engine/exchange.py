"""What a table is given, and what it and its seats say to each other: records, requests, answers, effects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from guandan_engine.actions import Action, Question
from guandan_engine.board import Board
from guandan_engine.clock import STANDARD, Clocks
from guandan_engine.conduct import Fault
from guandan_engine.dealing import Dealt
from guandan_engine.events import Event
from guandan_engine.rules import RuleSet

__all__ = [
    "NOTE_BYTES",
    "Answer",
    "AskSeat",
    "Dealer",
    "Effect",
    "Effects",
    "Evidence",
    "Over",
    "Record",
    "Refusal",
    "Refuse",
    "Request",
    "RulingRefused",
    "TableSpec",
    "Tell",
]

NOTE_BYTES: Final = 1024  # of UTF-8, with one answer

Dealer: TypeAlias = Callable[[int], Dealt]
"""Gives deal n (from 1) of a classic match: ``shuffle.deal`` of its secret."""


@dataclass(frozen=True, slots=True)
class TableSpec:
    """What is played at a table.

    ``board`` None is a classic match, until its rules end it or ``deal_limit`` deals are played. ``seeds`` are handed
    to the bots. ``leave``: sides that may come late.
    """

    table_id: str
    rules: RuleSet
    clocks: Clocks = STANDARD
    seeds: tuple[int, int, int, int] = (0, 0, 0, 0)
    board: Board | None = None
    deal_limit: int | None = None
    leave: tuple[bool, bool] = (False, False)


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
    """A seat's answer: the index of an option or an action; ``note`` (at most 1 KB is kept) is for its own log.

    ``announce`` (报牌): whether it tells the others how many cards it keeps; None leaves that to the table, which tells
    it where it is owed.
    """

    choice: int | Action
    note: str = ""
    announce: bool | None = None


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
class RulingRefused:
    """Tell the referee that a ruling cannot be carried out: nothing has changed, and it may be made again."""

    ruling_id: str
    code: str
    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class Over:
    """The table has ended; the last record is its MatchEnded."""


Effect: TypeAlias = Tell | AskSeat | Refuse | RulingRefused | Over
Effects: TypeAlias = tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why the table answered for a seat, or gave it up: ``n`` is the number of the last record before it."""

    seat: int
    fault: Fault
    n: int
    at_ms: int
    detail: str = ""
