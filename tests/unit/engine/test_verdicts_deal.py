"""The worked verdicts V26 to V34 on leading on and on tribute, each under every preset it speaks of."""

from __future__ import annotations

import pytest

from guandan_engine import deal as deals
from guandan_engine.actions import Give
from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.errors import IllegalAction
from guandan_engine.events import AntiTribute, LeaderNamed, Resisted, TributePaid, TrickWon
from guandan_engine.rules import load, presets
from guandan_engine.tribute import payable, returnable
from tests.dealing import endgame
from tests.playing import (
    DOUBLE_DOWN,
    PARTNER_LAST,
    SINGLE,
    after,
    chooses,
    first_option,
    gives,
    last_option,
    lay,
    pass_round,
    tribute,
)

WITHOUT_TRIBUTE = {"anhui_jianzhu_2017"}
ASKED_TO_RESIST = {"elim40_531", "library_shift3", "level_penalty", "freecard_531_bo3", "yangzhou"}
RETURNS_TO_NEXT = {"yangzhou", "maanshan"}


@pytest.fixture(params=presets())
def rules(request):
    return load(request.param)


@pytest.fixture(params=sorted(set(presets()) - WITHOUT_TRIBUTE))
def paying(request):
    """The presets in which there is tribute."""
    return load(request.param)


def test_v26_partner_leads_when_a_finisher_is_passed_round(rules):
    deal, _ = lay(endgame(("SA", "S3 S4", "S5 S6", "S7 S8")), "SA", rules)
    deal, events = pass_round(deal, 3, rules)
    assert events[-1] == TrickWon(2, jiefeng=True)
    assert deal.trick.turn == 2
    assert deal.trick.to_beat is None


def test_v26_partner_leads_also_for_the_second_to_finish(rules):
    deal, _ = lay(endgame(("", "SA", "S5 S6", "S7 S8"), turn=1, finished=(0,)), "SA", rules)
    deal, events = pass_round(deal, 2, rules)
    assert events[-1] == TrickWon(3, jiefeng=True)


def test_v26_who_beats_the_finishers_last_play_leads_itself(rules):
    deal, _ = lay(endgame(("S9", "S3 S4", "S5 S6", "SK S8")), "S9", rules)
    deal, _ = pass_round(deal, 2, rules)
    deal, _ = lay(deal, "SK", rules)
    deal, events = pass_round(deal, 2, rules)
    assert events[-1] == TrickWon(3)


@pytest.mark.parametrize(("hand", "cards"), [("H7 H7 HR SA", {"HR"}), ("H7 S7 SA", {"S7"}), ("H7 SA DA", {"SA", "DA"})])
def test_v27_tribute_is_the_highest_card_that_is_not_wild(hand, cards, paying):
    assert set(map(str, payable(Hand.parse(hand), Rank.SEVEN, paying))) == cards
    deal, _ = after(SINGLE, {3: hand}, paying, level=Rank.SEVEN)
    (question,) = deals.questions(deal, paying)
    assert cards <= set(map(str, question.options))


def test_v27_without_tribute_nobody_pays():
    played = tribute(SINGLE, {3: "HR HR"}, load("anhui_jianzhu_2017"))
    assert played.asked == ()
    assert [type(event).__name__ for event in played.events] == ["DealStarted"]


def test_v28_a_single_payer_with_both_big_jokers_resists_and_the_first_leads(paying):
    played = tribute(SINGLE, {3: "HR HR"}, paying)
    assert played.leader == 0
    assert played.events[-2:] == (AntiTribute((3,)), LeaderNamed(0))
    assert (Resisted(3) in played.events) is (paying.name in ASKED_TO_RESIST)


def test_v28_a_single_payer_whose_partner_holds_the_other_big_joker_pays(paying):
    played = tribute(SINGLE, {3: "HR", 1: "HR"}, paying)
    assert played.asked[0] == (3, "pay", ("HR",))
    assert played.paid == {3: 0}


@pytest.mark.parametrize("hands", [{1: "HR", 3: "HR"}, {1: "HR HR"}, {3: "HR HR"}])
def test_v29_two_payers_with_both_big_jokers_resist(hands, paying):
    played = tribute(DOUBLE_DOWN, hands, paying)
    assert played.leader == 0
    assert AntiTribute(tuple(hands)) in played.events
    assert {event.seat for event in played.events if isinstance(event, Resisted)} == (
        set(hands) if paying.name in ASKED_TO_RESIST else set()
    )


