"""Greedy that does not beat its partner, unless it can go out."""

from __future__ import annotations

from guandan_engine.view import SeatView
from guandan_sdk import Choice, Options, run
from guandan_sdk.bots.greedy import GreedyBot


class Loyal(GreedyBot):
    """Leaves the trick to its partner."""

    def play(self, view: SeatView, options: Options) -> Choice:
        """Pass when the play to beat is the partner's."""
        last = next((move.seat for move in reversed(view.trick) if move.play is not None), None)
        can_go_out = any(
            combo is not None and view.hand is not None and combo.size == len(view.hand) for combo in options
        )
        if None in options and last == view.partner and not can_go_out:
            return None
        return super().play(view, options)


if __name__ == "__main__":
    run(Loyal)
