"""A deal (一副): tribute, tricks, and the finishing order, as frozen states and the events between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from guandan_engine import paying as payings
from guandan_engine import tribute as tributes
from guandan_engine import trick as tricks
from guandan_engine.actions import Action, Ask, Choose, Give, Lay, Option, Options, Pass, Play, Question
from guandan_engine.board import Hands, require_whole_deck, side_of
from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.dealing import Dealt, drawer, face_up_of, leads_by_card
from guandan_engine.errors import EngineError, IllegalAction
from guandan_engine.events import DealEnded, DealStarted, DealVoided, Event
from guandan_engine.paying import ASKS, Paying, Step
from guandan_engine.plays import interpret, legal_plays, may_follow
from guandan_engine.promotion import AT_THE_START, Climb, Levels, after_deal, gain_of, shifted
from guandan_engine.rules import RuleSet
from guandan_engine.trick import Trick


class Phase(StrEnum):
    """The parts of a deal in order."""

    TRIBUTE = "tribute"
    PLAYING = "playing"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Deal:
    """A moment of a deal.

    ``order``: finishing order of the deal before, () for a first deal or a board. ``paying``: tribute while it lasts.
    ``trick``: while playing; its ``finished`` lists who is out. ``promotes``: whether levels rise by it, false for a
    board. ``climb``: what the sides carry on from deal to deal. ``result``: once ended, None when it was voided.
    ``levels``: as the deal began; ``shifts``: how rulings have moved them since.
    """

    number: int
    level: Rank
    levels: Levels
    hands: Hands
    order: tuple[int, ...]
    phase: Phase
    trick: Trick
    paying: Paying | None = None
    promotes: bool = True
    climb: Climb = AT_THE_START
    result: DealEnded | None = None
    shifts: tuple[int, int] = (0, 0)

    @property
    def ended(self) -> bool:
        """Whether the finishing order is decided, or the deal was voided."""
        return self.phase is Phase.ENDED

    @property
    def owner(self) -> int | None:
        """The side whose level is played: that of the first of the deal before; None in a first deal."""
        return side_of(self.order[0]) if self.order else None

    @property
    def sealed(self) -> bool:
        """Whether a seat has answered what the others have not been shown yet."""
        return self.paying is not None and bool(self.paying.sealed)


def start(
    dealt: Dealt,
    level: Rank,
    rules: RuleSet,
    *,
    number: int = 1,
    levels: Levels | None = None,
    order: tuple[int, ...] = (),
    promotes: bool = True,
    climb: Climb = AT_THE_START,
    leader: int | None = None,
) -> tuple[Deal, tuple[Event, ...]]:
    """Deal the cards. After a deal that ended in this ``order`` tribute comes first, and names the leader (§7.5).

    Where a ``leader`` is given, no tribute is paid, and it leads (§11.7).
    """
    hands, levels, lot = dealt.hands, levels or (level, level), dealt.lot or 0
    require_whole_deck(hands)
    face_up = face_up_of(dealt, order, rules) if leader is None else None
    named = dealt.leader if not order or leads_by_card(order, rules) else None
    owes = leader is None and bool(tributes.payers(order, rules))
    if leader is None:
        leader = named if named is not None else order[0] if order else None
    if leader is None:
        raise EngineError(f"deal {number}: nobody leads")
    drawn = None if dealt.lot is None else drawer(order, lot, face_up, rules)
    shown = named if owes else leader
    started = DealStarted(number, level, levels, shown, hands, order, drawn, face_up, dealt.lot)
    trick = Trick(leader)
    deal = Deal(number, level, levels, hands, order, Phase.PLAYING, trick, promotes=promotes, climb=climb)
    if not owes:
        return deal, (started,)
    paying, events = payings.start(order, hands, level, rules, leader=named, lot=lot)
    return _paid_on(deal, paying, hands), (started, *events)


def asked(deal: Deal) -> tuple[int, ...]:
    """Return the seats that owe an answer now, without listing their options."""
    if deal.phase is Phase.PLAYING:
        return (deal.trick.turn,)
    return deal.paying.asked if deal.paying else ()


def questions(deal: Deal, rules: RuleSet) -> tuple[Question, ...]:
    """Return what the rules ask now: one seat to play, or all payers or receivers at once; () when ended."""
    return tuple(_question(deal, seat, rules) for seat in asked(deal))


def _question(deal: Deal, seat: int, rules: RuleSet) -> Question:
    if deal.paying:
        return Question(seat, ASKS[deal.paying.step], payings.options(deal.paying, seat, deal.hands[seat], rules))
    return Question(seat, Ask.PLAY, lambda: _plays(deal, seat, rules), deal.trick.to_beat)


def _plays(deal: Deal, seat: int, rules: RuleSet) -> Options:
    combos = legal_plays(deal.hands[seat], deal.trick.combo, rules, deal.level)
    return (None, *combos) if deal.trick.to_beat else tuple(combos)


def check(deal: Deal, seat: int, action: Action, rules: RuleSet) -> None:
    """Raise IllegalAction, saying why and what to do, unless the seat may act so now."""
    _judge(deal, seat, action, rules)


def apply(deal: Deal, seat: int, action: Action, rules: RuleSet) -> tuple[Deal, tuple[Event, ...]]:
    """Act for a seat; raise IllegalAction when it may not. Sealed cards are shown once all are in."""
    play = _judge(deal, seat, action, rules)
    if deal.paying:
        paying, hands, events = payings.apply(deal.paying, deal.hands, seat, action, rules)
        return _paid_on(deal, paying, hands), events
    if play is None:
        trick, events = tricks.step_aside(deal.trick, rules)
        return _played_on(deal, deal.hands, trick), events
    return _lay(deal, play, rules)


def void(deal: Deal, rules: RuleSet) -> tuple[Deal, DealVoided]:
    """Break a deal off: it does not count (§9.12), though what rulings have moved stays moved."""
    levels = shifted(deal.levels, deal.shifts, rules)
    event = DealVoided(deal.number, levels, deal.hands)
    return replace(deal, levels=levels, phase=Phase.ENDED, paying=None, result=None), event


def judge(deal: Deal, order: tuple[int, int, int, int], rules: RuleSet) -> tuple[Deal, tuple[Event, ...]]:
    """End a deal by a ruling as if it had been played out in this order (§11.7)."""
    return _over(replace(deal, paying=None), order, (), rules)


_WANTED: Final = {
    Step.RESIST: "resist, or give one card as tribute",
    Step.PAY: "give one card as tribute",
    Step.RETURN: "give one card back",
    Step.TAKE: "choose whose tribute to take",
    Step.TAKE_BACK: "choose whose return to take",
    Step.NAME: "choose who leads",
}


def _judge(deal: Deal, seat: int, action: Action, rules: RuleSet) -> Play | None:
    """Return the play that is laid, None for another legal action; raise IllegalAction for the rest."""
    if deal.ended:
        raise IllegalAction("deal_over", "the deal is over")
    if seat not in asked(deal):
        raise IllegalAction("not_your_turn", f"seat {seat} is not asked now", "wait for a request")
    if deal.paying:
        _check_answer(deal, deal.paying, seat, action, rules)
        return None
    if not isinstance(action, Lay | Pass):
        raise _wrong_action(action, "play cards or pass")
    if isinstance(action, Pass):
        if deal.trick.to_beat is None:
            raise IllegalAction("must_lead", "whoever leads may not pass", "lay any combo")
        return None
    return _check_lay(deal, seat, action, rules)


def _check_answer(deal: Deal, paying: Paying, seat: int, action: Action, rules: RuleSet) -> None:
    """Raise IllegalAction unless the action is one of the options of this step of tribute."""
    options = payings.options(paying, seat, deal.hands[seat], rules)
    if action in options or (isinstance(action, Give) and action.card in options):
        return
    if type(action) not in {Give if isinstance(option, Card) else type(option) for option in options}:
        raise _wrong_action(action, _WANTED[paying.step])
    if isinstance(action, Give):
        raise _wrong_gift(deal.hands[seat], action.card, paying.step, options)
    seats = " or ".join(str(option.seat) for option in options if isinstance(option, Choose))
    raise IllegalAction("no_such_choice", f"{action} is not among the choices", f"choose seat {seats}")


def _wrong_action(action: Action, wanted: str) -> IllegalAction:
    return IllegalAction("wrong_action", f"{type(action).__name__} does not answer this request", wanted)


def _wrong_gift(hand: Hand, card: Card, step: Step, options: tuple[Option, ...]) -> IllegalAction:
    hint = f"give one of {' '.join(str(option) for option in options if isinstance(option, Card))}"
    if not _held(hand, card):
        return IllegalAction("not_held", f"{_name(card)} is not in the hand", hint)
    if step is Step.RETURN:
        return IllegalAction("return_too_high", f"{card} may not be returned", hint)
    return IllegalAction("not_highest", f"{card} is not the highest card, wild cards aside", hint)


def _check_lay(deal: Deal, seat: int, action: Lay, rules: RuleSet) -> Play:
    hand = deal.hands[seat]
    if len(action.cards) > len(hand):
        raise IllegalAction("not_held", f"{len(action.cards)} cards of a hand of {len(hand)}", "play your own cards")
    missing = [card for card in action.cards if not 0 < action.cards.count(card) <= _held(hand, card)]
    if missing:
        names = " ".join(map(_name, dict.fromkeys(missing)))
        raise IllegalAction("not_held", f"not in the hand: {names}", "play cards of your own hand")
    combo = interpret(action.cards, action.reading, rules, deal.level, hand=hand)
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
    return _over(deal, tricks.places(trick.finished), events, rules)


def _over(
    deal: Deal, order: tuple[int, int, int, int], events: tuple[Event, ...], rules: RuleSet
) -> tuple[Deal, tuple[Event, ...]]:
    """End a deal in this order: what it was worth comes last."""
    climb, levels, gain = deal.climb, deal.levels, gain_of(order, rules)
    if deal.promotes:
        climb, levels, gain = after_deal(climb, levels, order, rules, owner=deal.owner, level=deal.level)
        levels = shifted(levels, deal.shifts, rules)
    result = DealEnded(deal.number, order, side_of(order[0]), gain, levels, deal.hands)
    return replace(deal, phase=Phase.ENDED, climb=climb, result=result), (*events, result)


def _played_on(deal: Deal, hands: Hands, trick: Trick) -> Deal:
    """Return the deal after a play or a pass: what ``replace`` would give, in a third of its time."""
    return Deal(
        deal.number,
        deal.level,
        deal.levels,
        hands,
        deal.order,
        deal.phase,
        trick,
        None,
        deal.promotes,
        deal.climb,
        None,
        deal.shifts,
    )


def _paid_on(deal: Deal, paying: Paying, hands: Hands) -> Deal:
    """Return the deal after a step of tribute: play begins once a leader is named."""
    if paying.step is not Step.DONE or paying.leader is None:
        return replace(deal, hands=hands, phase=Phase.TRIBUTE, paying=paying)
    return replace(deal, hands=hands, phase=Phase.PLAYING, paying=None, trick=Trick(paying.leader))


def _with(hands: Hands, changed: dict[int, Hand]) -> Hands:
    a, b, c, d = (changed.get(seat, hand) for seat, hand in enumerate(hands))
    return (a, b, c, d)
