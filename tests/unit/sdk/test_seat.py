"""What a bot may return, and what happens when it returns something else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guandan_engine.actions import Ask, Give, Lay, Pass, Play, Question
from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.clock import Clocks
from guandan_engine.combos import Combo, Kind
from guandan_engine.events import DealStarted, Played, TrickWon
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


def holding(cards: str, **methods: object) -> Seat:
    """A seat with these cards left that leads its first option."""
    seat = seat_of(None, play=lambda self, view, options: options[0], **methods)
    seat.view = replace(seat.view, hand=Hand.parse(cards))
    return seat


def leads_from(cards: str) -> Question:
    return Question(0, Ask.PLAY, tuple(legal_plays(Hand.parse(cards), None, RULES, Rank.TWO)))


ELEVEN = "S3 S4 S5 S6 S7 S8 S9 D3 D4 D5 D6"


def test_a_seat_announces_by_itself_when_it_owes_it_and_only_then() -> None:
    assert holding(f"{ELEVEN} D7").answer(leads_from(f"{ELEVEN} D7"), TIME).announce is None
    seat = holding(ELEVEN)
    assert seat.answer(leads_from(ELEVEN), TIME).announce is True
    seat.bot.memory.told[0] = True
    assert seat.answer(leads_from(ELEVEN), TIME).announce is None
    assert seat.answer(Question(0, Ask.PAY, (Card.parse("S9"),)), TIME).announce is None


@pytest.mark.parametrize("said", [True, False])
def test_an_author_may_take_announcing_over_for_one_answer(said: bool) -> None:
    def play(self: Bot, view: object, options: tuple[Combo, ...]) -> Combo:
        if not self.memory.told[3]:
            self.announce = said
        self.memory.told[3] = True
        return options[0]

    seat = holding(ELEVEN)
    type(seat.bot).play = play
    assert seat.answer(leads_from(ELEVEN), TIME).announce is said
    assert seat.answer(leads_from(ELEVEN), TIME).announce is True


def test_a_bot_remembers_what_the_rules_let_it_look_at_no_longer() -> None:
    seat = seat_of(None)
    combo = legal_plays(Hand.parse("D4"), None, RULES, Rank.TWO)[0]
    seat.happened(Played(1, Play(combo, (Card.parse("D4"),)), None))
    seat.happened(TrickWon(1))
    assert not any(isinstance(event, Played) for event in seat.view.history)
    assert seat.view.counts[1] is None
    assert seat.bot.memory.counts == [27, 26, 27, 27]
    assert seat.bot.memory.shown == [Card.parse("D4")]
    assert len(seat.bot.memory.events) == 3


def test_chance_follows_from_the_seed_and_time_is_there_while_asked() -> None:
    seat, again = seat_of(None), seat_of(None)
    assert seat.bot.random.random() == again.bot.random.random()
    seat.answer(lead(), TIME)
    assert seat.bot.time == TIME
