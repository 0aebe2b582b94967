"""The weakest bot that keeps the rules: any legal play, each as likely as the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guandan_sdk.bot import Bot, Options, run

if TYPE_CHECKING:
    from guandan_engine.cards import Card
    from guandan_engine.combos import Combo
    from guandan_engine.view import SeatView


class RandomBot(Bot):
    """Plays any option."""

    def play(self, view: SeatView, options: Options) -> Combo | None:
        """Choose any legal play."""
        return self.random.choice(options)

    def give_back(self, view: SeatView, options: tuple[Card, ...]) -> Card:
        """Choose any card that may be returned."""
        return self.random.choice(options)


if __name__ == "__main__":
    run(RandomBot)
