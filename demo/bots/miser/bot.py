"""Greedy without bombs: it keeps them until nothing else is left."""

from __future__ import annotations

from guandan_engine.view import SeatView
from guandan_sdk import Choice, Options, run
from guandan_sdk.bots.greedy import GreedyBot


class Miser(GreedyBot):
    """Never follows with a bomb."""

    def play(self, view: SeatView, options: Options) -> Choice:
        """Hide the bombs from greedy where passing is allowed."""
        if None in options:
            options = tuple(combo for combo in options if combo is None or not combo.kind.is_bomb)
        return super().play(view, options)


if __name__ == "__main__":
    run(Miser)
