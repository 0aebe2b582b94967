"""Guandan as a PettingZoo parallel environment: every seat answers at every step, and one answer counts."""

from __future__ import annotations

from typing import Any, TypeAlias

from pettingzoo import ParallelEnv

from guandan_sdk.envs.seats import AGENTS, FourSeats, Seen

__all__ = ["ParallelGuandanEnv"]

Infos: TypeAlias = dict[str, dict[str, Any]]
Step: TypeAlias = tuple[dict[str, Seen], dict[str, float], dict[str, bool], dict[str, bool], Infos]


class ParallelGuandanEnv(FourSeats, ParallelEnv):  # type: ignore[misc]
    """The same deals as ``GuandanEnv``, for programs that want an action of every agent at every step.

    Guandan is played in turns, so a step is the action of one seat: the one on turn. Its action alone counts. The
    others wait: their masks allow number 0 only, which to them is no pass and means nothing, and whatever they send
    is not looked at; they may as well be left out. Whether a seat is on turn it sees in the byte ``TURN`` of its
    observation, 0 being itself. Rewards and the end come in the step of the last play, as in ``GuandanEnv``.
    """

    metadata = {"name": "guandan_parallel_v0", "render_modes": ["ansi"]}  # noqa: RUF012

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Seen], Infos]:
        """Deal anew. The same seed gives the same cards; without one, cards go on from the last seed."""
        self._episode.deal(seed)
        self.agents = list(AGENTS)
        return self._observations(), self._infos()

    def step(self, actions: dict[str, int]) -> Step:
        """Lay the play of the seat on turn; raise IllegalAction, with nothing laid, when it may not."""
        self._episode.play(actions.get(AGENTS[self._episode.turn]))
        over = self._episode.over
        if over:
            self.agents = []
        ended, cut_short = dict.fromkeys(AGENTS, over), dict.fromkeys(AGENTS, False)
        return self._observations(), self._rewards(), ended, cut_short, self._infos()

    def _observations(self) -> dict[str, Seen]:
        return {agent: self._observe(seat) for seat, agent in enumerate(AGENTS)}
