"""The weakest bot that keeps the rules: any legal play, each as likely as the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guandan_sdk.bot import Bot, Options, run

if TYPE_CHECKING:
    from guandan_engine.cards import Card
    from guandan_engine.combos import Combo
    from guandan_engine.events import CardOffered
    from guandan_engine.view import SeatView

__all__ = ["RandomBot"]


class RandomBot(Bot):
    """Plays any option."""

    def play(self, view: SeatView, options: Options) -> Combo | None:
        """Choose any legal play."""
        return self.random.choice(options)

    def give_back(self, view: SeatView, options: tuple[Card, ...]) -> Card:
        """Choose any card that may be returned."""
        return self.random.choice(options)

    def resist(self, view: SeatView) -> bool:
        """Resist tribute or not, by chance."""
        return self.random.random() < 0.5

    def take_tribute(self, view: SeatView, offers: tuple[CardOffered, ...]) -> CardOffered:
        """Choose any tribute."""
        return self.random.choice(offers)

    def take_back(self, view: SeatView, offers: tuple[CardOffered, ...]) -> CardOffered:
        """Choose any return."""
        return self.random.choice(offers)

    def name_leader(self, view: SeatView, seats: tuple[int, ...]) -> int:
        """Name any payer."""
        return self.random.choice(seats)


if __name__ == "__main__":
    run(RandomBot)
