"""The table adjudicator: a state machine that is told what happened and when, and says what must be done.

It never reads a clock and never touches a wire. Every input carries ``now_ms``; every input returns effects, to be
carried out in order. The one log of records is what really happened; what a seat is told is cut from it.

The life of a table: all four seats join (or the time to connect runs out), then questions are put and answered until
the match has ended. A seat is *out* once the table has given it up; from then on the substitute plays for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from guandan_engine import match as matches
from guandan_engine.actions import Question
from guandan_engine.answering import TOO_MANY_JOINS, attempts, chosen, refuse_joining, refuse_stale
from guandan_engine.chair import (
    JOINS_ALLOWED,
    Chair,
    ChairState,
    Decided,
    OpenRequest,
    first_due,
    forfeits,
    patience_ms,
    take_back_sealed,
)
from guandan_engine.conduct import Fault, Offence, Sanction, Verdict, umpire
from guandan_engine.conduct.pace import NO_PACE
from guandan_engine.conduct.penalties import Penalty
from guandan_engine.conduct.rulings import NoSuchRuling, RefereeRuling
from guandan_engine.conduct.umpire import Outcome, Sitting
from guandan_engine.dealing import Dealt
from guandan_engine.decisions import TimedDecision
from guandan_engine.errors import EngineError, IllegalAction
from guandan_engine.events import MatchEnded, Ruling
from guandan_engine.exchange import (
    Answer,
    AskSeat,
    Dealer,
    Effect,
    Effects,
    Over,
    Record,
    Refusal,
    Refuse,
    Request,
    RulingRefused,
    TableSpec,
)
from guandan_engine.logbook import Logbook, detail_of
from guandan_engine.view import SeatView

__all__ = ["Table"]

TIMEOUTS_ALLOWED: Final = 3  # at the third, the seat is out


class Table:
    """Four seats, their clocks and one board or match. Fed with inputs and times, it answers with effects.

    ``evidence``: why seats were answered for. ``notes``: (number of the last record before the answer, seat, text),
    private to each seat's author.
    """

    def __init__(self, spec: TableSpec, dealer: Dealer | None = None, *, opened_ms: int = 0) -> None:
        """Open a table; ``dealer(n)`` gives deal n (from 1) of a classic match and may be None for a board."""
        if spec.board is None and dealer is None:
            raise EngineError(f"table {spec.table_id}: a classic match needs a dealer")
        self.spec = spec
        self._dealer = dealer
        self._opened_ms = opened_ms
        self._seats = tuple(Chair(spec.clocks.bank_ms) for _ in range(4))
        self._book = Logbook(self._seats)
        self.evidence, self.notes = self._book.evidence, self._book.notes
        self._sitting: Sitting | None = None
        self._requests = 0
        self._ruled: set[str] = set()

    # Inputs

    def joined(self, seat: int, now_ms: int) -> Effects:
        """A seat's stream is there: the first time, or again after it was lost (the log and its request come again)."""
        effects = self._expire(now_ms)
        here = self._seats[seat]
        refusal = refuse_joining(here, ended=self.ended)
        if refusal:
            return (*effects, Refuse(seat, refusal))
        here.joins += 1
        if here.joins > JOINS_ALLOWED:
            broken = self.broken(seat, Fault.PROTOCOL_BROKEN, f"opened more than {JOINS_ALLOWED} streams", now_ms)
            return (*effects, *broken, Refuse(seat, TOO_MANY_JOINS))
        here.connected = here.was_here = True
        if self._sitting is None:
            return (*effects, *self._begin_if_ready(now_ms))
        return (*effects, *self._book.again(seat), *self._ask_again(seat, now_ms))

    def sent(self, seat: int, request_id: int, now_ms: int) -> Effects:
        """The request is on the wire: the seat's clock starts. What it may answer is listed while it thinks."""
        pending = self._seats[seat].open
        if pending and pending.request.id == request_id and pending.started_ms is None:
            pending.start(now_ms)
            _ = pending.request.question.options
        return ()

    def answered(self, seat: int, request_id: int, answer: Answer, now_ms: int) -> Effects:
        """A seat has answered; whatever it sent is judged, never trusted."""
        effects = self._expire(now_ms)
        pending = self._seats[seat].open
        if self._sitting is None or pending is None or pending.request.id != request_id:
            return (*effects, *self._stale(seat, request_id, now_ms))
        before = self._sitting
        try:
            action = chosen(before, pending.request.question, answer)
            ms = self._seats[seat].charged(now_ms, self.spec.clocks)
            outcome = umpire.act(before, seat, action, self.spec.rules, announce=answer.announce, ms=ms)
        except IllegalAction as error:
            return (*effects, *self._illegal(seat, pending, error, now_ms))
        if answer.note:
            self._book.note(seat, answer.note)
        phase = umpire.phase_of(before, pending.request.question.ask)
        self._seats[seat].timed.append(TimedDecision(phase, pending.used(now_ms)))
        return (*effects, *self._settle(seat, outcome, now_ms))

    def broken(self, seat: int, fault: Fault, detail: str, now_ms: int) -> Effects:
        """A seat cannot go on (or we cannot): the substitute plays for it from now on."""
        effects = self._expire(now_ms)
        if self.ended:
            return effects
        here = self._seats[seat]
        here.connected = False
        if not here.out or not self._book.knows(seat, fault):  # else it adds nothing
            self._book.fault(seat, fault, detail, now_ms)
        if here.out:
            return effects
        here.out = fault
        if self._sitting is None:
            return (*effects, *self._begin_if_ready(now_ms))
        return (*effects, *self._rule(seat, fault, detail, now_ms)) if here.open else effects

    def lost(self, seat: int, now_ms: int) -> Effects:
        """A seat's stream has ended; it may join again while its clock runs."""
        effects = self._expire(now_ms)
        here = self._seats[seat]
        here.connected = False
        if here.open and here.open.started_ms is None:
            here.open.start(now_ms)
        return effects

    def tick(self, now_ms: int) -> Effects:
        """Time has passed; to be called when ``deadline_ms`` is reached."""
        return self._expire(now_ms)

    def ruled(self, ruling: RefereeRuling, now_ms: int) -> Effects:
        """A referee has ruled; the same ruling again changes nothing."""
        effects = self._expire(now_ms)
        if ruling.id in self._ruled:
            return effects
        try:
            if self._sitting is None:
                raise NoSuchRuling("not_playing", "play has not begun", "rule while it plays")
            ruled = self._punish(lambda sitting: umpire.rule(sitting, ruling, self.spec.rules), now_ms)
        except NoSuchRuling as error:
            return (*effects, RulingRefused(ruling.id, error.code, error.reason, error.hint))
        self._ruled.add(ruling.id)
        return (*effects, *ruled)

    # Questions

    @property
    def log(self) -> list[Record]:
        """All that happened."""
        return self._book.records

    @property
    def deadline_ms(self) -> int | None:
        """When ``tick`` must be called next; None while nothing is awaited."""
        if self._sitting is None:
            return self._opened_ms + patience_ms(self.spec, self._seats)
        return min((here.open.due_ms for here in self._seats if here.open), default=None)

    @property
    def ended(self) -> bool:
        """Whether the table is over."""
        return self.result is not None

    @property
    def result(self) -> MatchEnded | None:
        """The result, None before the end."""
        return self._sitting.match.ended if self._sitting else None

    @property
    def verdicts(self) -> tuple[Verdict, Verdict, Verdict, Verdict]:
        """How the game of each seat ended, as known so far."""
        return self._book.verdicts

    @property
    def timed(self) -> tuple[tuple[TimedDecision, ...], ...]:
        """Every decision each seat made itself, with the time it took."""
        return tuple(tuple(here.timed) for here in self._seats)

    def state_of(self, seat: int) -> ChairState:
        """Return how a seat stands: whether the table has given it up, and what its clock holds."""
        here = self._seats[seat]
        return ChairState(here.out is not None, here.bank, here.timeouts, here.joins)

    def floods(self, seat: int) -> bool:
        """Whether a seat sends so many answers to requests that are not open that its stream may be closed."""
        return self._seats[seat].floods

    def view(self, seat: int | None) -> SeatView:
        """Return what a seat (None: a spectator) may know now, folded from the log as a client would."""
        return self._book.view(seat, self.spec.rules)

    # Joining

    def _begin_if_ready(self, now_ms: int) -> Effects:
        if not all(here.connected or here.out for here in self._seats):
            return ()
        return (*self._deal_first(), *self._proceed(now_ms))

    def _deal_first(self) -> Effects:
        spec = self.spec
        if spec.board is not None:
            match, events = matches.start_board(spec.board, spec.rules)
        else:
            match, events = matches.start(self._dealt(1), spec.rules, deal_limit=spec.deal_limit)
        self._sitting = Sitting(match)
        return self._book.add(events)

    def _dealt(self, deal: int) -> Dealt:
        if self._dealer is None:
            raise EngineError(f"table {self.spec.table_id}: no dealer for deal {deal}")
        return self._dealer(deal)

    @property
    def _playing(self) -> Sitting:
        if self._sitting is None:
            raise EngineError(f"table {self.spec.table_id} has not begun")
        return self._sitting

    # Asking and acting

    def _proceed(self, now_ms: int) -> Effects:
        """Deal and ask until a seat that is not out must think, or the match has ended."""
        effects: list[Effect] = []
        while self._sitting and not self._sitting.match.ended:
            if self._sitting.match.awaits_deal:
                dealt = self._dealt(self._sitting.deal.number + 1)
                self._sitting, events = umpire.next_dealt(self._sitting, dealt, self.spec.rules)
                effects += self._book.add(events)
                continue
            new = [q for q in umpire.questions(self._sitting, self.spec.rules) if not self._seats[q.seat].open]
            for question in new:
                effects += self._ask(self._sitting, question, now_ms)
            if any(here.open for here in self._seats):
                return tuple(effects)
        return (*effects, Over())

    def _ask(self, sitting: Sitting, question: Question, now_ms: int) -> Effects:
        """Put a question to a seat, or answer it when the seat is out, or may not play."""
        here = self._seats[question.seat]
        if umpire.bars(sitting, question.seat):
            return self._answer_for(question, Fault.SKIPPED)
        if here.out:
            return self._answer_for(question, here.out)
        self._requests += 1
        request = Request(self._requests, question, self.spec.clocks.move_ms, here.bank)
        pace = umpire.pace(sitting, question.ask, self.spec.rules) if self.spec.clocks.play_clock else NO_PACE
        here.open = OpenRequest(request, self.spec.clocks, now_ms, None if here.connected else now_ms, pace)
        return (AskSeat(question.seat, request),) if here.connected else ()

    def _answer_for(self, question: Question, fault: Fault) -> Effects:
        """Answer for a seat that is not asked: it takes no time."""
        here = self._seats[question.seat]
        here.decided = Decided(0, here.bank, here.bank, Ruling(question.seat, fault, question.ask))
        self._sitting, events = self._substituted(question, fault)
        return self._book.add(events)

    def _ask_again(self, seat: int, now_ms: int) -> Effects:
        """Repeat the open request to a seat that has joined again, with the time it still has."""
        pending = self._seats[seat].open
        return () if pending is None else (AskSeat(seat, pending.repeated(now_ms)),)

    def _settle(self, seat: int, outcome: Outcome, now_ms: int, ruling: Ruling | None = None) -> Effects:
        """Close the open request of a seat with what its action led to, charge its clock, and go on."""
        self._seats[seat].close(now_ms, self.spec.clocks, ruling)
        self._sitting, events = outcome
        return (*self._book.add(events), *self._proceed(now_ms))

    # Faults

    def _expire(self, now_ms: int) -> Effects:
        """Carry out everything that was due by now, the earliest first."""
        effects: list[Effect] = []
        if self._sitting is None and now_ms >= self._opened_ms + patience_ms(self.spec, self._seats):
            effects += self._give_up_absent(now_ms)
        while overdue := first_due(self._seats, now_ms):
            effects += self._overdue(*overdue, now_ms)
        return tuple(effects)

    def _overdue(self, seat: int, pending: OpenRequest, now_ms: int) -> Effects:
        if pending.started_ms is None:
            pending.start(pending.due_ms)
            return ()
        if pending.slow_next:
            return self._slow(seat, pending, now_ms)
        here = self._seats[seat]
        fault = Fault.TIMEOUT if here.connected else Fault.DISCONNECTED
        here.timeouts += 1
        if fault is Fault.DISCONNECTED or here.timeouts >= TIMEOUTS_ALLOWED:
            here.out = fault
        detail = f"no answer within {self.spec.clocks.allowance(here.bank)} ms"
        self._book.fault(seat, fault, f"{detail}: {self.spec.clocks.limit_text(here.bank)}", now_ms)
        return self._rule(seat, fault, detail, now_ms)

    def _slow(self, seat: int, pending: OpenRequest, now_ms: int) -> Effects:
        """Warn a seat that thinks too long for the rules, or charge it (§11.5)."""
        penalty = umpire.too_slow(self._playing, seat, pending.slow_down(), pending.pace, self.spec.rules)
        return self._penalise(penalty, now_ms)

    def _give_up_absent(self, now_ms: int) -> Effects:
        forfeited, after_ms = forfeits(self.spec, self._seats), patience_ms(self.spec, self._seats)
        absent = [seat for seat, here in enumerate(self._seats) if not here.connected and not here.out]
        for seat in absent:
            here = self._seats[seat]
            here.out = Fault.DISCONNECTED if here.was_here else Fault.NEVER_CONNECTED
            self._book.fault(seat, here.out, f"not there after {after_ms} ms", now_ms)
        if not forfeited:
            return self._begin_if_ready(now_ms)
        dealt = self._deal_first()
        return (*dealt, *self._penalise(Penalty(absent[0], Offence.LATE, Sanction.LOSE_MATCH), now_ms))

    def _illegal(self, seat: int, pending: OpenRequest, error: IllegalAction, now_ms: int) -> Effects:
        """Refuse an answer; the clock runs on. Past the retries the substitute plays."""
        pending.illegal += 1
        left = attempts(self.spec.rules) - pending.illegal
        action = None if left > 0 else umpire.stand_in(self._playing, pending.request.question)
        refusal = Refusal(pending.request.id, error.code, error.reason, error.hint, max(0, left), action)
        if action is None:
            return (Refuse(seat, refusal),)
        detail = f"{error.code}: {error.reason}"
        self._book.fault(seat, Fault.ILLEGAL, detail, now_ms)
        penalty = umpire.bad_move(self._playing, seat, self.spec.rules)
        effects: Effects = (Refuse(seat, refusal),)
        if penalty is not None:
            effects += self._penalise(penalty, now_ms)
        if self._seats[seat].open is not pending:
            return effects
        return (*effects, *self._rule(seat, Fault.ILLEGAL, detail, now_ms))

    # Sanctions

    def _penalise(self, penalty: Penalty, now_ms: int) -> Effects:
        return self._punish(lambda sitting: umpire.penalise(sitting, penalty, self.spec.rules), now_ms)

    def _punish(self, sanction: Callable[[Sitting], Outcome], now_ms: int) -> Effects:
        """Carry out a sanction and go on: what it ends is withdrawn, and who may not play any more is passed over."""
        before = self._playing
        after, events = sanction(before)
        if after.deal.ended:
            after, events = sanction(umpire.forgetting(before, take_back_sealed(self._seats)))
        self._sitting = after
        effects = self._book.add(events)
        for seat, here in enumerate(self._seats):
            if here.open is None:
                continue
            if after.deal.ended or after.exposed(seat) != before.exposed(seat):
                here.open = None  # it is asked again where there still is something to ask
            elif umpire.bars(after, seat):
                return (*effects, *self._rule(seat, Fault.SKIPPED, "", now_ms))
        return (*effects, *self._proceed(now_ms))

    def _stale(self, seat: int, request_id: int, now_ms: int) -> Effects:
        """Refuse an answer to a request that is not open; a seat that floods us with them breaks the protocol."""
        here = self._seats[seat]
        here.stale += 1
        if here.floods:
            return () if here.out else self.broken(seat, Fault.PROTOCOL_BROKEN, "answers nobody asked for", now_ms)
        return (Refuse(seat, refuse_stale(here, request_id, attempts(self.spec.rules))),)

    def _rule(self, seat: int, fault: Fault, detail: str, now_ms: int) -> Effects:
        """Answer the open request of a seat for it."""
        pending = self._seats[seat].open
        if pending is None:
            raise EngineError(f"seat {seat} was not asked")
        question = pending.request.question
        ruling = Ruling(seat, fault, question.ask, detail_of(detail))
        ms = self._seats[seat].charged(now_ms, self.spec.clocks)
        return self._settle(seat, self._substituted(question, fault, ms), now_ms, ruling)

    def _substituted(self, question: Question, fault: Fault, ms: int = 0) -> Outcome:
        if fault is Fault.SKIPPED:
            return umpire.skip(self._playing, question.seat, self.spec.rules, ms=ms)
        action = umpire.stand_in(self._playing, question)
        return umpire.act(self._playing, question.seat, action, self.spec.rules, ms=ms)
