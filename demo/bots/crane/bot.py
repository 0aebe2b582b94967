"""The reference bot planner, which trusts greedy for what to lead."""

from __future__ import annotations

from guandan_engine.view import SeatView
from guandan_sdk import Choice, Options, run
from guandan_sdk.bots.greedy import GreedyBot
from guandan_sdk.bots.planner import PlannerBot


class Crane(PlannerBot):
    """Leads as greedy, follows as planner."""

    def play(self, view: SeatView, options: Options) -> Choice:
        """Ask greedy only for leads."""
        return GreedyBot().play(view, options) if view.to_beat is None else super().play(view, options)


if __name__ == "__main__":
    run(Crane)
