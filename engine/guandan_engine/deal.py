"""A deal (一副): tribute, tricks, and the finishing order, as frozen states and the events between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from guandan_engine import tribute as tributes
from guandan_engine import trick as tricks
from guandan_engine.actions import Action, Ask, Give, Lay, Pass, Play, Question
from guandan_engine.board import Hands, require_whole_deck, side_of
from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.errors import IllegalAction
from guandan_engine.events import (
    AntiTribute,
    DealEnded,
    DealStarted,
    Event,
    LeaderNamed,
    TributePaid,
    TributeReturned,
)
from guandan_engine.plays import interpret, legal_plays, may_follow
from guandan_engine.promotion import Levels, gain_of, promote
from guandan_engine.rules import RuleSet
from guandan_engine.tribute import Gift
from guandan_engine.trick import Trick


class Phase(StrEnum):
    """The parts of a deal in order."""

    PAYING = "paying"
    RETURNING = "returning"
    PLAYING = "playing"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Deal:
    """A moment of a deal.

    ``order``: finishing order of the deal before, () for a first deal or a board. ``sealed``: cards given but not yet
    shown, by seat. ``gifts``: tributes received, by which returns are owed. ``trick``: while playing; its ``finished``
    lists who is out. ``promotes``: whether levels rise by it, false for a board. ``result``: once ended.
    """

    number: int
    level: Rank
    levels: Levels
    hands: Hands
    order: tuple[int, ...]
    phase: Phase
    trick: Trick
    sealed: tuple[tuple[int, Card], ...] = ()
    gifts: tuple[Gift, ...] = ()
    promotes: bool = True
    result: DealEnded | None = None

    @property
    def ended(self) -> bool:
        """Whether the finishing order is decided."""
        return self.phase is Phase.ENDED

    @property
    def owner(self) -> int | None:
        """The side whose level is played: that of the first of the deal before; None in a first deal."""
        return side_of(self.order[0]) if self.order else None


def start(
    hands: Hands,
    level: Rank,
    rules: RuleSet,
    *,
    leader: int = 0,
    number: int = 1,
    levels: Levels | None = None,
    order: tuple[int, ...] = (),
    promotes: bool = True,
) -> tuple[Deal, tuple[Event, ...]]:
    """Deal the cards. With the ``order`` of a deal before, tribute decides who leads; else ``leader`` does."""
    require_whole_deck(hands)
    levels = levels or (level, level)
    owes = rules.tribute and bool(order)
    started = DealStarted(number, level, levels, None if owes else leader, hands, order)
    deal = Deal(number, level, levels, hands, order, Phase.PLAYING, Trick(leader), promotes=promotes)
    if not owes:
        return deal, (started,)
    holders = tributes.resisting(order, hands)
    if holders:
        deal, named = _lead(deal, order[0])
        return deal, (started, AntiTribute(holders), *named)
    return replace(deal, phase=Phase.PAYING), (started,)


def asked(deal: Deal) -> tuple[int, ...]:
    """Return the seats that owe an answer now, without listing their options."""
    if deal.phase is Phase.PLAYING:
        return (deal.trick.turn,)
    given = [seat for seat, _ in deal.sealed]
    if deal.phase is Phase.PAYING:
        return tuple(sorted(seat for seat in tributes.payers(deal.order) if seat not in given))
    return tuple(sorted(gift.to for gift in deal.gifts if gift.to not in given))


def questions(deal: Deal, rules: RuleSet) -> tuple[Question, ...]:
    """Return what the rules ask now: one seat to play, or all payers or receivers at once; () when ended."""
    if deal.phase is Phase.ENDED:
        return ()
    return tuple(_question(deal, seat, rules) for seat in asked(deal))


def _question(deal: Deal, seat: int, rules: RuleSet) -> Question:
    if deal.phase is Phase.PLAYING:
        trick = deal.trick
        combos = legal_plays(deal.hands[seat], trick.combo, rules, deal.level)
        return Question(seat, Ask.PLAY, (None, *combos) if trick.to_beat else tuple(combos), trick.to_beat)
    ask = Ask.PAY if deal.phase is Phase.PAYING else Ask.RETURN
    return Question(seat, ask, _givable(deal, seat, rules))


def _givable(deal: Deal, seat: int, rules: RuleSet) -> tuple[Card, ...]:
    if deal.phase is Phase.PAYING:
        return tributes.payable(deal.hands[seat], deal.level)
    gift = next(gift for gift in deal.gifts if gift.to == seat)
    return tributes.returnable(deal.hands[seat], deal.level, to_partner=tributes.to_partner(gift), rules=rules)


def check(deal: Deal, seat: int, action: Action, rules: RuleSet) -> None:
    """Raise IllegalAction, saying why and what to do, unless the seat may act so now."""
    _judge(deal, seat, action, rules)


def apply(deal: Deal, seat: int, action: Action, rules: RuleSet) -> tuple[Deal, tuple[Event, ...]]:
    """Act for a seat; raise IllegalAction when it may not. Sealed cards are shown once all are in."""
    play = _judge(deal, seat, action, rules)
    if isinstance(action, Give):
        return _give(deal, seat, action.card)
    if play is None:
        trick, events = tricks.step_aside(deal.trick)
        return _played_on(deal, deal.hands, trick), events
    return _lay(deal, play, rules)


_WANTED: Final = {
    Phase.PAYING: "give one card as tribute",
    Phase.RETURNING: "give one card back",
    Phase.PLAYING: "play cards or pass",
}


def _judge(deal: Deal, seat: int, action: Action, rules: RuleSet) -> Play | None:
    """Return the play that is laid, None for another legal action; raise IllegalAction for the rest."""
    if deal.ended:
        raise IllegalAction("deal_over", "the deal is over")
    if seat not in asked(deal):
        raise IllegalAction("not_your_turn", f"seat {seat} is not asked now", "wait for a request")
    giving = deal.phase is not Phase.PLAYING
    if isinstance(action, Give) is not giving:
        wanted = _WANTED[deal.phase]
        raise IllegalAction("wrong_action", f"{type(action).__name__} does not answer this request", wanted)
    if isinstance(action, Give):
        _check_gift(deal, seat, action.card, rules)
        return None
    if isinstance(action, Pass):
        if deal.trick.to_beat is None:
            raise IllegalAction("must_lead", "whoever leads may not pass", "lay any combo")
        return None
    return _check_lay(deal, seat, action, rules)


def _check_gift(deal: Deal, seat: int, card: Card, rules: RuleSet) -> None:
    options = _givable(deal, seat, rules)
    if card in options:
        return
    hint = f"give one of {' '.join(map(str, options))}"
    if not _held(deal.hands[seat], card):
        raise IllegalAction("not_held", f"{_name(card)} is not in the hand", hint)
    if deal.phase is Phase.PAYING:
        raise IllegalAction("not_highest", f"{card} is not the highest card, wild cards aside", hint)
    raise IllegalAction("return_too_high", f"{card} may not be returned", hint)


def _check_lay(deal: Deal, seat: int, action: Lay, rules: RuleSet) -> Play:
    hand = deal.hands[seat]
    if len(action.cards) > len(hand):
        raise IllegalAction("not_held", f"{len(action.cards)} cards of a hand of {len(hand)}", "play your own cards")
    missing = [card for card in action.cards if not 0 < action.cards.count(card) <= _held(hand, card)]
    if missing:
        names = " ".join(map(_name, dict.fromkeys(missing)))
        raise IllegalAction("not_held", f"not in the hand: {names}", "play cards of your own hand")
    combo = interpret(action.cards, action.reading, rules, deal.level)
    if not may_follow(combo, deal.trick.combo, rules, deal.level):
        raise IllegalAction("does_not_beat", "the play does not beat the one on the table", "beat it or pass")
    return Play(combo, tuple(sorted(action.cards)))


def _held(hand: Hand, card: Card) -> int:
    """Return how many copies are held; 0 for a made-up card."""
    return hand.count(card) if 0 <= card.index < 54 else 0


def _name(card: Card) -> str:
    return str(card) if 0 <= card.index < 54 else f"card number {card.index}"


def _lay(deal: Deal, play: Play, rules: RuleSet) -> tuple[Deal, tuple[Event, ...]]:
    seat = deal.trick.turn
    hands = _with(deal.hands, {seat: deal.hands[seat].minus(Hand.of(play.cards))})
    trick, events = tricks.lay(deal.trick, play, len(hands[seat]))
    deal = _played_on(deal, hands, trick)
    if not trick.over:
        return deal, events
    order = tricks.places(trick.finished)
    levels = promote(deal.levels, order, rules) if deal.promotes else deal.levels
    result = DealEnded(deal.number, order, side_of(order[0]), gain_of(order, rules), levels, hands)
    return replace(deal, phase=Phase.ENDED, result=result), (*events, result)


def _played_on(deal: Deal, hands: Hands, trick: Trick) -> Deal:
    """Return the deal after a play or a pass: what ``replace`` would give, in a third of its time."""
    return Deal(
        deal.number, deal.level, deal.levels, hands, deal.order, deal.phase, trick, (), deal.gifts, deal.promotes
    )


def _give(deal: Deal, seat: int, card: Card) -> tuple[Deal, tuple[Event, ...]]:
    deal = replace(deal, sealed=(*deal.sealed, (seat, card)))
    if asked(deal):
        return deal, ()
    given = dict(deal.sealed)
    if deal.phase is Phase.PAYING:
        gifts, leader = tributes.pair_up(deal.order, given, deal.level)
        paid = tuple(TributePaid(gift.seat, gift.to, gift.card) for gift in gifts)
        hands = _moved(deal.hands, gifts)
        deal = replace(deal, hands=hands, phase=Phase.RETURNING, gifts=gifts, sealed=(), trick=Trick(leader))
        return deal, paid
    returns = tuple(Gift(gift.to, gift.seat, given[gift.to]) for gift in sorted(deal.gifts, key=lambda gift: gift.to))
    shown = tuple(TributeReturned(gift.seat, gift.to, gift.card) for gift in returns)
    deal, named = _lead(replace(deal, hands=_moved(deal.hands, returns), sealed=()), deal.trick.turn)
    return deal, (*shown, *named)


def _lead(deal: Deal, leader: int) -> tuple[Deal, tuple[Event, ...]]:
    return replace(deal, phase=Phase.PLAYING, trick=Trick(leader)), (LeaderNamed(leader),)


def _moved(hands: Hands, gifts: tuple[Gift, ...]) -> Hands:
    """Return the hands after all gifts changed owners."""
    for gift in gifts:
        card = Hand.of((gift.card,))
        hands = _with(hands, {gift.seat: hands[gift.seat].minus(card), gift.to: hands[gift.to].plus(card)})
    return hands


def _with(hands: Hands, changed: dict[int, Hand]) -> Hands:
    a, b, c, d = (changed.get(seat, hand) for seat, hand in enumerate(hands))
    return (a, b, c, d)
