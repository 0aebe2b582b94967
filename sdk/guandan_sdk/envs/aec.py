"""Guandan as a PettingZoo AEC environment: seats act one after the other."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from guandan_sdk.envs.seats import AGENTS, FourSeats, Seen

__all__ = ["GuandanEnv"]


class GuandanEnv(FourSeats, AECEnv):  # type: ignore[misc]
    """One deal for the agents ``seat_0`` to ``seat_3``; seats 0 and 2 are partners.

    An action is a play by its number (``guandan_sdk.observation.ACTIONS``, 0 is to pass). An observation is a
    dictionary: ``observation`` holds the 128 bytes of ``guandan_sdk.observation``, ``action_mask`` is 1 for each play
    that is legal. A seat that is not on turn may look at any time; its mask allows number 0 only.

    The episode ends for all four together. The side of the first to finish gets the points of its places (3, 2 or 1
    under ``standard``), the other side as many below zero; before that every reward is 0. A seat that is out is never
    asked again, but stays an agent: its reward comes at the end.
    """

    metadata = {"name": "guandan_v0", "render_modes": ["ansi"], "is_parallelizable": True}  # noqa: RUF012

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal anew. The same seed gives the same cards; without one, cards go on from the last seed."""
        self._episode.deal(seed)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = self._infos()
        self.agent_selection = AGENTS[self._episode.turn]

    def observe(self, agent: str) -> Seen:
        """Return what this agent knows now."""
        return self._observe(AGENTS.index(agent))

    def step(self, action: int | None) -> None:
        """Lay the play of this number for the agent on turn; raise IllegalAction when it may not, laying nothing."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._episode.play(action)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = self._rewards()
        self._accumulate_rewards()
        if self._episode.over:
            self.terminations = dict.fromkeys(AGENTS, True)
        self.agent_selection = AGENTS[self._episode.turn]
