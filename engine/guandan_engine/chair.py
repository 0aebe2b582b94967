"""What a table keeps about one seat: its clock, its open request, its faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from guandan_engine.board import side_of
from guandan_engine.clock import Clocks
from guandan_engine.conduct import Fault
from guandan_engine.conduct.pace import NO_PACE, Pace, Stage, forfeit_ms
from guandan_engine.decisions import TimedDecision
from guandan_engine.events import Ruling
from guandan_engine.exchange import Request, TableSpec

STALE_ALLOWED: Final = 64  # answers to requests that are not open, per seat and table
JOINS_ALLOWED: Final = 16  # streams per seat and table; each later one is told everything again


@dataclass(slots=True)
class OpenRequest:
    """A request without an answer yet; ``started_ms`` is None until it is on the wire.

    ``pace``: the times of the rules for it; ``stage``: how far beyond them it has been dealt with. ``due_ms``: when
    something must be done about it, which is to charge its seat with slow play (``slow_next``), or that it has run out.
    """

    request: Request
    clocks: Clocks
    asked_ms: int
    started_ms: int | None
    pace: Pace = NO_PACE
    stage: Stage = Stage.IN_TIME
    illegal: int = 0
    due_ms: int = field(init=False)
    slow_next: bool = field(init=False)

    def __post_init__(self) -> None:
        """Work out when something is due."""
        self._plan()

    def start(self, now_ms: int) -> None:
        """Have the clock run from now on."""
        self.started_ms = now_ms
        self._plan()

    def slow_down(self) -> Stage:
        """Go on to the next stage of slow play, and return it."""
        self.stage = self.pace.after(self.stage)[0]
        self._plan()
        return self.stage

    def used(self, now_ms: int) -> int:
        """Return how long the seat has been thinking."""
        return 0 if self.started_ms is None else max(0, now_ms - self.started_ms)

    @property
    def runs_out_ms(self) -> int:
        """When this request runs out: of time, or of patience with a wire that does not take it."""
        if self.started_ms is None:
            return self.asked_ms + self.clocks.connect_ms
        return self.started_ms + self.clocks.allowance(self.request.bank_ms)

    def _plan(self) -> None:
        """Keep what is due next: it is looked at for every answer of every seat."""
        self.due_ms, self.slow_next = self.runs_out_ms, False
        slow_ms = None if self.started_ms is None else self.pace.after(self.stage)[1]
        if self.started_ms is not None and slow_ms is not None and self.started_ms + slow_ms <= self.due_ms:
            self.due_ms, self.slow_next = self.started_ms + slow_ms, True

    def repeated(self, now_ms: int) -> Request:
        """Return the request with the time that is left, for a seat that has joined again."""
        first, used = self.request, self.used(now_ms)
        bank = first.bank_ms - max(0, used - first.clock_ms)
        return Request(first.id, first.question, max(0, first.clock_ms - used), max(0, bank))


@dataclass(frozen=True, slots=True)
class Decided:
    """How an action came about, kept until the action is shown; ``before``: the bank that it was charged to."""

    ms: int
    left: int
    before: int
    ruling: Ruling | None = None


@dataclass(frozen=True, slots=True)
class ChairState:
    """How a seat stands with its table: whether it was given up, its bank, its time-outs, its streams."""

    given_up: bool
    bank_ms: int
    timeouts: int
    streams: int


@dataclass(slots=True)
class Chair:
    """One seat at a table. ``out``: why the table has given it up; the substitute plays for it from then on."""

    bank: int
    connected: bool = False
    was_here: bool = False
    out: Fault | None = None
    open: OpenRequest | None = None
    decided: Decided | None = None
    timeouts: int = 0
    stale: int = 0
    joins: int = 0
    timed: list[TimedDecision] = field(default_factory=list)

    @property
    def floods(self) -> bool:
        """Whether it has sent more answers that nobody asked for than a table reads."""
        return self.stale > STALE_ALLOWED

    def charged(self, now_ms: int, clocks: Clocks) -> int:
        """Return how much time the open request has taken, at most all that there was."""
        return 0 if self.open is None else min(self.open.used(now_ms), clocks.allowance(self.bank))

    def close(self, now_ms: int, clocks: Clocks, ruling: Ruling | None) -> None:
        """End the open request: charge the clock and remember how the decision came about."""
        used, before = self.charged(now_ms, clocks), self.bank
        self.bank = clocks.left(before, used)
        self.open = None
        self.decided = Decided(used, self.bank, before, ruling)


def first_due(seats: Sequence[Chair], now_ms: int) -> tuple[int, OpenRequest] | None:
    """Return the seat and the request about which something had to be done first, None when nothing had to be yet."""
    due = [(seat, here.open) for seat, here in enumerate(seats) if here.open and here.open.due_ms <= now_ms]
    return min(due, key=lambda item: item[1].due_ms, default=None)


def take_back_sealed(seats: Sequence[Chair]) -> int:
    """Undo the clocks of answers that were given and will never be shown; return the time they took."""
    took = 0
    for here in seats:
        if here.decided is not None:
            here.bank, took = here.decided.before, took + here.decided.ms
            here.decided = None
    return took


def patience_ms(spec: TableSpec, seats: Sequence[Chair]) -> int:
    """Return how long a table waits for its seats: until it replaces them, or the rules give the match away."""
    late_ms = _late_ms(spec, seats)
    return spec.clocks.connect_ms if late_ms is None else min(late_ms, spec.clocks.connect_ms)


def forfeits(spec: TableSpec, seats: Sequence[Chair]) -> bool:
    """Whether a table that has waited so long gives the match to the side that is there (§11.11)."""
    return _late_ms(spec, seats) == patience_ms(spec, seats)


def _late_ms(spec: TableSpec, seats: Sequence[Chair]) -> int | None:
    """Return when the side that is not there whole has lost the match, None when that is both sides, or neither."""
    late = {side_of(seat) for seat, here in enumerate(seats) if not (here.connected or here.out)}
    if len(late) != 1 or spec.rules.late is None:
        return None
    return forfeit_ms(spec.rules.late, leave=spec.leave[late.pop()])
