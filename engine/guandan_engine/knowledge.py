"""What a seat knows of the other hands: sizes, cards they surely hold, and cards they cannot hold.

All of it follows from the events a seat has seen; nothing is guessed from how a seat plays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from guandan_engine import tribute as tributes
from guandan_engine.actions import Ask
from guandan_engine.board import Hands, side_of
from guandan_engine.cards import BIG_JOKER, CARDS, DECK, Card, Hand, Rank
from guandan_engine.errors import EngineError
from guandan_engine.events import (
    AntiTribute,
    CardOffered,
    DealEnded,
    DealStarted,
    DealVoided,
    Event,
    Played,
    Resisted,
    TributePaid,
    TributeReturned,
    TrickWon,
)
from guandan_engine.plays import rank_strength
from guandan_engine.rules import RuleSet
from guandan_engine.view import HAND_CARDS, SeatView

__all__ = ["Held", "Knowledge", "knowledge_of"]

_WHOLE: Final = Counter(DECK)


@dataclass(frozen=True, slots=True)
class Held:
    """What is known of one hand: how many cards it ``counts``, and those ``known`` among them.

    ``barred``: faces none of its other cards can be. Of one's own hand all is known.
    """

    count: int
    known: Hand
    barred: frozenset[Card] = frozenset()

    @property
    def open(self) -> int:
        """How many of its cards are unknown."""
        return self.count - len(self.known)

    def allows(self, hand: Hand) -> bool:
        """Whether a hand fits."""
        if len(hand) != self.count or not self.known <= hand:
            return False
        return not any(card in self.barred for card in hand.minus(self.known))


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known of all four hands. ``loose``: the unseen cards whose holder is unknown, sorted."""

    hands: tuple[Held, Held, Held, Held]
    loose: tuple[Card, ...]

    def allows(self, hands: Hands) -> bool:
        """Whether four hands fit all that is known: they are one of the possible worlds."""
        known = [card for held in self.hands for card in held.known]
        whole = sorted(card for hand in hands for card in hand) == sorted([*known, *self.loose])
        return whole and all(held.allows(hand) for held, hand in zip(self.hands, hands, strict=True))


def knowledge_of(view: SeatView, events: Iterable[Event] | None = None) -> Knowledge:
    """Return what the seat of a view, or a spectator, knows of the hands at this moment.

    ``events``: all that happened since the cards were dealt, as the seat saw it (a bot has them in
    ``memory.events``). By default those of ``view.history``, which is enough only where the rules let a seat look at
    all plays again (§6.8); raise EngineError where it has forgotten some. Tribute owed and not paid yet says nothing.
    """
    seen = tuple(view.history if events is None else events)
    if events is None and _forgets(view):
        raise EngineError("this view no longer shows all plays (§6.8): pass the events counted along, memory.events")
    if not seen or not isinstance(seen[0], DealStarted) or seen[0].deal != view.deal:
        raise EngineError("the events do not begin with the start of this deal")
    for event in reversed(seen):
        if isinstance(event, DealEnded | DealVoided):
            return _all_known(event.hands)
    ledger = _Ledger(view.rules, seen[0], view.seat)
    for event in seen:
        ledger.add(event)
    return ledger.close(view)


def _forgets(view: SeatView) -> bool:
    """Whether plays of this deal may be missing in the history."""
    if view.seat is None or view.rules.review == "all":
        return False
    return any(isinstance(event, TrickWon | Played) for event in view.history)


def _all_known(hands: Hands) -> Knowledge:
    a, b, c, d = (Held(len(hand), hand) for hand in hands)
    return Knowledge((a, b, c, d), ())


