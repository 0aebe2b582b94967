"""Follows low like greedy, but leads its lowest single, so its hand never gets short."""

from __future__ import annotations

from guandan_engine.cards import order_key
from guandan_engine.view import SeatView
from guandan_sdk import Choice, Options, run
from guandan_sdk.bots.greedy import GreedyBot


class Sparrow(GreedyBot):
    """Leads cards one at a time."""

    def play(self, view: SeatView, options: Options) -> Choice:
        """Lead the lowest single; otherwise as greedy."""
        if view.to_beat is None:
            singles = [combo for combo in options if combo is not None and combo.size == 1]
            return min(singles, key=lambda combo: order_key(combo.rank, view.level))
        return super().play(view, options)


if __name__ == "__main__":
    run(Sparrow)
