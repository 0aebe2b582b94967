"""What a bot may return, and what happens when it returns something else."""

from __future__ import annotations

import pytest

from guandan_engine.actions import Ask, Give, Lay, Pass, Question
from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.clock import Clocks
from guandan_engine.combos import Combo, Kind
from guandan_engine.events import DealStarted
from guandan_engine.plays import legal_plays
from guandan_engine.rules import load
from guandan_sdk.bot import Bot, TimeLeft, Welcome
from guandan_sdk.errors import BotBroken
from guandan_sdk.seat import Seat

RULES = load("standard")
HAND = Hand.parse("S3 D3 S9 H9 CK")
TIME = TimeLeft(1000, 10_000)


def seat_of(choice: object, **methods: object) -> Seat:
    body = {"play": lambda self, view, options: choice, **methods}
    bot = type("Chooser", (Bot,), body)()
    seat = Seat(bot, Welcome("t", 0, RULES, Clocks(), 42))
    seat.happened(DealStarted(1, Rank.TWO, (Rank.TWO, Rank.TWO), 0, (HAND, None, None, None)))
    return seat


def lead() -> Question:
    return Question(0, Ask.PLAY, tuple(legal_plays(HAND, None, RULES, Rank.TWO)))


def test_an_option_is_answered_by_its_index() -> None:
    question = lead()
    for index, option in enumerate(question.options):
        assert seat_of(option).answer(question, TIME).choice == index


def test_none_passes_when_following_and_is_sent_as_a_pass_when_leading() -> None:
    following = Question(0, Ask.PLAY, (None, *lead().options))
    assert seat_of(None).answer(following, TIME).choice == 0
    assert seat_of(None).answer(lead(), TIME).choice == Pass()


def test_exact_cards_are_passed_on_untouched() -> None:
    lay = Lay((Card.parse("H9"), Card.parse("S9")))
    assert seat_of(lay).answer(lead(), TIME).choice is lay


@pytest.mark.parametrize("choice", ["S3", 0, [], Combo(Kind.SINGLE, Rank.ACE, 1)])
def test_nonsense_is_named_with_what_to_return_instead(choice: object) -> None:
    with pytest.raises(BotBroken, match=r"Chooser\.play returned .*not an answer") as broken:
        seat_of(choice).answer(lead(), TIME)
    assert broken.value.hint


def test_by_default_the_lowest_card_is_given_back_and_the_first_paid() -> None:
    cards = tuple(Card.parse(text) for text in ("D3", "S9", "S2"))
    assert seat_of(None).answer(Question(0, Ask.RETURN, cards), TIME).choice == 0
    assert seat_of(None).answer(Question(0, Ask.PAY, cards), TIME).choice == 0


def test_a_card_that_was_not_offered_is_left_for_the_table_to_refuse() -> None:
    king = Card.parse("CK")
    seat = seat_of(None, pay=lambda self, view, options: king)
    assert seat.answer(Question(0, Ask.PAY, (Card.parse("S9"),)), TIME).choice == Give(king)


def test_chance_follows_from_the_seed_and_time_is_there_while_asked() -> None:
    seat, again = seat_of(None), seat_of(None)
    assert seat.bot.random.random() == again.bot.random.random()
    seat.answer(lead(), TIME)
    assert seat.bot.time == TIME
