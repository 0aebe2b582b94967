"""Slow play (拖延): when a player is warned for it and when it costs more (docs/rules.md §11.5, §11.6)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from guandan_engine.actions import Ask
from guandan_engine.rules import RuleSet
from guandan_engine.rules.conduct import Late


class Stage(IntEnum):
    """How far a decision has gone beyond the time of the rules."""

    IN_TIME = 0
    WARNED = 1
    OVER = 2


@dataclass(frozen=True, slots=True)
class Pace:
    """The times of one decision in milliseconds from the request on; None where the rules set none.

    ``target``: what a player should keep to. ``warn_ms``: it is warned, as early as the rules allow. ``over_ms``: it
    costs more than a warning: a foul where ``foul``, else a violation and the turn.
    """

    target_ms: int | None
    warn_ms: int | None
    over_ms: int | None
    foul: bool = False

    def due_ms(self, stage: Stage) -> int | None:
        """Return when this stage is reached."""
        return {Stage.WARNED: self.warn_ms, Stage.OVER: self.over_ms}.get(stage)

    def stage(self, used_ms: int) -> Stage:
        """Return how far a decision is after ``used_ms``."""
        if self.over_ms is not None and used_ms >= self.over_ms:
            return Stage.OVER
        return Stage.WARNED if self.warn_ms is not None and used_ms >= self.warn_ms else Stage.IN_TIME


NO_PACE: Final = Pace(None, None, None)


def pace_of(ask: Ask, rules: RuleSet, *, first: bool = False) -> Pace:
    """Return the times of the rules for a decision; ``first``: it is the first play of a deal."""
    if ask is Ask.PLAY:
        return _play_pace(rules, first=first)
    clock = rules.return_clock if ask is Ask.RETURN else rules.tribute_clock
    if clock.normal == 0:
        return NO_PACE
    warned = clock.normal if clock.over != "none" and (clock.extra or clock.over == "warn") else None
    over = clock.normal + clock.extra if clock.over in ("violation", "foul") else None
    return _in_ms(clock.normal, warned, over, foul=clock.over == "foul")


def _play_pace(rules: RuleSet, *, first: bool) -> Pace:
    clock = rules.play_clock
    normal = rules.first_play_clock if first and rules.first_play_clock else clock.normal
    if clock.over == "none":
        return _in_ms(normal, None, None)
    if clock.over == "warn" or not clock.warn_until:
        return _in_ms(normal, normal, None)
    # The warning comes as early as it may; the player then has what is left of the time for warnings, or ``extra``.
    over = normal + max(clock.warn_until - clock.normal, clock.extra)
    return _in_ms(normal, normal, over, foul=clock.over == "foul")


def forfeit_ms(late: Late, *, leave: bool) -> int:
    """Return after how long an absent pair has lost the match (§11.11)."""
    return 60_000 * (late.with_leave if leave else late.minutes)


def _in_ms(target: int, warn: int | None, over: int | None, *, foul: bool = False) -> Pace:
    def ms(seconds: int | None) -> int | None:
        return None if seconds is None else 1000 * seconds

    return Pace(ms(target), ms(warn), ms(over), foul)
