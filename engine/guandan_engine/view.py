"""What a seat may see: the one function that hides cards, and the picture folded from what it lets through."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from guandan_engine import tribute as tributes
from guandan_engine.actions import Play
from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.conduct.exposed import also, without
from guandan_engine.errors import EngineError
from guandan_engine.events import (
    AntiTribute,
    CardOffered,
    DealEnded,
    DealStarted,
    DealVoided,
    Event,
    Finished,
    LeaderNamed,
    LeadPassed,
    MatchEnded,
    Passed,
    Played,
    Ruling,
    Sanctioned,
    TributePaid,
    TributeReturned,
    TrickWon,
)
from guandan_engine.rules import RuleSet
from guandan_engine.seats import four, put
from guandan_engine.trick import next_active

HAND_CARDS: Final = 27


def cut(event: Event, seat: int | None) -> Event:
    """Return the event as ``seat`` may see it; None is a spectator, who sees no hand before the deal ends."""
    if isinstance(event, DealStarted):
        hands = [hand if i == seat else None for i, hand in enumerate(event.hands)]
        return replace(event, hands=(hands[0], hands[1], hands[2], hands[3]))
    if isinstance(event, AntiTribute) and not event.shown:
        return replace(event, seats=tuple(holder for holder in event.seats if holder == seat))
    if isinstance(event, Played):
        return event if seat is None or seat == event.seat else _uncounted(event)
    if isinstance(event, Ruling) and event.seat != seat:
        return replace(event, detail="")
    return event


def cuts(event: Event) -> tuple[Event, Event, Event, Event]:
    """Return the event as each seat may see it; what players see alike is the same object."""
    if isinstance(event, Played):
        others = _uncounted(event)
        return put((others, others, others, others), event.seat, event)
    if not isinstance(event, DealStarted | AntiTribute | Ruling):
        return event, event, event, event
    return four(cut(event, seat) for seat in range(4))


def _uncounted(event: Played) -> Played:
    """Return a play without how many cards are left, unless that was told (§6.7)."""
    return event if event.told or not event.left else Played(event.seat, event.play, None, event.told, event.silent)


@dataclass(frozen=True, slots=True)
class TrickMove:
    """One move of the trick in progress; ``play`` None is a pass."""

    seat: int
    play: Play | None


@dataclass(frozen=True)  # without slots: every event makes a copy, and a dictionary is copied at a stroke
class SeatView:
    """All that a seat (or a spectator, ``seat`` None) knows at a moment of a deal.

    ``levels``: of sides 0 and 1. ``hand``: own cards, None for a spectator. ``counts``: cards left of each seat, None
    from its first play on until they are announced (§6.7): whoever counts along knows them all the same.
    ``leader``: who led or leads the first trick, None while tribute decides. ``trick``: moves since the trick began.
    ``to_beat``: the play on the table, None when ``turn`` leads. ``turn``: who plays next, None during tribute and
    after the deal. ``finished``: seats that are out, by place. ``order``: finishing order of the deal before.
    ``tributes``: tribute events of this deal. ``offers``: cards laid out among which seats choose. ``history``: the
    events of this deal, without the plays that may not be looked at again (§6.8). ``exposed``: cards each seat has
    shown and must lead one by one. ``ended``: set when the table is.
    """

    seat: int | None
    rules: RuleSet
    deal: int = 0
    level: Rank = Rank.TWO
    levels: tuple[Rank, Rank] = (Rank.TWO, Rank.TWO)
    hand: Hand | None = None
    counts: tuple[int | None, int | None, int | None, int | None] = (27, 27, 27, 27)
    leader: int | None = None
    trick: tuple[TrickMove, ...] = ()
    to_beat: Play | None = None
    turn: int | None = None
    finished: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    tributes: tuple[AntiTribute | TributePaid | TributeReturned, ...] = ()
    offers: tuple[CardOffered, ...] = ()
    history: tuple[Event, ...] = ()
    exposed: tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]] = ((), (), (), ())
    result: DealEnded | None = None
    ended: MatchEnded | None = None

    @property
    def partner(self) -> int | None:
        """The seat opposite."""
        return None if self.seat is None else (self.seat + 2) % 4

    def after(self, event: Event) -> SeatView:
        """Return the view once this event, already cut for this seat, has happened."""
        return fold(self, event)


Changes: TypeAlias = dict[str, Any]
"""Fields of a view and their new values."""


def view_of(seat: int | None, rules: RuleSet, events: Iterable[Event]) -> SeatView:
    """Fold a whole log, cutting each event, into the view of a seat."""
    return fold(SeatView(seat, rules), *(cut(event, seat) for event in events))


def fold(view: SeatView, *events: Event) -> SeatView:
    """Return the view after events that were cut for its seat."""
    copy = object.__new__(SeatView)
    facts = copy.__dict__
    facts.update(view.__dict__)
    for event in events:
        facts.update(_changes(copy, event))
    return copy


def _changes(view: SeatView, event: Event) -> Changes:
    if isinstance(event, DealStarted):
        return _deal_started(view, event).__dict__
    step = _FOLDS.get(type(event))
    changes = step(view, event) if step else {}
    seen = _seen_again(view) if isinstance(event, Played) and view.rules.review == "none" else view.history
    changes["history"] = (*changes.get("history", seen), event)
    return changes


def _deal_started(view: SeatView, event: DealStarted) -> SeatView:
    hand = None if view.seat is None else event.hands[view.seat]
    if view.seat is not None and hand is None:
        raise EngineError(f"deal {event.deal} was cut for another seat than {view.seat}")
    return SeatView(
        view.seat,
        view.rules,
        deal=event.deal,
        level=event.level,
        levels=event.levels,
        hand=hand,
        leader=event.leader,
        turn=None if _leads_later(event, view.rules) else event.leader,
        order=event.order,
        history=(event,),
    )


def _leads_later(event: DealStarted, rules: RuleSet) -> bool:
    """Whether tribute comes before the lead although a face-up card has named the leader."""
    return event.face_up is not None and bool(tributes.payers(event.order, rules))


def _played(view: SeatView, event: Played) -> Changes:
    seat, laid = event.seat, event.play.cards
    changes: Changes = {
        "counts": put(view.counts, seat, _left(event, view.counts[seat])),
        "trick": (*_lying(view), TrickMove(seat, event.play)),
        "to_beat": event.play,
        "turn": next_active(seat, view.finished),
    }
    if view.exposed[seat]:
        changes["exposed"] = put(view.exposed, seat, without(view.exposed[seat], laid))
    if view.hand is not None and seat == view.seat:
        changes["hand"] = view.hand.minus(Hand.of(laid))
    return changes


def _left(event: Played, before: int | None) -> int | None:
    """Return how many cards a player keeps as far as the others know: as told, or counted on from there."""
    if event.left is not None:
        return event.left
    return None if before is None or before >= HAND_CARDS else before - len(event.play.cards)


def _lying(view: SeatView) -> tuple[TrickMove, ...]:
    """Return the moves of the trick that stay to be seen once another play is laid on them."""
    return () if view.seat is not None and view.rules.review == "none" else view.trick


def _seen_again(view: SeatView) -> tuple[Event, ...]:
    """Return the history that a player may look at again when a trick is over, or a play is laid on another."""
    if view.seat is None or view.rules.review == "all":
        return view.history
    return tuple(event for event in view.history if not isinstance(event, Played | Passed))


def _sanctioned(view: SeatView, event: Sanctioned) -> Changes:
    levels = view.levels if event.levels is None else event.levels
    exposed = put(view.exposed, event.seat, also(view.exposed[event.seat], event.cards))
    return {"levels": levels, "exposed": exposed}


def _lead_passed(_: SeatView, event: LeadPassed) -> Changes:
    return {"turn": event.to}


def _card_given(view: SeatView, event: TributePaid | TributeReturned) -> Changes:
    card = Hand.of((event.card,))
    hand = view.hand
    if hand is not None and view.seat == event.seat:
        hand = hand.minus(card)
    elif hand is not None and view.seat == event.to:
        hand = hand.plus(card)
    step = {event.seat: -1, event.to: 1}
    counts = four(None if n is None else n + step.get(i, 0) for i, n in enumerate(view.counts))
    exposed = put(view.exposed, event.seat, without(view.exposed[event.seat], (event.card,)))
    return {"hand": hand, "counts": counts, "exposed": exposed, "tributes": (*view.tributes, event), "offers": ()}


def _passed(view: SeatView, event: Passed) -> Changes:
    trick = (*view.trick, TrickMove(event.seat, None))
    return {"trick": trick, "turn": next_active(event.seat, view.finished)}


def _trick_won(view: SeatView, event: TrickWon) -> Changes:
    return {"trick": (), "to_beat": None, "turn": event.seat, "history": _seen_again(view)}


def _finished(view: SeatView, event: Finished) -> Changes:
    finished = (*view.finished, event.seat)
    return {"finished": finished, "turn": next_active(event.seat, finished)}


def _resisted(view: SeatView, event: AntiTribute) -> Changes:
    return {"tributes": (*view.tributes, event)}


def _leader_named(_: SeatView, event: LeaderNamed) -> Changes:
    return {"leader": event.seat, "turn": event.seat}


def _offered(view: SeatView, event: CardOffered) -> Changes:
    return {"offers": (*view.offers, event)}


def _voided(_: SeatView, event: DealVoided) -> Changes:
    return {"levels": event.levels, "turn": None, "trick": (), "to_beat": None, "offers": ()}


def _deal_ended(_: SeatView, event: DealEnded) -> Changes:
    return {"levels": event.levels, "turn": None, "trick": (), "to_beat": None, "result": event}


def _match_ended(_: SeatView, event: MatchEnded) -> Changes:
    return {"ended": event}


# What each event changes; an event that is not here changes nothing but the history.
_FOLDS: Final[dict[type[Event], Callable[[SeatView, Any], Changes]]] = {
    Played: _played,
    Sanctioned: _sanctioned,
    LeadPassed: _lead_passed,
    Passed: _passed,
    TrickWon: _trick_won,
    Finished: _finished,
    TributePaid: _card_given,
    TributeReturned: _card_given,
    AntiTribute: _resisted,
    CardOffered: _offered,
    LeaderNamed: _leader_named,
    DealEnded: _deal_ended,
    DealVoided: _voided,
    MatchEnded: _match_ended,
}
