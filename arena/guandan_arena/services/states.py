"""Every state a row may be in and the moves allowed between them: the one table, and the one place that enforces it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeVar

from guandan_arena.errors import Refused


class VersionState(StrEnum):
    """Life of a version: received, checked, active until another replaces it; retired for good.

    Suspended after faults in several matches running, until it has been checked again.
    """

    RECEIVED = "received"
    CHECKED = "checked"
    ACTIVE = "active"
    REFUSED = "refused"
    RETIRED = "retired"
    SUSPENDED = "suspended"


class CheckState(StrEnum):
    """Life of a check. A harness fault brings it back to queued; too many of them stall it, which is our fault."""

    QUEUED = "queued"
    PLAYING = "playing"
    PASSED = "passed"
    FAILED = "failed"
    STALLED = "stalled"


class StageName(StrEnum):
    """What a version goes through, in this order."""

    RECEIVED = "received"
    UNPACKED = "unpacked"
    BUILT = "built"
    CHECKED = "checked"
    ACTIVE = "active"


class StageState(StrEnum):
    """Life of a stage. An attempt that begins again brings it back to waiting; stalled is our fault."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    REFUSED = "refused"
    STALLED = "stalled"


class EventKind(StrEnum):
    """What an event is: a rated night of what the arena starts itself, or an open event, which remote bots enter too.

    An open event is unrated: no play of a remote bot can be repeated, and nobody knows whether its seats speak.
    """

    NIGHT = "night"
    OPEN = "open"

    @property
    def is_rated(self) -> bool:
        """Whether its matches move Elo and are in the refit."""
        return self is EventKind.NIGHT


class EventState(StrEnum):
    """Life of an event; ``over`` means that the secret is revealed."""

    RUNNING = "running"
    OVER = "over"


class RoundState(StrEnum):
    """Life of a round; a closed round has no open match left."""

    OPEN = "open"
    CLOSED = "closed"


class MatchState(StrEnum):
    """Life of a match. A harness fault or an expired lease brings it back to queued; too many of them void it."""

    QUEUED = "queued"
    PLAYING = "playing"
    DONE = "done"
    VOID = "void"


class MatchEnding(StrEnum):
    """How a match came out; forfeits, byes and void matches do not move Elo."""

    PLAYED = "played"
    FORFEIT_A = "forfeit_a"
    FORFEIT_B = "forfeit_b"
    FORFEIT_BOTH = "forfeit_both"
    BYE = "bye"
    INFRASTRUCTURE_FAULT = "infrastructure_fault"
    STOPPED = "stopped"


_V, _C, _S, _E, _R, _M = VersionState, CheckState, StageState, EventState, RoundState, MatchState

# By enum first: members of different enums are equal when their texts are, as those of two `QUEUED` are.
ALLOWED: Final[Mapping[type[StrEnum], Mapping[StrEnum, frozenset[StrEnum]]]] = {
    _V: {
        _V.RECEIVED: frozenset({_V.CHECKED, _V.REFUSED}),
        _V.CHECKED: frozenset({_V.ACTIVE, _V.RETIRED}),
        _V.ACTIVE: frozenset({_V.CHECKED, _V.RETIRED, _V.SUSPENDED}),
        _V.SUSPENDED: frozenset({_V.RECEIVED, _V.ACTIVE, _V.RETIRED}),
        _V.RETIRED: frozenset(),
        _V.REFUSED: frozenset({_V.RECEIVED}),  # only for what an operator can mend
    },
    _C: {
        _C.QUEUED: frozenset({_C.PLAYING, _C.STALLED}),
        _C.PLAYING: frozenset({_C.PASSED, _C.FAILED, _C.QUEUED, _C.STALLED}),
        _C.STALLED: frozenset({_C.QUEUED}),
        _C.PASSED: frozenset({_C.QUEUED}),  # once more, after a suspension
        _C.FAILED: frozenset({_C.QUEUED}),
    },
    _S: {
        _S.WAITING: frozenset({_S.RUNNING, _S.DONE, _S.REFUSED, _S.STALLED}),
        _S.RUNNING: frozenset({_S.DONE, _S.REFUSED, _S.STALLED, _S.WAITING}),
        _S.DONE: frozenset({_S.WAITING, _S.RUNNING}),
        _S.REFUSED: frozenset({_S.WAITING, _S.RUNNING}),
        _S.STALLED: frozenset({_S.WAITING, _S.RUNNING}),
    },
    _E: {_E.RUNNING: frozenset({_E.OVER}), _E.OVER: frozenset()},
    _R: {_R.OPEN: frozenset({_R.CLOSED}), _R.CLOSED: frozenset()},
    _M: {
        _M.QUEUED: frozenset({_M.PLAYING, _M.VOID}),
        _M.PLAYING: frozenset({_M.DONE, _M.QUEUED, _M.VOID}),
        _M.DONE: frozenset(),
        _M.VOID: frozenset(),
    },
}

S = TypeVar("S", bound=StrEnum)


def move(before: S, after: S, *, subject: str) -> S:
    """Return ``after`` when the table allows it; raise Refused naming both states otherwise."""
    allowed = ALLOWED[type(before)][before]
    if after not in allowed:
        names = ", ".join(sorted(allowed))
        hint = f"allowed from {before}: {names}" if allowed else f"{before} is final"
        raise Refused("state_not_allowed", f"{subject} is {before}, so it cannot become {after}", hint)
    return after
