"""Following conduct through a log: which sanctions had to come, and which a referee or a fault may bring."""

from __future__ import annotations

from guandan_engine.actions import Ask
from guandan_engine.conduct import Fault, Offence, Sanction, umpire
from guandan_engine.conduct.pace import NO_PACE, Pace, Stage
from guandan_engine.conduct.penalties import Penalty
from guandan_engine.conduct.umpire import Outcome, Sitting
from guandan_engine.errors import EngineError
from guandan_engine.events import Ruling, Sanctioned
from guandan_engine.replay.header import Header


class Conduct:
    """What the verifier remembers of conduct: how slow each open decision was seen to be, and fouls still to follow."""

    def __init__(self, header: Header) -> None:
        self._rules = header.rules
        self._clocks = header.clocks
        self._stages = [Stage.IN_TIME] * 4
        self._fouled: set[int] = set()
        self._begun = False

    def sanctioned(self, sitting: Sitting, event: Sanctioned) -> Outcome:
        """Carry out a claimed sanction; raise EngineError where the rules say something else."""
        penalty = self._penalty(sitting, event)
        outcome = umpire.penalise(sitting, penalty, self._rules)
        if outcome[0].deal.ended:
            self._stages = [Stage.IN_TIME] * 4
            self._fouled.clear()
        return outcome

    def decided(self, sitting: Sitting, seat: int, ms: int, ruling: Ruling | None) -> None:
        """Check that a decision of ``ms`` was warned of and charged as it had to be, and made by who may play."""
        self._begun = True
        stage, self._stages[seat] = self._stages[seat], Stage.IN_TIME
        due = self._pace(sitting, seat).stage(ms)
        if due is not stage:
            raise EngineError(f"after {ms} ms the rules say: {due.name.lower()}, not {stage.name.lower()}")
        skipped = ruling is not None and ruling.fault == Fault.SKIPPED
        if skipped is not umpire.bars(sitting, seat):
            raise EngineError(f"seat {seat} may {'' if skipped else 'not '}play")
        illegal = ruling is not None and ruling.fault == Fault.ILLEGAL
        if illegal and self._rules.bad_move_policy == "foul" and seat not in self._fouled:
            raise EngineError("an illegal play is a foul under these rules")
        self._fouled.discard(seat)

    def _penalty(self, sitting: Sitting, event: Sanctioned) -> Penalty:
        if event.referee:
            return self._as_ruled(sitting, event)
        expected = {
            Offence.SLOW: self._slow,
            Offence.BAD_MOVE: self._bad_move,
            Offence.LATE: self._late,
        }.get(Offence(event.offence), self._never)(sitting, event.seat)
        if expected is None:
            raise EngineError("only a referee can sanction this")
        return expected

    def _as_ruled(self, sitting: Sitting, event: Sanctioned) -> Penalty:
        """Return the penalty of a ruling: the referee chose it, what it brings about follows."""
        umpire.check_ruling(sitting, event.seat, event.cards, event.leader)
        offence, sanction = Offence(event.offence), Sanction(event.sanction)
        return Penalty(
            event.seat,
            offence,
            sanction,
            event.amount,
            event.cards,
            event.leader,
            referee=True,
            reason=event.reason,
        )

    def _slow(self, sitting: Sitting, seat: int) -> Penalty | None:
        """The next stage of slow play; whether its time had come shows when the decision is made."""
        pace = self._pace(sitting, seat)
        stage, due_ms = pace.after(self._stages[seat])
        if due_ms is None:
            return None
        self._stages[seat] = stage
        return umpire.too_slow(sitting, seat, stage, pace, self._rules)

    def _bad_move(self, sitting: Sitting, seat: int) -> Penalty | None:
        self._fouled.add(seat)
        return umpire.bad_move(sitting, seat, self._rules)

    def _late(self, _: Sitting, seat: int) -> Penalty | None:
        late = self._rules.late is not None and not self._begun
        return Penalty(seat, Offence.LATE, Sanction.LOSE_MATCH) if late else None

    def _never(self, *_: object) -> None:
        return None

    def _pace(self, sitting: Sitting, seat: int) -> Pace:
        """Return the times of the rules for what a seat is asked now.

        A payer may have been asked though the log does not show yet that those before it would not resist.
        """
        ask = umpire.asks(sitting).get(seat, Ask.PAY if sitting.deal.paying else None)
        return NO_PACE if ask is None or not self._clocks.play_clock else umpire.pace(sitting, ask, self._rules)
