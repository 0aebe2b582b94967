"""A simple bot to measure against: it always plays when it can, as low as it can, and leads as many cards as it can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guandan_engine.cards import order_key
from guandan_sdk.bot import Bot, Options, run

if TYPE_CHECKING:
    from guandan_engine.combos import Combo
    from guandan_engine.view import SeatView

__all__ = ["GreedyBot"]


class GreedyBot(Bot):
    """Follows with the lowest play that beats; leads its longest play, the lowest among equally long ones."""

    def play(self, view: SeatView, options: Options) -> Combo | None:
        """Spend bombs and wild cards last."""
        plays = [combo for combo in options if combo is not None]
        if not plays:
            return None

        def price(combo: Combo) -> tuple[bool, int, int, int, int]:
            length = combo.size if view.to_beat is None and not combo.kind.is_bomb else 0
            return combo.kind.is_bomb, combo.wilds, -length, combo.kind, order_key(combo.rank, view.level)

        return min(plays, key=price)


if __name__ == "__main__":
    run(GreedyBot)
