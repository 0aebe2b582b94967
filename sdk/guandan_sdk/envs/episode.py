"""One deal after another, in which every seat may look and the seat on turn acts."""

from __future__ import annotations

from operator import index
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.random import PCG64, Generator

from guandan_engine.board import side_of
from guandan_engine.cards import Rank
from guandan_engine.errors import IllegalAction
from guandan_engine.kernel import State, random_state
from guandan_engine.rules import RuleSet
from guandan_sdk.envs.setting import level_of, rules_of
from guandan_sdk.observation import action_count

__all__ = ["Episode"]

Row: TypeAlias = "np.ndarray[Any, Any]"
_SEEDS: Final = 1 << 62
_WAIT: Final = [0]


class Episode:
    """A deal in progress, and the chance that deals the next. ``actions``: how many plays the rule set numbers."""

    def __init__(self, *, rules: str | RuleSet, level: str | Rank | None) -> None:
        """Take a rule set, and a level for every deal, or None to draw each."""
        self._rules = rules_of(rules)
        self._level = level_of(level, self._rules)
        self.actions: Final = action_count(self._rules)
        self._chance = Generator(PCG64())
        self._state: State | None = None

    def deal(self, seed: int | None) -> None:
        """Deal anew: what the seed says, or what comes next where none is given."""
        if seed is not None:
            self._chance = Generator(PCG64(seed))
        self._state = random_state(int(self._chance.integers(_SEEDS)), self._rules, level=self._level)

    @property
    def state(self) -> State:
        """The deal; raise IllegalAction before the first one."""
        if self._state is None:
            raise IllegalAction("no_deal", "no cards have been dealt", "call reset first")
        return self._state

    @property
    def turn(self) -> int:
        """The seat on turn; once the deal is over, the one that would be."""
        return self.state.turn

    @property
    def over(self) -> bool:
        """Whether the deal has ended."""
        return self.state.over

    def observe(self, seat: int) -> tuple[Row, Row]:
        """Return what a seat knows and what it may do: whoever is not on turn may only wait, with number 0."""
        state = self.state
        mask = np.zeros(self.actions, np.int8)
        mask[state.legal_actions() if seat == state.turn and not state.over else _WAIT] = 1
        return np.frombuffer(state.observe(seat), np.uint8), mask

    def play(self, action: int | None) -> None:
        """Lay the play of this number for the seat on turn; raise IllegalAction when it may not."""
        turn = self.turn
        try:
            number = index(action)  # type: ignore[arg-type]
        except TypeError:
            given = f"seat {turn} is on turn and gives {action!r}, not a number"
            raise IllegalAction("no_action", given, "give the number of a play that its mask allows") from None
        self.state.apply(number)

    def rewards(self) -> tuple[float, float, float, float]:
        """Return the points of each seat's side less those of the other: zeros while the deal lasts."""
        ahead = float(self.state.points[0] - self.state.points[1])
        a, b, c, d = (-ahead if side_of(seat) else ahead for seat in range(4))
        return (a, b, c, d)

    def text(self) -> str:
        """Write the table down, all hands open."""
        state, combo = self.state, self.state.to_beat
        lying = "" if combo is None else f", to beat: {combo.kind} {combo.rank} of seat {state.owner}"
        lines = [f"level {state.level}{lying}"]
        for seat in range(4):
            mark = ">" if seat == state.turn and not state.over else " "
            lines.append(f"{mark} seat {seat}: {state.hand(seat) if state.counts[seat] else 'out'}")
        return "\n".join(lines)