def test_v29_a_big_and_a_small_joker_do_not_resist(paying):
    played = tribute(DOUBLE_DOWN, {1: "HR", 3: "SB"}, paying)
    assert played.asked[:2] == ((1, "pay", ("HR",)), (3, "pay", ("SB",)))
    assert set(played.paid) == {1, 3}


@pytest.mark.parametrize("name", sorted(ASKED_TO_RESIST))
def test_v29_a_side_that_may_resist_may_also_pay(name):
    rules = load(name)
    played = tribute(DOUBLE_DOWN, {1: "HR", 3: "HR"}, rules, last_option)
    assert played.asked[:2] == ((1, "anti", ("Resist()", "HR")), (3, "anti", ("Resist()", "HR")))
    assert set(played.paid) == {1, 3}
    assert not any(isinstance(event, AntiTribute | Resisted) for event in played.events)


@pytest.mark.parametrize("name", sorted(ASKED_TO_RESIST))
def test_v29_both_holders_must_resist(name):
    rules = load(name)
    deal, _ = after(DOUBLE_DOWN, {1: "HR", 3: "HR"}, rules)
    resisting = deals.questions(deal, rules)[0].options[0]
    deal, events = deals.apply(deal, 1, resisting, rules)
    assert events == ()
    deal, events = deals.apply(deal, 3, Give(Card.parse("HR")), rules)
    assert not any(isinstance(event, Resisted | AntiTribute) for event in events)
    assert all(str(card) == "HR" for card in (event.card for event in events))


def test_v30_the_bigger_tribute_goes_to_the_first_and_its_payer_leads(paying):
    played = tribute(DOUBLE_DOWN, {1: "SA", 3: "HR", 0: "ST", 2: "D9"}, paying, gives({0: "ST", 2: "D9"}))
    clockwise = paying.name == "openguandan"
    assert played.paid == ({1: 0, 3: 2} if clockwise else {1: 2, 3: 0})
    if clockwise:
        assert played.returned == {0: 1, 2: 3}
    else:
        assert played.returned == ({0: 1, 2: 3} if paying.name in RETURNS_TO_NEXT else {0: 3, 2: 1})
    assert played.leader == 3


LEADS_AFTER_EQUAL = {
    "standard": 1,
    "huaian_2017": 1,
    "canmou_tournament": 1,
    "huaian_folk": 1,
    "library_shift3": 1,
    "maanshan": 1,
    "folk_any_return": 1,
    "yangzhou": 1,
    "digest_004": 1,
    "digest_004_strict": 1,
    "anhui_shangmao": 3,
    "openguandan": 3,
    "botzone_single": 3,
}


@pytest.mark.parametrize(("name", "leader"), LEADS_AFTER_EQUAL.items())
def test_v31_of_equal_tributes_each_goes_to_the_seat_before_its_payer(name, leader):
    played = tribute(DOUBLE_DOWN, {1: "SA", 3: "DA"}, load(name))
    assert played.paid == {1: 0, 3: 2}
    assert played.leader == leader


@pytest.mark.parametrize("order", [(0, 2, 1, 3), (1, 3, 2, 0), (2, 0, 3, 1), (3, 1, 0, 2)])
def test_v31_clockwise_is_the_same_wherever_the_first_sits(order):
    first = order[0]
    near, far = (first + 1) % 4, (first + 3) % 4
    for name in ("standard", "huaian_2017", "canmou_tournament", "huaian_folk", "anhui_shangmao"):
        played = tribute(order, {near: "SA", far: "DA"}, load(name))
        assert played.paid == {near: first, far: (first + 2) % 4}
        assert played.leader == (far if name == "anhui_shangmao" else near)


@pytest.mark.parametrize(
    ("first", "second", "paid"), [(3, 1, {3: 0, 1: 2}), (1, 3, {1: 0, 3: 2}), (3, 3, {1: 0, 3: 2})]
)
def test_v31_where_winners_pick_the_one_who_paid_the_first_leads(first, second, paid):
    rules = load("elim40_531")
    played = tribute(DOUBLE_DOWN, {1: "SA", 3: "DA"}, rules, chooses({0: first, 2: second}, first_option))
    assert (
        played.options(0, "choose_tribute")
        == played.options(2, "choose_tribute")
        == {"Choose(seat=1)", "Choose(seat=3)"}
    )
    assert played.paid == paid
    assert played.leader == next(seat for seat, to in paid.items() if to == 0)


