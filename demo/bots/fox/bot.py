"""The reference bot planner, distracted once in ten decisions."""

from __future__ import annotations

from guandan_engine.view import SeatView
from guandan_sdk import Choice, Options, run
from guandan_sdk.bots.planner import PlannerBot


class Fox(PlannerBot):
    """Plans, mostly."""

    def play(self, view: SeatView, options: Options) -> Choice:
        """Take any option in one of ten decisions."""
        return self.random.choice(options) if self.random.random() < 0.1 else super().play(view, options)


if __name__ == "__main__":
    run(Fox)
