"""A state of the kernel plays a deal exactly as the readable engine does, under every rule set."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from guandan_engine import deal as deals
from guandan_engine import shuffle
from guandan_engine.cards import DECK, Hand, Rank
from guandan_engine.combos import ALL_COMBOS, Combo, Kind, combo
from guandan_engine.conduct import action_of as answer
from guandan_engine.dealing import Dealt
from guandan_engine.errors import EngineError, IllegalAction
from guandan_engine.kernel import (
    ACTION_COUNT,
    ACTIONS,
    PASS,
    State,
    action_of,
    combo_of,
    position,
    random_state,
    state_of,
)
from guandan_engine.plays import cards_of
from guandan_engine.promotion import gain_of
from guandan_engine.rules import RuleSet, load, presets
from tests.rule_values import combination_variants

RULES = load("standard")
ANY_RULES = {name: load(name) for name in presets()} | combination_variants(RULES)


@pytest.mark.parametrize("rules", ANY_RULES.values(), ids=ANY_RULES)
def test_a_state_and_a_deal_go_the_same_way(rules: RuleSet) -> None:
    rng = random.Random(rules.name)
    for number in range(2):
        deal, _ = deals.start(Dealt(shuffle.shuffle(bytes([number]))), Rank(rng.randrange(13)), rules, leader=number)
        state = state_of(deal, rules)
        while not deal.ended:
            (question,) = deals.questions(deal, rules)
            same_moment(state, deal, question, rules)
            option = rng.choice(question.options)
            deal, _ = deals.apply(deal, question.seat, answer(option, deal.hands[question.seat], deal.level), rules)
            state.play(option)
        assert state.over
        assert state.order == deal.result.order
        assert tuple(map(state.hand, range(4))) == deal.hands
        side = deal.result.side
        assert (state.points[side], state.points[1 - side]) == (gain_of(state.order, rules), 0)
        assert state.legal() == state.legal_actions() == []


def same_moment(state: State, deal, question, rules: RuleSet) -> None:
    """The state shows what the deal shows, and one made of the deal anew would go on as it does."""
    assert state.turn == question.seat
    assert state.legal() == list(question.options)
    assert list(map(combo_of, state.legal_actions())) == list(question.options)
    assert (state.owner, state.passes, state.finished) == (deal.trick.owner, deal.trick.passes, deal.trick.finished)
    assert state.to_beat is deal.trick.combo
    assert tuple(map(state.hand, range(4))) == deal.hands
    assert list(state_of(deal, rules).words) == list(state.words)


@pytest.mark.parametrize("rules", ANY_RULES.values(), ids=ANY_RULES)
def test_the_cards_a_play_takes_are_those_that_cards_of_picks(rules: RuleSet) -> None:
    for seed in range(3):
        state = random_state(seed, rules)
        hand = state.hand(state.turn)
        for play in state.legal():
            after = state.clone()
            after.play(play)
            assert after.hand(state.turn) == hand.minus(Hand.of(cards_of(play, hand, state.level))), (play, hand)


def test_a_clone_goes_its_own_way() -> None:
    state = random_state(1, RULES)
    before = list(state.words)
    clone = state.clone()
    clone.play(clone.legal()[0])
    assert list(state.words) == before
    assert clone.counts != state.counts


def test_chosen_cards_may_be_laid_instead_of_those_picked() -> None:
    hands = [Hand.parse(text) for text in ("S9 D9 C9", "S3", "S4", "S5")]
    state = position(hands, 0, Rank.TWO, RULES)
    state.lay(combo(Kind.PAIR, Rank.NINE), Hand.parse("D9 C9"))
    assert str(state.hand(0)) == "S9"
    assert state.laid.count(next(iter(Hand.parse("D9")))) == 2  # nobody held the other copy


def refused(state: State, *, code: str, **kwargs) -> None:
    before = list(state.words)
    with pytest.raises(IllegalAction) as caught:
        state.lay(**kwargs) if "cards" in kwargs else state.apply(**kwargs)
    assert caught.value.code == code
    assert list(state.words) == before


def test_what_is_not_legal_is_refused_and_changes_nothing() -> None:
    state = position([Hand.parse(text) for text in ("S9 D9", "S3", "ST HT", "S5")], 0, Rank.TWO, RULES)
    refused(state, action=PASS, code="must_lead")
    pair = action_of(combo(Kind.PAIR, Rank.TEN))
    for action in (pair, -1, ACTION_COUNT, 10**30, -(10**30)):
        refused(state, action=action, code="not_legal")
    nines = combo(Kind.PAIR, Rank.NINE)
    for cards in ("S9", "S9 D9 C9", "S9 C9", ""):
        refused(state, combo=nines, cards=Hand.parse(cards), code="not_held")
    state.play(nines)
    state.play(None)
    state.play(combo(Kind.PAIR, Rank.TEN))
    assert state.order == (0, 2, 1, 3)
    for action in (PASS, pair):
        refused(state, action=action, code="deal_over")


HANDS = [Hand.parse(text) for text in ("S9", "S3", "S4", "S5")]


@pytest.mark.parametrize(
    "change",
    [
        {"turn": 4},
        {"turn": -1},
        {"hands": HANDS[:3]},
        {"hands": [*HANDS[:3], Hand()]},
        {"hands": [*HANDS[:3], Hand.parse("S9 S9")]},
        {"hands": [HANDS[0], Hand(), HANDS[2], Hand()], "finished": (1, 3)},
        {"finished": (0,)},
        {"hands": [Hand(), *HANDS[1:]], "finished": (0,)},
        {"to_beat": combo(Kind.SINGLE, Rank.TEN)},
        {"owner": 1},
        {"owner": 0, "to_beat": combo(Kind.SINGLE, Rank.TEN)},
        {"owner": 1, "to_beat": combo(Kind.SINGLE, Rank.TEN), "passes": 3},
        {"passes": 1},
        {"level": Rank.SMALL_JOKER},
        {"laid": Hand.parse("S9 S9")},
    ],
)
def test_a_moment_that_no_deal_comes_to_is_refused(change) -> None:
    with pytest.raises(EngineError):
        position(**{"hands": HANDS, "turn": 0, "level": Rank.TWO, "rules": RULES} | change)


def test_only_a_deal_in_play_makes_a_state() -> None:
    deal, _ = deals.start(Dealt(shuffle.shuffle(b"1")), Rank.TWO, RULES, leader=0)
    with pytest.raises(EngineError):
        state_of(replace(deal, phase=deals.Phase.ENDED), RULES)


def test_every_combo_has_a_number_of_its_own_for_good() -> None:
    assert ACTIONS[0] is None
    assert ACTIONS[1 : 1 + len(ALL_COMBOS)] == ALL_COMBOS
    assert [action_of(one) for one in ACTIONS] == list(range(ACTION_COUNT))
    assert all(combo_of(number) is one for number, one in enumerate(ACTIONS))
    assert action_of(Combo(Kind.SINGLE, Rank.TEN, 1)) == action_of(combo(Kind.SINGLE, Rank.TEN))


@pytest.mark.parametrize("action", [-1, ACTION_COUNT, 10**30])
def test_a_number_without_a_combo_is_refused(action: int) -> None:
    with pytest.raises(EngineError):
        combo_of(action)


def test_a_random_deal_is_the_whole_deck_and_follows_from_its_seed() -> None:
    for seed in (0, 7, -1, 2**64 - 1):
        state, again = random_state(seed, RULES), random_state(seed, RULES)
        assert sorted(card for seat in range(4) for card in state.hand(seat)) == list(DECK)
        assert list(state.words) == list(again.words)
        assert random_state(seed, RULES, level=Rank.ACE).level is Rank.ACE
    assert len({random_state(seed, RULES).hand(0) for seed in range(100)}) == 100
    assert {random_state(seed, RULES).level for seed in range(300)} == set(tuple(Rank)[:13])
    assert {random_state(seed, RULES).turn for seed in range(50)} == {0, 1, 2, 3}
