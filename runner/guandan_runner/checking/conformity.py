"""Whether a bot meets everything that a table may ask or tell: trials from fixed positions until every row was met."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Final

from guandan_engine.conduct import Verdict
from guandan_proto.codec import Wishes
from guandan_runner.checking.hints import HINTS, reason_of
from guandan_runner.checking.positions import POSITIONS, Position, begun_with
from guandan_runner.checking.rows import FOLLOWING, WORDS, Row
from guandan_runner.checking.stages import Outcome, Stage, StageEnd
from guandan_runner.checking.trial import TrialEnd

__all__ = ["LED", "OPENING", "Conformity", "is_well", "judge", "started", "trials", "wishes_batch"]

OPENING: Final = POSITIONS[0]
LED: Final = (*FOLLOWING.values(), Row.WILDS)
"""The rows that a position can be begun with."""


@dataclass(frozen=True, slots=True)
class Conformity:
    """What the trials have shown: the rows that were met, and what the bot wished in its Hello."""

    met: frozenset[Row]
    wishes: Wishes
    end: StageEnd


def started(opening: TrialEnd) -> StageEnd:
    """Judge the start of a bot by its first trial: it came, was welcomed and answered once."""
    if opening.first_ms is not None:
        return StageEnd(Stage.STARTED, Outcome.PASSED, f"first answer {opening.first_ms} ms after the order to start")
    return failed(Stage.STARTED, opening)


def failed(stage: Stage, trial: TrialEnd) -> StageEnd:
    """Say why a trial failed, and at which request."""
    seat = trial.seat
    at = "after an answer was refused: " if trial.answered_again is False else _at(trial)
    at = f"at several tables at once, {at}" if trial.batched else at
    if seat.verdict is Verdict.OK:  # a match would forgive it, but its author should know
        reason = f"{seat.refusals} answers were not taken, the last because {seat.last_refusal}"
        return _failed(stage, Verdict.ILLEGAL_PLAYS, at + reason_of(Verdict.ILLEGAL_PLAYS, reason), seat.log)
    return _failed(stage, seat.verdict, at + reason_of(seat.verdict, seat.detail), seat.log)


def _failed(stage: Stage, verdict: Verdict, reason: str, log: str) -> StageEnd:
    return StageEnd(stage, Outcome.FAILED, reason, HINTS[verdict], log, verdict=verdict)


def wishes_batch(trial: TrialEnd) -> bool:
    """Whether a bot wants to be asked at several tables at once."""
    return trial.wishes.batch_size > 1


def is_well(trial: TrialEnd) -> bool:
    """Whether a trial shows no fault; silence after our own refusal, and nothing else, is only worth a warning."""
    if trial.answered_again is False and trial.seat.verdict is Verdict.TIMED_OUT:
        return trial.seat.facts.answered_for == 1 and not trial.seat.refusals
    return trial.seat.verdict is Verdict.OK and not trial.seat.refusals


async def trials(opening: TrialEnd, play: Callable[[Position, bool], Awaitable[TrialEnd]]) -> AsyncIterator[TrialEnd]:
    """Play until every row was met, or a trial has failed; the opening comes first."""
    met = set(opening.rows)
    yield opening
    last = opening
    waiting = list(POSITIONS[1:])
    tried: set[Row] = set()
    while is_well(last):
        missing = [row for row in LED if row not in met and row not in tried]
        if not waiting and not missing:
            return
        if waiting:
            position = waiting.pop(0)
        else:
            tried.add(missing[0])
            position = begun_with(missing[0])
        last = await play(position, Row.REFUSAL not in met)
        met |= last.rows
        yield last


def judge(ends: Iterable[TrialEnd], *, batch: bool = False) -> Conformity:
    """Judge all trials together. ``batch``: whether ``bot.toml`` says that the bot answers for several tables."""
    seen = tuple(ends)
    met = frozenset[Row]().union(*(trial.rows for trial in seen))
    wishes = seen[0].wishes
    bad = next((trial for trial in seen if not is_well(trial)), None)
    if bad is not None:
        return Conformity(met, wishes, failed(Stage.CONFORMITY, bad))
    log = "".join(dict.fromkeys(trial.seat.log for trial in seen))  # trials of one process have one log
    warnings = [warning for warning, holds in _warnings(seen, batch) if holds]
    if warnings:
        reasons, hints = zip(*warnings, strict=True)
        end = StageEnd(Stage.CONFORMITY, Outcome.WARNED, "; ".join(reasons), "; ".join(hints), log)
        return Conformity(met, wishes, end)
    return Conformity(met, wishes, StageEnd(Stage.CONFORMITY, Outcome.PASSED, _counted(met, wishes), log=log))


def _counted(met: frozenset[Row], wishes: Wishes) -> str:
    """Say how many rows were met, and name those that did not come up: a bot may never have few cards left."""
    rows = [row for row in Row if row is not Row.BATCH or wishes.batch_size > 1]
    unmet = ", ".join(row for row in rows if row not in met)
    return f"{len(met)} of {len(rows)} rows met" + (f"; not met: {unmet}" if unmet else "")


def _warnings(seen: tuple[TrialEnd, ...], batch: bool) -> Iterable[tuple[tuple[str, str], bool]]:
    """Yield (reason, hint) of what is no fault yet and whether it was seen."""
    yield (
        ("it did not answer again after an answer was refused", "answer Refused while attempts_left is above 0"),
        any(trial.answered_again is False for trial in seen),
    )
    yield (
        ("it owed the others the number of its cards and kept silent", "leave Action.announce unset"),
        any(trial.silent for trial in seen),
    )
    yield (
        (
            "bot.toml says batch, and its Hello wishes for none",
            "send Wishes.batch_size above 1, or leave out bot.batch",
        ),
        batch and not wishes_batch(seen[0]),
    )


def _at(trial: TrialEnd) -> str:
    """Name the request that was open, or answered last, when a trial ended for its bot."""
    return f"when it was {WORDS[min(trial.asked[-1], key=tuple(Row).index)]}: " if trial.asked else ""
