"""A Guandan bot: change `play` and see what it is worth with `guandan play`."""

from guandan_sdk import Bot, Choice, Options, SeatView, run


class MyBot(Bot):
    """Plays as low as it can and keeps its bombs until nothing else beats."""

    def play(self, view: SeatView, options: Options) -> Choice:
        """Choose one of the options.

        view.hand       your cards             view.seat           your seat; your partner's is view.partner
        view.to_beat    None when you lead     self.memory.counts  cards left of seats 0 to 3
        view.level      rank of the level      self.memory.events  all that happened in this deal
        A combo has a kind, a rank, a size and the number of wild cards in it.
        """
        plays = [combo for combo in options if combo is not None]
        plain = [combo for combo in plays if not combo.kind.is_bomb]
        if view.to_beat is None:
            return max(plain or plays, key=lambda combo: combo.size)
        if view.trick and self.partner_holds(view):
            return None
        return next(iter(plain or plays), None)

    def partner_holds(self, view: SeatView) -> bool:
        """Whether the play to beat is your partner's."""
        holder = next(move.seat for move in reversed(view.trick) if move.play is not None)
        return holder == view.partner


if __name__ == "__main__":
    run(MyBot)
