"""Asking a bot again what its seat was asked in a match: the same events, seed and clock, up to one request."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from guandan_engine import shuffle
from guandan_engine.answering import chosen
from guandan_engine.conduct import umpire
from guandan_engine.errors import IllegalAction
from guandan_engine.events import DECISIONS, Played
from guandan_engine.exchange import Answer
from guandan_engine.notation import action_text, play_text
from guandan_engine.replay import PastRequest, Replay, action_of_event, requests_to
from guandan_engine.rules import RuleSet
from guandan_engine.view import SeatView, cut
from guandan_sdk.bot import TimeLeft, Welcome
from guandan_sdk.errors import BotBroken, InvalidInput, SdkError
from guandan_sdk.loading import BotSource
from guandan_sdk.seat import Seat

T = TypeVar("T")

__all__ = ["Reproduced", "reproduce", "request_at"]


@dataclass(frozen=True, slots=True)
class Reproduced:
    """What a seat was asked and knew, what the bot answers now, and what was played then.

    ``answer`` and ``played`` are texts of the same form. ``illegal``: why the table would not take the answer, "" when
    it would. ``seeded``: whether the bot had the seed of that table, which only a board's replay tells.
    """

    request: PastRequest
    view: SeatView
    answer: str
    played: str
    illegal: str
    took_ms: float
    note: str
    seeded: bool


def request_at(replay: Replay, move: int, *, seat: int | None = None) -> PastRequest:
    """Return the request that was open after record ``move``: of the seat whose answer comes first, or of one seat.

    A seat that was not being asked then gives its next request.
    """
    if not 1 <= move <= len(replay.records):
        raise InvalidInput(f"there is no move {move}", f"this table has moves 1 to {len(replay.records)}")
    seats = range(4) if seat is None else (seat,)
    asked = [past for number in seats for past in requests_to(replay, number)]
    waiting = [past for past in asked if past.n <= move and (past.answer is None or past.answer.n > move)]
    if not waiting:
        waiting = sorted((past for past in asked if past.n > move), key=lambda past: past.n)[:1]
    if not waiting:
        who = "nobody" if seat is None else f"seat {seat}"
        last = max((past.n for past in asked), default=0)
        raise InvalidInput(f"{who} was asked at or after move {move}", f"the last request came after move {last}")
    return min(waiting, key=lambda past: past.answer.n if past.answer else len(replay.records) + 1)


def reproduce(
    replay: Replay, source: BotSource, past: PastRequest, *, clock: Callable[[], float] = time.perf_counter
) -> Reproduced:
    """Seat a fresh bot, tell and ask it all that its seat was told and asked before, then ask it this request.

    Raises BotBroken when the bot breaks at this request or one before.
    """
    seed = _seed(replay, past.seat)
    header = replay.header
    welcome = Welcome(header.table, past.seat, header.rules, header.clocks, seed or 0)
    seat = _guarded("taking its seat", lambda: Seat(source.make(), welcome))
    earlier = {other.n: other for other in requests_to(replay, past.seat) if other.n < past.n}
    for record in replay.records[: past.n]:
        event = cut(record.event, past.seat)
        _guarded(f"hearing of move {record.n}", partial(seat.happened, event))
        if record.n in earlier:
            _ask(seat, earlier[record.n], header.clocks.move_ms)
    begun = clock()
    answer = _ask(seat, past, header.clocks.move_ms)
    took_ms = (clock() - begun) * 1000
    text, illegal = _judged(answer, past, header.rules)
    return Reproduced(past, seat.view, text, _played(past), illegal, took_ms, answer.note, seeded=seed is not None)


def _ask(seat: Seat, past: PastRequest, move_ms: int) -> Answer:
    left = TimeLeft(move_ms, past.bank_ms)
    return _guarded(f"asked at move {past.n}", lambda: seat.answer(past.question, left))


def _guarded(when: str, call: Callable[[], T]) -> T:
    """Call a bot; say when it broke."""
    try:
        return call()
    except SdkError:
        raise
    except Exception as error:
        raise BotBroken(f"the bot raised {type(error).__name__}: {error}, {when}", "the trace stands above") from error


def _seed(replay: Replay, seat: int) -> int | None:
    """Return the seed that the seat had, None where the replay does not tell: in a classic match, or before the end."""
    if replay.header.board is None or len(replay.secrets) != 1:
        return None
    return shuffle.seat_seeds(replay.secrets[0], replay.header.way or 0)[seat]


def _judged(answer: Answer, past: PastRequest, rules: RuleSet) -> tuple[str, str]:
    """Return what a bot's answer does, in words, and why the table would not take it."""
    try:
        action = chosen(past.sitting, past.question, answer)
    except IllegalAction as error:
        return f"option {answer.choice}", f"{error.reason}; {error.hint}"
    level = past.sitting.deal.level
    try:
        _, events = umpire.act(past.sitting, past.seat, action, rules, announce=answer.announce)
    except IllegalAction as error:
        return action_text(action), f"{error.reason}; {error.hint}"
    if events and isinstance(events[0], Played):
        return play_text(events[0].play, level), ""
    return action_text(action), ""


def _played(past: PastRequest) -> str:
    """Return what was played then, in the same words."""
    event = None if past.answer is None else past.answer.event
    if isinstance(event, Played):
        return play_text(event.play, past.sitting.deal.level)
    return action_text(action_of_event(event)) if isinstance(event, DECISIONS) else ""
