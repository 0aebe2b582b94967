"""Slow play (拖延): when a player is warned for it and when it costs more (docs/rules.md §11.5, §11.6)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Final

from guandan_engine.actions import Ask
from guandan_engine.rules import RuleSet
from guandan_engine.rules.conduct import Late, Overtime


class Stage(IntEnum):
    """How far a decision has gone beyond the time of the rules."""

    IN_TIME = 0
    WARNED = 1
    OVER = 2


@dataclass(frozen=True, slots=True)
class Pace:
    """The times of one decision in milliseconds from the request on; None where the rules set none.

    ``target``: what a player should keep to. ``warn_ms``: when it is warned, as early as the rules allow;
    ``warn_until_ms``: how late that may be. ``extra_ms``: what it has after the warning. ``over``: what it costs then.
    """

    target_ms: int | None = None
    warn_ms: int | None = None
    warn_until_ms: int = 0
    extra_ms: int = 0
    over: Overtime = "none"

    @property
    def over_ms(self) -> int | None:
        """When being slow costs a player that was warned as early as possible, None when it never does."""
        if self.over == "warn_then_violation":
            return self.target_ms
        if self.target_ms is None or self.over not in ("violation", "foul"):
            return None
        return self.over_after(self.target_ms)

    def over_after(self, warned_ms: int) -> int:
        """Return when being slow costs a player that was warned then."""
        return max(self.warn_until_ms, warned_ms + self.extra_ms)

    def after(self, stage: Stage) -> tuple[Stage, int | None]:
        """Return the next stage beyond this one and when it is reached; the same one and None when there is none."""
        if stage < Stage.WARNED and self.warn_ms is not None:
            return Stage.WARNED, self.warn_ms
        over_ms = self.over_ms
        return (stage, None) if stage is Stage.OVER or over_ms is None else (Stage.OVER, over_ms)

    def stage(self, used_ms: int) -> Stage:
        """Return how far a decision is after ``used_ms``."""
        if self.over_ms is not None and used_ms >= self.over_ms:
            return Stage.OVER
        return Stage.WARNED if self.warn_ms is not None and used_ms >= self.warn_ms else Stage.IN_TIME


NO_PACE: Final = Pace()
_WARNED: Final = ("warn", "violation", "foul")


def pace_of(ask: Ask, rules: RuleSet, *, first: bool = False) -> Pace:
    """Return the times of the rules for a decision; ``first``: it is the first play of a deal."""
    if ask is not Ask.PLAY:
        clock = rules.return_clock if ask is Ask.RETURN else rules.tribute_clock
        return _pace(clock.normal, clock.normal, clock.extra, clock.over) if clock.normal else NO_PACE
    normal = rules.first_play_clock if first and rules.first_play_clock else rules.play_clock.normal
    later = normal - rules.play_clock.normal
    return _pace(normal, rules.play_clock.warn_until + later, rules.play_clock.extra, rules.play_clock.over)


@cache
def _pace(normal: int, warn_until: int, extra: int, over: Overtime) -> Pace:
    """Return a pace from seconds. Where there is no time for a warning, being slow costs at once."""
    warned = over in _WARNED and (over == "warn" or max(warn_until - normal, extra) > 0)
    return Pace(1000 * normal, 1000 * normal if warned else None, 1000 * warn_until, 1000 * extra, over)


def forfeit_ms(late: Late, *, leave: bool) -> int:
    """Return after how long an absent pair has lost the match (§11.11)."""
    return 60_000 * (late.with_leave if leave else late.minutes)
