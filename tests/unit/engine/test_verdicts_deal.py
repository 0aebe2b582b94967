"""The verdicts V26 to V40 of the rule comparison, for the rule set `standard`."""

from __future__ import annotations

import pytest

from guandan_engine import deal as deals
from guandan_engine import match as matches
from guandan_engine.actions import Ask, Give, Lay, Pass
from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.errors import IllegalAction
from guandan_engine.events import AntiTribute, LeaderNamed, TributePaid, TributeReturned, TrickWon
from guandan_engine.promotion import gain_of, passes_final, promote
from guandan_engine.tribute import payable, returnable
from tests.dealing import STANDARD, dealt, endgame

A = Rank.ACE
DOUBLE_DOWN = (0, 2, 1, 3)
SINGLE = (0, 1, 2, 3)  # 1 + 3, seat 3 last


def lay(deal, text):
    cards = tuple(map(Card.parse, text.split()))
    return deals.apply(deal, deal.trick.turn, Lay(cards), STANDARD)


def pass_round(deal, times):
    for _ in range(times):
        deal, events = deals.apply(deal, deal.trick.turn, Pass(), STANDARD)
    return deal, events


def after(order, wanted, level=Rank.TWO):
    return deals.start(dealt(wanted, level), level, STANDARD, order=order, number=2)


def give(deal, gifts):
    events = ()
    for seat, text in gifts.items():
        deal, new = deals.apply(deal, seat, Give(Card.parse(text)), STANDARD)
        events += new
    return deal, events


def options(deal, seat):
    (found,) = [question.options for question in deals.questions(deal, STANDARD) if question.seat == seat]
    return set(map(str, found))


def test_v26_partner_leads_when_a_finisher_is_passed_round():
    deal, _ = lay(endgame(("SA", "S3 S4", "S5 S6", "S7 S8")), "SA")
    deal, events = pass_round(deal, 3)
    assert events[-1] == TrickWon(2, jiefeng=True)
    assert deal.trick.turn == 2
    assert deal.trick.to_beat is None


def test_v26_who_beats_the_finishers_last_play_leads_itself():
    deal, _ = lay(endgame(("S9", "S3 S4", "S5 S6", "SK S8")), "S9")
    deal, _ = pass_round(deal, 2)
    deal, _ = lay(deal, "SK")
    deal, events = pass_round(deal, 2)
    assert events[-1] == TrickWon(3)


@pytest.mark.parametrize(("hand", "cards"), [("H7 H7 HR SA", {"HR"}), ("H7 S7 SA", {"S7"}), ("H7 SA DA", {"SA", "DA"})])
def test_v27_tribute_is_the_highest_card_that_is_not_wild(hand, cards):
    assert set(map(str, payable(Hand.parse(hand), Rank.SEVEN))) == cards


def test_v28_a_single_payer_with_both_big_jokers_resists_and_the_first_leads():
    deal, events = after(SINGLE, {3: "HR HR"})
    assert events[1:] == (AntiTribute((3,)), LeaderNamed(0))
    assert deal.trick.turn == 0


def test_v28_a_single_payer_whose_partner_holds_the_other_big_joker_pays():
    deal, _ = after(SINGLE, {3: "HR", 1: "HR"})
    assert deals.asked(deal) == (3,)
    assert options(deal, 3) == {"HR"}


def test_v29_two_payers_with_a_big_joker_each_resist():
    deal, events = after(DOUBLE_DOWN, {1: "HR", 3: "HR"})
    assert events[1:] == (AntiTribute((1, 3)), LeaderNamed(0))
    assert deal.trick.turn == 0


def test_v29_a_big_and_a_small_joker_do_not_resist():
    deal, _ = after(DOUBLE_DOWN, {1: "HR", 3: "SB"})
    assert deals.asked(deal) == (1, 3)


def test_v30_the_bigger_tribute_goes_to_the_first_and_its_payer_leads():
    deal, _ = after(DOUBLE_DOWN, {1: "SA", 3: "HR", 0: "ST", 2: "D9"})
    deal, events = give(deal, {1: "SA", 3: "HR"})
    assert events == (TributePaid(1, 2, Card.parse("SA")), TributePaid(3, 0, Card.parse("HR")))
    deal, events = give(deal, {0: "ST", 2: "D9"})
    assert events == (
        TributeReturned(0, 3, Card.parse("ST")),
        TributeReturned(2, 1, Card.parse("D9")),
        LeaderNamed(3),
    )