class _Ledger:
    """Counts along, event by event."""

    def __init__(self, rules: RuleSet, started: DealStarted, seat: int | None) -> None:
        self.rules = rules
        self.seat = seat
        self.level: Rank = started.level
        self.payers = tributes.payers(started.order, rules)
        self.counts = [HAND_CARDS] * 4
        self.known: list[Counter[Card]] = [Counter(), Counter(), Counter(), Counter()]
        self.barred: list[set[Card]] = [set(), set(), set(), set()]
        self.unseen = Counter(_WHOLE)
        self.resisted: list[int] = []
        self.payer_of: dict[int, int] = {}

    def add(self, event: Event) -> None:
        """Learn from an event."""
        if isinstance(event, DealStarted):
            if event.face_up is not None and event.leader is not None:
                self._holds(event.leader, event.face_up)
        elif isinstance(event, Played):
            self.counts[event.seat] -= len(event.play.cards)
            self.unseen.subtract(event.play.cards)
            self._gives(event.seat, event.play.cards)
        elif isinstance(event, CardOffered):
            self._shows(event.seat, event.card, event.ask)
            self._holds(event.seat, event.card)
        elif isinstance(event, TributePaid):
            self._shows(event.seat, event.card, Ask.PAY)
            self.payer_of[event.to] = event.seat
            self._moves(event)
        elif isinstance(event, TributeReturned):
            self._shows(event.seat, event.card, Ask.RETURN)
            self._moves(event)
        elif isinstance(event, Resisted):
            self.resisted.append(event.seat)
            self._holds(event.seat, BIG_JOKER)
        elif isinstance(event, AntiTribute):
            self._resisting(event)

    def close(self, view: SeatView) -> Knowledge:
        """Return what is known, with one's own hand and the cards that lie exposed."""
        hands = [self._held(seat, view) for seat in range(4)]
        loose = self.unseen
        for held in hands:
            if held.known.ones:
                loose.subtract(held.known)
        sizes = [
            len(view.hand) if view.hand is not None and seat == view.seat else view.counts[seat] for seat in range(4)
        ]
        wrong = any(size is not None and size != held.count for size, held in zip(sizes, hands, strict=True))
        if wrong or min(loose.values(), default=0) < 0:
            raise EngineError("the events do not account for this hand: pass all events of the deal, memory.events")
        a, b, c, d = hands
        return Knowledge((a, b, c, d), tuple(sorted(loose.elements())))

    def _held(self, seat: int, view: SeatView) -> Held:
        if seat == view.seat and view.hand is not None:
            return Held(self.counts[seat], view.hand)
        known = self.known[seat] | Counter(view.exposed[seat])
        return Held(self.counts[seat], Hand.of(known.elements()), frozenset(self.barred[seat]))

    def _holds(self, seat: int, card: Card) -> None:
        """A card was seen in a hand and stays there; a copy known before may be the same."""
        self.known[seat][card] = max(1, self.known[seat][card])

    def _gives(self, seat: int, cards: Iterable[Card]) -> None:
        """Cards left a hand: each may have been a known one."""
        known = self.known[seat]
        if known:
            known.subtract(cards)
            self.known[seat] = +known

    def _moves(self, event: TributePaid | TributeReturned) -> None:
        self.counts[event.seat] -= 1
        self.counts[event.to] += 1
        self._gives(event.seat, (event.card,))
        self.known[event.to][event.card] += 1

    def _shows(self, seat: int, card: Card, ask: Ask) -> None:
        """What giving this card says of those kept: no higher one (§8.2), or none that had to be returned (§8.5)."""
        if ask is Ask.RETURN:
            self.barred[seat] |= self._withheld(card, to_partner=side_of(self.payer_of[seat]) == side_of(seat))
            return
        given = self._strength(card)
        self.barred[seat] |= {
            other for other in CARDS if self._strength(other) > given and not other.is_wild(self.level)
        }
        if self.rules.anti_tribute == "both_big" and self.rules.anti_mode == "auto":
            # The payers do not hold both big jokers, which would have freed them (§8.3).
            for payer in self.payers if card == BIG_JOKER else (seat,):
                self.barred[payer].add(BIG_JOKER)

    def _withheld(self, card: Card, *, to_partner: bool) -> set[Card]:
        """Return what a hand cannot hold from which this card was given back."""
        within = {
            one for one in CARDS if tributes.within_limit(one, self.level, to_partner=to_partner, rules=self.rules)
        }
        if card in within:
            return set()
        if self.rules.return_fallback == "any":
            return within
        return within | {one for one in CARDS if self._strength(one) < self._strength(card)}

    def _resisting(self, event: AntiTribute) -> None:
        """The payers hold both big jokers between them; where these are shown, or asked for, it is known who."""
        holders = event.seats if event.shown else tuple(self.resisted)
        for seat in holders:
            self.known[seat][BIG_JOKER] = 2 // len(holders)
        possible = holders or tuple(seat for seat in self.payers if seat != self.seat or seat in event.seats)
        for seat in range(4):
            if seat not in possible:
                self.barred[seat].add(BIG_JOKER)

    def _strength(self, card: Card) -> int:
        return rank_strength(card.rank, self.rules, self.level)
