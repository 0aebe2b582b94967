"""A bot that thinks about its whole hand: it splits it into few plays and asks what each play leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guandan_engine.actions import Lay
from guandan_engine.cards import Card, Hand, order_key
from guandan_engine.combos import Combo, Kind, Reading
from guandan_engine.errors import IllegalAction
from guandan_engine.plays import cards_of
from guandan_sdk.bot import Bot, Choice, Options, run
from guandan_sdk.bots.odds import Odds, unseen_cards
from guandan_sdk.bots.plan import Plan, split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from guandan_engine.view import SeatView
    from guandan_sdk.memory import Memory

__all__ = [
    "BOMB_KEPT",
    "LEAD_VALUE",
    "OUT_BONUS",
    "PARTNER_HOLDS",
    "STOP",
    "SURE",
    "Decision",
    "PlannerBot",
    "without_waste",
]

SURE: Final = 0.85
"""From this chance on a play counts as a winner when the rest of the hand is counted down."""

LEAD_VALUE: Final = 1.3
BOMB_KEPT: Final = 0.55
PARTNER_HOLDS: Final = 0.9
STOP: Final = (0.0, 2.6, 2.0, 1.6, 1.3, 1.1, 0.6, 0.5, 0.4, 0.3, 0.3)
"""What it is worth to take the trick from an opponent with so many cards left."""

OUT_BONUS: Final = 20.0


class PlannerBot(Bot):
    """Keeps bombs until they decide something, helps a partner who is nearly out, stops opponents who are."""

    def play(self, view: SeatView, options: Options) -> Choice:
        """Weigh what each play gains against what it breaks."""
        assert view.hand is not None
        decision = Decision(view, self.memory)
        chosen = decision.choose(options)
        return None if chosen is None else decision.lay(chosen)

    def give_back(self, view: SeatView, options: tuple[Card, ...]) -> Card:
        """Return the card whose loss costs least."""
        assert view.hand is not None
        decision = Decision(view, self.memory)
        hand = view.hand

        def loss(card: Card) -> tuple[float, int]:
            return decision.split(hand.minus(Hand.of((card,)))).cost, order_key(card.rank, view.level)

        return min(options, key=loss)


class Decision:
    """One decision: the hand, its plan, the chances, and who is about to go out."""

    def __init__(self, view: SeatView, memory: Memory) -> None:
        assert view.hand is not None
        assert view.seat is not None
        self.view = view
        self.counts = memory.counts
        self.hand = view.hand
        self.level = view.level
        self.left = self._left(view.seat, memory.counts)
        partner, before, after = self.left
        unseen_total = max(1, partner + before + after)
        self.odds = Odds(unseen_cards(list(view.hand), memory.shown), view.level, (before + after) / unseen_total)
        self.costs = self.odds.costs()
        self.plan = self.split(view.hand)
        self.kept = self._bomb_cards()
        self.weighed: dict[Combo, float] = {}

    @staticmethod
    def _left(seat: int, counts: Sequence[int]) -> tuple[int, int, int]:
        """Return the cards left of partner, of the opponent before and of the opponent after."""
        return counts[(seat + 2) % 4], counts[(seat + 3) % 4], counts[(seat + 1) % 4]

    def split(self, hand: Hand) -> Plan:
        """Split a hand at this table's costs."""
        return split(hand, self.level, self.costs)

    def _bomb_cards(self) -> Hand:
        """Collect the cards of planned straight flushes, so that plain plays leave them together."""
        kept = Hand()
        for combo in self.plan.plays:
            if combo.kind is Kind.STRAIGHT_FLUSH:
                kept = kept.plus(Hand.of(cards_of(combo, self.hand.minus(kept), self.level)))
        return kept

    def cards(self, combo: Combo) -> tuple[Card, ...]:
        """Choose concrete cards, outside the planned straight flushes when possible."""
        if combo.kind is not Kind.STRAIGHT_FLUSH:
            try:
                return cards_of(combo, self.hand.minus(self.kept), self.level)
            except IllegalAction:
                pass
        return cards_of(combo, self.hand, self.level)

    def lay(self, combo: Combo) -> Lay:
        """Lay a combo with the cards chosen for it."""
        return Lay(self.cards(combo), Reading(combo.kind, combo.rank))

    def rest(self, combo: Combo) -> Plan:
        """Plan what is left after a play."""
        return self.split(self.hand.minus(Hand.of(self.cards(combo))))

    def choose(self, options: Options) -> Combo | None:
        """Choose a play, None to pass."""
        return self.lead(options) if self.view.to_beat is None else self.follow(options)

    def lead(self, options: Options) -> Combo:
        """Lead the planned play that is hardest to win with, unless the end of the deal is in sight."""
        legal = {combo for combo in options if combo is not None}
        planned = [combo for combo in self.plan.plays if combo in legal]
        losers = [combo for combo in planned if self.odds.wins(combo) < SURE]
        if len(losers) <= 1 < len(planned):
            winners = [combo for combo in planned if combo not in losers]
            return max(winners, key=lambda combo: (not combo.kind.is_bomb, -self.odds.wins(combo), combo.size))
        candidates = [combo for combo in planned if not combo.kind.is_bomb] or planned or sorted(legal)
        candidates += self.feeds(legal)
        return max(candidates, key=self.lead_score)

    def feeds(self, legal: set[Combo]) -> list[Combo]:
        """Offer the lowest single or pair when the partner needs just that to go out."""
        partner = self.left[0]
        kind = {1: Kind.SINGLE, 2: Kind.PAIR}.get(partner)
        fitting = [combo for combo in legal if combo.kind is kind and not combo.wilds]
        return [min(fitting, key=lambda combo: (order_key(combo.rank, self.level), combo))] if fitting else []

    def lead_score(self, combo: Combo) -> float:
        """Weigh a lead against others."""
        partner, before, after = self.left
        wins = self.odds.wins(combo)
        score = 0.06 * combo.size - wins
        if combo.kind.is_bomb:
            score -= 1.0
        for opponent in (before, after):
            if opponent == combo.size:
                score -= (1.0 - wins) * (2.5 if opponent <= 2 else 0.6)
            elif 0 < opponent < combo.size:
                score += 0.8
        if partner == combo.size and partner <= 2:
            score += 2.0 * (1.0 - wins)
        return score

    def follow(self, options: Options) -> Combo | None:
        """Take the play that gains most over passing, or pass."""
        candidates = without_waste([combo for combo in options if combo is not None])
        best = max(candidates, key=self.follow_score, default=None)
        if best is None or (None in options and self.follow_score(best) <= 0.0):
            return None
        return best

    def follow_score(self, combo: Combo) -> float:
        """Weigh a play against passing, which scores 0."""
        if combo not in self.weighed:
            self.weighed[combo] = self._weigh(combo)
        return self.weighed[combo]

    def _weigh(self, combo: Combo) -> float:
        if combo.size == len(self.hand):
            return OUT_BONUS
        rest = self.rest(combo)
        wins = self.odds.wins(combo)
        score = self.plan.cost - rest.cost + LEAD_VALUE * wins
        if combo.kind.is_bomb:
            score -= BOMB_KEPT
        losers = sum(self.odds.wins(play) < SURE for play in rest.plays)
        if losers <= 1:
            score += 2.0 * wins
        return score + self._position(combo, wins, losers)

    def _position(self, combo: Combo, wins: float, losers: int) -> float:
        """Weigh whose trick it is: leave it to the partner, take it from an opponent who is nearly out."""
        view = self.view
        holder = next(move.seat for move in reversed(view.trick) if move.play is not None)
        count = self.counts[holder]
        if holder != view.partner:
            threat = min(count or 5, 10)
            return STOP[threat] * wins
        assert view.to_beat is not None
        if losers == 0:
            return 0.0
        if combo.kind.is_bomb:
            return -3.0
        strong = self.odds.wins(view.to_beat.combo)
        return -PARTNER_HOLDS * (0.4 + strong) - (0.8 if count <= 4 else 0.0) - 0.5 * wins


def without_waste(combos: list[Combo]) -> list[Combo]:
    """Drop plays that spend more wild cards than another play of the same kind, rank and size."""
    fewest: dict[tuple[object, ...], Combo] = {}
    for combo in combos:
        key = (combo.kind, combo.rank, combo.size, combo.pair, combo.suit)
        if key not in fewest or combo.wilds < fewest[key].wilds:
            fewest[key] = combo
    return list(fewest.values())


if __name__ == "__main__":
    run(PlannerBot)
