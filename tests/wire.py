"""Hypothesis strategies of everything that travels between a table and a bot."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from guandan_engine import events as e
from guandan_engine.actions import Ask, Choose, Give, Lay, Pass, Play, Question, Resist
from guandan_engine.cards import CARDS, DECK, Hand, Rank, Suit
from guandan_engine.clock import Clocks
from guandan_engine.combos import Combo, Kind, Reading
from guandan_engine.conduct import Fault, Offence, Sanction
from guandan_engine.exchange import Answer, Record, Refusal, Request
from guandan_engine.rules import load
from guandan_engine.view import SeatView, fold

RULES = load("standard")
MS = st.integers(0, 2**32 - 1)
SMALL = st.integers(0, 1000)
TEXT = st.text(max_size=40)
seats = st.integers(0, 3)
cards = st.sampled_from(CARDS)
ranks = st.sampled_from(Rank)
levels = st.sampled_from([rank for rank in Rank if rank <= Rank.ACE])
level_pairs = st.tuples(levels, levels)
hands = st.lists(st.sampled_from(range(108)), unique=True, max_size=27).map(lambda ix: Hand.of(DECK[i] for i in ix))
orders = st.permutations(range(4)).map(tuple)
card_choices = st.lists(cards, min_size=1, max_size=10).map(tuple)
readings = st.builds(Reading, st.sampled_from(Kind), ranks)
combos = st.builds(
    Combo,
    st.sampled_from(Kind),
    ranks,
    st.integers(1, 10),
    st.none() | ranks,
    st.integers(0, 2),
    st.none() | st.sampled_from(Suit),
)
plays = st.builds(Play, combos, card_choices)
tribute_answers = st.builds(Give, cards) | st.just(Resist()) | st.builds(Choose, seats)
actions = st.one_of(st.just(Pass()), st.builds(Lay, card_choices, st.none() | readings), tribute_answers)
answers = st.builds(Answer, st.integers(0, 2**32 - 1) | actions, st.text(max_size=200), st.none() | st.booleans())
clocks = st.builds(
    Clocks,
    connect_ms=MS,
    move_ms=st.integers(1, 2**32 - 1),
    bank_ms=MS,
    increment_ms=MS,
    play_clock=st.booleans(),
)
exposed = st.lists(st.sampled_from(range(108)), unique=True, max_size=3).map(
    lambda ix: tuple(sorted(DECK[i] for i in ix))
)
started = st.builds(
    e.DealStarted,
    SMALL,
    levels,
    level_pairs,
    st.none() | seats,
    st.tuples(*[st.none() | hands] * 4),
    st.just(()) | orders,
    st.none() | seats,
    st.none() | cards,
    st.none() | seats,
)
gift_asks = st.sampled_from((Ask.PAY, Ask.RETURN))
choice_asks = st.sampled_from((Ask.CHOOSE_TRIBUTE, Ask.CHOOSE_RETURN, Ask.CHOOSE_LEADER))
events = st.one_of(
    started,
    st.builds(e.Resisted, seats),
    st.builds(e.AntiTribute, st.lists(seats, max_size=2).map(tuple), st.booleans()),
    st.builds(e.CardOffered, seats, gift_asks, cards),
    st.builds(e.Chose, seats, choice_asks, seats),
    st.builds(e.TributePaid, seats, seats, cards),
    st.builds(e.TributeReturned, seats, seats, cards),
    st.builds(e.LeaderNamed, seats),
    st.builds(e.Ruling, seats, st.sampled_from(Fault).map(str), st.sampled_from(Ask), TEXT),
    st.builds(
        e.Sanctioned,
        seats,
        st.sampled_from(Offence).map(str),
        st.sampled_from(Sanction).map(str),
        st.integers(0, 12),
        st.none() | level_pairs,
        exposed,
        st.none() | seats,
        st.booleans(),
        TEXT,
    ),
    st.builds(e.LeadPassed, seats, seats),
    st.builds(e.Played, seats, plays, st.none() | st.integers(0, 27), st.booleans(), st.booleans()),
    st.builds(e.Passed, seats),
    st.builds(e.Finished, seats, st.integers(1, 4)),
    st.builds(e.TrickWon, seats, st.booleans()),
    st.builds(e.DealEnded, SMALL, orders, st.integers(0, 1), st.integers(0, 5), level_pairs, st.tuples(*[hands] * 4)),
    st.builds(e.DealVoided, SMALL, level_pairs, st.tuples(*[hands] * 4)),
    st.builds(
        e.LegEnded,
        st.integers(1, 3),
        st.none() | st.integers(0, 1),
        level_pairs,
        st.tuples(st.integers(0, 3), st.integers(0, 3)),
        st.sampled_from(e.MatchEnd),
    ),
    st.builds(
        e.MatchEnded,
        st.none() | st.integers(0, 1),
        st.tuples(st.integers(-9, 1000), st.integers(-9, 1000)),
        level_pairs,
        st.sampled_from(e.MatchEnd),
    ),
)
records = st.builds(Record, MS, events, MS, MS)
refusals = st.builds(Refusal, MS, TEXT, TEXT, TEXT, st.integers(0, 5), st.none() | actions)
choices = st.just(Resist()) | st.builds(Choose, seats)
options = st.lists(st.none() | combos | cards | choices, min_size=1, max_size=8).map(tuple)
questions = st.builds(Question, seats, st.sampled_from(Ask), options, st.none() | plays)
requests = st.builds(Request, MS, questions, MS, MS)


@st.composite
def views(draw: st.DrawFn) -> SeatView:
    """A seat's view after some random events of others and plays of its own first cards."""
    seat = draw(seats)
    hand = draw(hands)
    shown = tuple(hand if i == seat else None for i in range(4))
    view = fold(
        SeatView(seat, RULES),
        e.DealStarted(draw(SMALL), draw(levels), draw(level_pairs), draw(st.none() | seats), shown, draw(orders)),
    )
    for event in draw(st.lists(events, max_size=12)):
        view = fold(view, _possible(event, view))
    return view


def _possible(event: e.Event, view: SeatView) -> e.Event:
    """The event, or a pass where it would start another deal or take cards that the seat does not hold."""
    if isinstance(event, e.Played) and event.left is None and _holds_less(view, event):
        return e.Passed(event.seat)
    if isinstance(event, e.Played) and event.seat == view.seat:
        own = tuple(view.hand)[: len(event.play.cards)]
        return replace(event, play=Play(event.play.combo, own)) if own else e.Passed(event.seat)
    if isinstance(event, e.TributePaid | e.TributeReturned) and (
        view.seat in (event.seat, event.to) or view.counts[event.seat] == 0
    ):
        return e.Passed(event.seat)
    second_end = isinstance(event, e.DealEnded | e.MatchEnded) and (view.result or view.ended)
    return e.Passed(0) if isinstance(event, e.DealStarted) or second_end else event


def _holds_less(view: SeatView, event: e.Played) -> bool:
    """Whether a seat would lay more cards than it has left, as far as that is known."""
    count = view.counts[event.seat]
    return count is not None and count < len(event.play.cards)
