"""Every request that was put to a seat, found again by playing its replay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from guandan_engine.actions import Question
from guandan_engine.conduct import umpire
from guandan_engine.conduct.umpire import Sitting
from guandan_engine.errors import BrokenReplay, EngineError
from guandan_engine.events import DECISIONS, Ruling
from guandan_engine.exchange import Record
from guandan_engine.replay.record import Replay
from guandan_engine.replay.verify import Again

__all__ = ["PastRequest", "requests_to"]


@dataclass(frozen=True, slots=True)
class PastRequest:
    """A question that was put to a seat after record ``n``, when its bank held ``bank_ms``.

    ``sitting``: the whole table at that moment, all hands: for judging an answer, not for a bot.

    ``answer``: the record of what was played then; ``ruling``: why the table played it, None when the seat did.
    Both are None when a ruling ended the deal before anything was.
    """

    n: int
    seat: int
    question: Question
    bank_ms: int
    sitting: Sitting
    answer: Record | None = None
    ruling: Ruling | None = None


def requests_to(replay: Replay, seat: int) -> Iterator[PastRequest]:
    """Yield what a seat was asked, in order; raise BrokenReplay where the replay does not follow the rules."""
    again, bank = Again(replay.header), replay.header.clocks.bank_ms
    asked: PastRequest | None = None
    for line, record in zip(replay.lines, replay.records, strict=True):
        event = record.event
        if asked is not None and isinstance(event, Ruling) and event.seat == seat:
            asked = replace(asked, ruling=event)
        try:
            again.follow(record)
            if isinstance(event, DECISIONS) and event.seat == seat:
                bank = record.left
                if asked is not None:
                    yield replace(asked, answer=record)
                    asked = None
            question = _question(again, seat)
        except EngineError as error:
            raise BrokenReplay(line, str(error)) from error
        if question is None and asked is not None:  # a sanction has withdrawn it
            yield asked
        if question is None or asked is None:
            asked = None if question is None else _asked(again, record.n, question, bank)


def _question(again: Again, seat: int) -> Question | None:
    """Return what a seat is asked now; None between the events that one action has led to."""
    sitting = again.sitting
    if sitting is None or again.unshown or sitting.match.ended or sitting.match.awaits_deal:
        return None
    if seat not in umpire.asks(sitting) or umpire.bars(sitting, seat):
        return None
    return again.question(seat)


def _asked(again: Again, n: int, question: Question, bank_ms: int) -> PastRequest:
    if again.sitting is None:
        raise EngineError("nobody is asked before the first deal")
    return PastRequest(n, question.seat, question, bank_ms, again.sitting)