@pytest.mark.parametrize("order", [(0, 2, 1, 3), (1, 3, 2, 0), (2, 0, 3, 1), (3, 1, 0, 2)])
def test_v31_of_equal_tributes_each_goes_to_the_seat_before_its_payer(order):
    first = order[0]
    near, far = (first + 1) % 4, (first + 3) % 4
    deal, _ = after(order, {near: "SA", far: "DA"})
    deal, events = give(deal, {near: "SA", far: "DA"})
    assert {(paid.seat, paid.to) for paid in events} == {(near, first), (far, (first + 2) % 4)}
    assert deal.trick.turn == near


def test_v32_returns_are_up_to_ten_and_not_of_the_level():
    deal, _ = after(SINGLE, {3: "SA", 0: "SJ ST S5"}, Rank.FIVE)
    deal, _ = give(deal, {3: "SA"})
    assert "ST" in options(deal, 0)
    assert not {"SJ", "S5"} & options(deal, 0)
    for text in ("SJ", "S5"):
        with pytest.raises(IllegalAction, match="may not be returned"):
            deals.check(deal, 0, Give(Card.parse(text)), STANDARD)


def test_v33_a_partner_that_came_last_pays_too_and_gets_no_jack_back():
    deal, _ = after((0, 1, 3, 2), {2: "SA", 0: "SJ DA"})
    deal, events = give(deal, {2: "SA"})
    assert events == (TributePaid(2, 0, Card.parse("SA")),)
    assert not {"SJ", "DA"} & options(deal, 0)


def test_v34_a_receiver_without_small_cards_returns_its_lowest():
    hand = Hand.parse("SJ DJ SQ SQ SK SA SB HR")
    assert set(map(str, returnable(hand, Rank.TWO, to_partner=False, rules=STANDARD))) == {"SJ", "DJ"}
    jacks_are_level = returnable(hand, Rank.JACK, to_partner=False, rules=STANDARD)
    assert set(map(str, jacks_are_level)) == {"SQ"}


def test_v35_a_double_down_from_two_leads_to_five():
    assert promote((Rank.TWO, Rank.TWO), DOUBLE_DOWN, STANDARD) == (Rank.FIVE, Rank.TWO)
    assert [gain_of(order, STANDARD) for order in (DOUBLE_DOWN, SINGLE, (0, 1, 3, 2))] == [3, 2, 1]


def test_v36_a_king_that_wins_by_three_stops_at_the_ace():
    levels = (Rank.KING, Rank.TWO)
    assert promote(levels, DOUBLE_DOWN, STANDARD) == (A, Rank.TWO)
    assert not passes_final(levels, 0, DOUBLE_DOWN, STANDARD)


@pytest.mark.parametrize(("order", "passed"), [(DOUBLE_DOWN, True), (SINGLE, True), ((0, 1, 3, 2), False)])
def test_v37_own_ace_is_passed_unless_the_partner_is_last(order, passed):
    assert passes_final((A, Rank.TWO), 0, order, STANDARD) is passed


def test_v37_the_ace_is_not_passed_in_the_other_sides_deal():
    assert not passes_final((A, A), 1, DOUBLE_DOWN, STANDARD)


def test_v38_failing_at_the_ace_has_no_limit():
    levels = (A, Rank.TWO)
    for _ in range(5):
        levels = promote(levels, (0, 1, 3, 2), STANDARD)
    assert levels == (A, Rank.TWO)


def test_v39_a_double_down_against_a_side_at_the_ace_leaves_it_there():
    assert promote((A, Rank.NINE), (1, 3, 0, 2), STANDARD) == (A, Rank.QUEEN)


def test_v40_no_side_is_ever_demoted_so_a_winner_at_two_goes_up_by_its_gain():
    assert promote((Rank.TWO, A), DOUBLE_DOWN, STANDARD) == (Rank.FIVE, A)


def test_the_winners_level_is_played_next():
    won = endgame(("SA", "S3", "SK", "S4"), levels=(Rank.FOUR, Rank.NINE), level=Rank.NINE, order=(1, 3, 0, 2))
    match = matches.Match(won, 10)
    match, _ = matches.apply(match, 0, Lay((Card.parse("SA"),)), STANDARD)
    for seat in (1, 2, 3):
        match, _ = matches.apply(match, seat, Pass(), STANDARD)
    match, _ = matches.apply(match, 2, Lay((Card.parse("SK"),)), STANDARD)
    assert match.awaits_deal
    match, events = matches.next_deal(match, dealt({0: "HR HR"}), STANDARD)
    assert (match.deal.level, match.deal.levels) == (Rank.SEVEN, (Rank.SEVEN, Rank.NINE))
    assert events[0].order == (0, 2, 1, 3)
    assert {question.ask for question in matches.questions(match, STANDARD)} == {Ask.PAY}
