"""What both PettingZoo environments have: four agents, their spaces, and a deal that can be shown."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary

from guandan_engine.cards import Rank
from guandan_engine.rules import RuleSet
from guandan_sdk.envs.episode import Episode
from guandan_sdk.observation import OBSERVATION_BYTES

__all__ = ["AGENTS", "FourSeats", "Seen"]

AGENTS: Final = ("seat_0", "seat_1", "seat_2", "seat_3")

Seen: TypeAlias = dict[str, np.ndarray[Any, Any]]
"""``observation``: uint8, 128 bytes; ``action_mask``: int8, one place for each play."""


class FourSeats:
    """The agents ``seat_0`` to ``seat_3``, of which 0 and 2 are partners."""

    def __init__(
        self,
        *,
        rules: str | RuleSet = "standard",
        level: str | Rank | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Take a rule set or a preset's name; ``level`` is that of every deal, as ``2`` or ``A``; None draws each."""
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._episode = Episode(rules=rules, level=level)
        self._observation_spaces = {agent: self._observation_space() for agent in AGENTS}
        self._action_spaces = {agent: Discrete(self._episode.actions) for agent in AGENTS}

    def _observation_space(self) -> Dict:
        row = Box(0, 255, (OBSERVATION_BYTES,), np.uint8)
        return Dict({"observation": row, "action_mask": MultiBinary(self._episode.actions)})

    def observation_space(self, agent: str) -> Dict:
        """Return what this agent may observe."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the numbers of all plays of the rule set."""
        return self._action_spaces[agent]

    def render(self) -> str | None:
        """Return the whole table as text, all hands open, where ``render_mode`` is ``ansi``."""
        return self._episode.text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _observe(self, seat: int) -> Seen:
        seen, mask = self._episode.observe(seat)
        return {"observation": seen, "action_mask": mask}

    def _rewards(self) -> dict[str, float]:
        return dict(zip(AGENTS, self._episode.rewards(), strict=True))

    @staticmethod
    def _infos() -> dict[str, dict[str, Any]]:
        return {agent: {} for agent in AGENTS}