@pytest.mark.parametrize(
    ("returned", "leader"), [({0: "S9", 2: "S4"}, 3), ({0: "S4", 2: "S9"}, 1), ({0: "S4", 2: "D4"}, 1)]
)
def test_v31_where_the_lower_return_leads(returned, leader):
    rules = load("level_penalty")
    hands = {1: "SA", 3: "DA", **returned}
    plan = gives(returned, chooses({0: 1, 2: 3}, first_option))
    played = tribute(DOUBLE_DOWN, hands, rules, plan)
    assert played.paid == {1: 0, 3: 2}
    assert played.returned == {0: 1, 2: 3}
    assert played.leader == leader


def test_v31_equal_small_jokers_go_clockwise_where_winners_pick():
    played = tribute(DOUBLE_DOWN, {1: "SB", 3: "SB"}, load("level_penalty"))
    assert played.paid == {1: 0, 3: 2}
    assert all(ask != "choose_tribute" for _, ask, _ in played.asked)


@pytest.mark.parametrize("wanted", [1, 3])
def test_v31_where_the_first_picks_the_payers_settle_returns_and_leader(wanted):
    rules = load("freecard_531_bo3")
    returned = {0: "S9", 2: "S4"}
    picks = {0: wanted, 1: 2, 3: 0}

    def plan(question):
        if question.ask == "choose_leader":
            return chooses({1: 3, 3: 3}, first_option)(question)
        return gives(returned, chooses(picks, first_option))(question)

    played = tribute(DOUBLE_DOWN, {1: "SA", 3: "DA", **returned}, rules, plan)
    assert played.paid == {wanted: 0, 4 - wanted: 2}
    assert played.returned == {2: 1, 0: 3}
    assert played.leader == 3


def test_v31_payers_who_do_not_agree_get_what_the_other_texts_say():
    rules = load("freecard_531_bo3")
    played = tribute(DOUBLE_DOWN, {1: "SA", 3: "DA"}, rules, chooses({0: 3, 1: 0, 3: 0}, first_option))
    assert played.paid == {1: 2, 3: 0}
    assert played.returned == {0: 3, 2: 1}
    assert [ask for _, ask, _ in played.asked].count("choose_leader") == 2
    disagreeing = tribute(DOUBLE_DOWN, {1: "SA", 3: "DA"}, rules, chooses({0: 3, 1: 1, 3: 3}, first_option))
    assert disagreeing.leader == 3


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("standard", {"ST"}),
        ("elim40_531", {"ST"}),
        ("huaian_2017", {"SJ", "ST", "S5"}),
        ("folk_any_return", {"SJ", "ST", "S5"}),
        ("yangzhou", {"SJ", "ST", "S5"}),
    ],
)
def test_v32_what_may_be_returned_to_an_opponent(name, allowed):
    rules = load(name)
    deal, _ = after(SINGLE, {3: "SA", 0: "SJ ST S5"}, rules, level=Rank.FIVE)
    deal, _ = deals.apply(deal, 3, Give(Card.parse("SA")), rules)
    (question,) = deals.questions(deal, rules)
    assert {"SJ", "ST", "S5"} & set(map(str, question.options)) == allowed
    for text in {"SJ", "S5"} - allowed:
        with pytest.raises(IllegalAction, match="may not be returned"):
            deals.check(deal, 0, Give(Card.parse(text)), rules)


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("standard", set()),
        ("huaian_2017", set()),
        ("canmou_tournament", {"SJ", "SA"}),
        ("folk_any_return", {"SJ", "SA", "S5", "HR"}),
    ],
)
def test_v33_what_may_be_returned_to_the_partner(name, allowed):
    rules = load(name)
    deal, _ = after(PARTNER_LAST, {2: "SA DA", 0: "SJ SA S5 HR"}, rules, level=Rank.FIVE)
    deal, events = deals.apply(deal, 2, Give(Card.parse("DA")), rules)
    assert events == (TributePaid(2, 0, Card.parse("DA")),)
    (question,) = deals.questions(deal, rules)
    assert {"SJ", "SA", "S5", "HR"} & set(map(str, question.options)) == allowed


def test_v34_a_receiver_without_small_cards_returns_its_lowest():
    hand = Hand.parse("SJ DJ SQ SQ SK SA SB HR")
    for name in ("standard", "openguandan", "elim40_531"):
        rules = load(name)
        assert set(map(str, returnable(hand, Rank.TWO, to_partner=False, rules=rules))) == {"SJ", "DJ"}
        jacks_are_level = returnable(hand, Rank.JACK, to_partner=False, rules=rules)
        assert set(map(str, jacks_are_level)) == {"SQ"}
