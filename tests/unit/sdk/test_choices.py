"""What rule sets leave to the players reaches the bots, with defaults that make sense."""

from __future__ import annotations

import pytest

from guandan_engine.actions import Ask, Choose, Question, Resist
from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.clock import Clocks
from guandan_engine.conduct import Verdict
from guandan_engine.events import CardOffered, DealStarted
from guandan_engine.replay import verify
from guandan_engine.rules import load
from guandan_sdk.bot import Bot, TimeLeft, Welcome
from guandan_sdk.errors import BotBroken
from guandan_sdk.loading import find_bot
from guandan_sdk.local import Series, play_pair, replay_of
from guandan_sdk.seat import Seat

RULES = load("freecard_531_bo3")
TIME = TimeLeft(1000, 10_000)
HAND = Hand.parse("S3 SA HR")
OFFERS = (CardOffered(1, Ask.PAY, Card.parse("SA")), CardOffered(3, Ask.PAY, Card.parse("DA")))
RETURNS = (CardOffered(0, Ask.RETURN, Card.parse("S4")), CardOffered(2, Ask.RETURN, Card.parse("S9")))
ANTI = (Resist(), Card.parse("HR"))
SEATS = (Choose(1), Choose(3))


def seat_of(number: int = 1, **methods: object) -> Seat:
    bot = type("Chooser", (Bot,), {"play": lambda self, view, options: options[0], **methods})()
    seat = Seat(bot, Welcome("t", number, RULES, Clocks(), 42))
    hands = tuple(HAND if i == number else None for i in range(4))
    seat.happened(DealStarted(2, Rank.TWO, (Rank.TWO, Rank.TWO), None, hands, (0, 2, 1, 3)))
    return seat


def answer(seat: Seat, ask: Ask, options: tuple, offers: tuple[CardOffered, ...] = ()) -> object:
    for offer in offers:
        seat.happened(offer)
    choice = seat.answer(Question(seat.view.seat, ask, options), TIME).choice
    return options[choice] if isinstance(choice, int) else choice


def test_by_default_a_bot_resists_and_takes_the_first_tribute_the_higher_return_and_the_lead() -> None:
    assert answer(seat_of(), Ask.ANTI, ANTI) == Resist()
    assert answer(seat_of(0), Ask.CHOOSE_TRIBUTE, SEATS, OFFERS) == Choose(1)
    assert answer(seat_of(), Ask.CHOOSE_RETURN, (Choose(0), Choose(2)), RETURNS) == Choose(2)
    assert answer(seat_of(3), Ask.CHOOSE_LEADER, SEATS) == Choose(3)


def test_a_bot_may_choose_otherwise() -> None:
    assert answer(seat_of(resist=lambda self, view: False), Ask.ANTI, ANTI) == Card.parse("HR")
    last = {"take_tribute": lambda self, view, offers: offers[-1]}
    assert answer(seat_of(0, **last), Ask.CHOOSE_TRIBUTE, SEATS, OFFERS) == Choose(3)
    first = {"take_back": lambda self, view, offers: offers[0]}
    assert answer(seat_of(**first), Ask.CHOOSE_RETURN, (Choose(0), Choose(2)), RETURNS) == Choose(0)
    other = {"name_leader": lambda self, view, seats: seats[-1]}
    assert answer(seat_of(**other), Ask.CHOOSE_LEADER, SEATS) == Choose(3)


@pytest.mark.parametrize(
    ("ask", "method", "options"),
    [(Ask.CHOOSE_TRIBUTE, "take_tribute", SEATS), (Ask.CHOOSE_LEADER, "name_leader", SEATS)],
)
def test_what_was_not_listed_is_named_as_nonsense(ask: Ask, method: str, options: tuple) -> None:
    seat = seat_of(0, **{method: lambda self, view, listed: 2})
    with pytest.raises(BotBroken, match=rf"Chooser\.{method} returned 2"):
        answer(seat, ask, options, OFFERS)


@pytest.mark.parametrize("name", ["elim40_531", "level_penalty", "freecard_531_bo3"])
def test_random_bots_answer_every_question_of_a_preset(name: str) -> None:
    source = find_bot("random")
    series = Series(a=source, b=source, rules=load(name), seed=1, classic=True)
    for way, game in enumerate(play_pair(series, 1, now=lambda: 0).games):
        assert game.verdicts == (Verdict.OK,) * 4
        assert verify(replay_of(series, 1, way, game)).header.rules == load(name)
