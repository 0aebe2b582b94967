"""Possible worlds: the true one is always among them, every drawn one fits, and each is as likely as the others."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise, permutations

import pytest

from guandan_engine.board import Hands
from guandan_engine.cards import BIG_JOKER, Card, Hand, Rank
from guandan_engine.errors import EngineError
from guandan_engine.events import (
    AntiTribute,
    DealEnded,
    DealStarted,
    DealVoided,
    Event,
    Passed,
    Played,
    TributePaid,
    TributeReturned,
)
from guandan_engine.knowledge import Held, Knowledge, knowledge_of
from guandan_engine.plays import rank_strength
from guandan_engine.rules import RuleSet, load
from guandan_engine.view import SeatView, cut, fold
from guandan_engine.worlds import Worlds, determinize, state_in
from tests.dealing import Mind, Night, any_legal, play_out, unruly

PRESETS = ("standard", "openguandan", "digest_004", "maanshan", "yangzhou", "anhui_jianzhu_2017", "huaian_2017")
Moment = tuple[SeatView, list[Event], Hands]


def moments(rules: RuleSet, seed: int, seat: int | None, *, deals: int = 3, mind: Mind = any_legal) -> Iterator[Moment]:
    """Every moment of a random match as a seat sees it, with its events since the cards were dealt and the truth."""
    table = Night(seed, rules).classic(deal_limit=deals)
    play_out(table, mind, random.Random(seed))
    view, seen, hands = SeatView(seat, rules), [], [Hand()] * 4
    for record in table.log:
        event = cut(record.event, seat)
        seen = [event] if isinstance(event, DealStarted) else [*seen, event]
        view = fold(view, event)
        _move(hands, record.event)
        if view.deal:
            yield view, seen, (hands[0], hands[1], hands[2], hands[3])


def _move(hands: list[Hand], event: Event) -> None:
    if isinstance(event, DealStarted | DealEnded | DealVoided):
        hands[:] = event.hands
    elif isinstance(event, Played):
        hands[event.seat] = hands[event.seat].minus(Hand.of(event.play.cards))
    elif isinstance(event, TributePaid | TributeReturned):
        hands[event.seat] = hands[event.seat].minus(Hand.of((event.card,)))
        hands[event.to] = hands[event.to].plus(Hand.of((event.card,)))


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seat", [0, 3])
def test_the_true_hands_and_every_drawn_world_fit_what_is_known(preset: str, seat: int) -> None:
    paid = 0
    for number, (view, seen, truth) in enumerate(moments(load(preset), 5 + seat, seat)):
        known = knowledge_of(view, seen)
        assert known.allows(truth), seen[-1]
        paid += isinstance(seen[-1], TributePaid)
        if number % 9 == 0:
            world = Worlds(known).draw(number)
            assert known.allows(world)
            _check_by_hand(view, seen, world)
    assert paid or not load(preset).tribute


@pytest.mark.parametrize(("preset", "seed"), [("digest_004", 2), ("maanshan", 1)])
def test_of_two_payers_the_second_still_holds_what_it_will_pay_and_sanctions_change_nothing(
    preset: str, seed: int
) -> None:
    for view, seen, truth in moments(load(preset), seed, 1, mind=unruly):
        assert knowledge_of(view, seen).allows(truth), seen[-1]


def _check_by_hand(view: SeatView, seen: list[Event], world: Hands) -> None:
    """Say again, in the plainest way, what a world must keep to: whole deck, own hand, sizes, tribute, exposed."""
    if any(isinstance(event, DealEnded | DealVoided) for event in seen):
        return
    shown = [card for event in seen if isinstance(event, Played) for card in event.play.cards]
    assert sorted([*shown, *(card for hand in world for card in hand)]) == sorted([*deck_of_faces()])
    assert world[view.seat] == view.hand
    for seat, count in enumerate(view.counts):
        assert count is None or len(world[seat]) == count
    for seat, cards in enumerate(view.exposed):
        assert Hand.of(cards) <= world[seat]
    for event in seen:
        if isinstance(event, TributePaid):
            gone = Counter(c for e in seen if isinstance(e, Played) and e.seat == event.to for c in e.play.cards)
            given = {e.card for e in seen if isinstance(e, TributeReturned) and e.seat == event.to}
            assert gone[event.card] or event.card in given or event.card in world[event.to]
            back = Counter(e.card for e in seen if isinstance(e, TributeReturned) and e.to == event.seat)
            most = rank_strength(event.card.rank, view.rules, view.level)
            for card in set(world[event.seat]):
                higher = rank_strength(card.rank, view.rules, view.level) > most and not card.is_wild(view.level)
                assert not higher or event.seat == view.seat or world[event.seat].count(card) <= back[card]


def deck_of_faces() -> list[Card]:
    return [card for index in range(54) for card in (Card(index), Card(index))]


def test_a_spectator_and_a_finished_deal_have_worlds_too() -> None:
    for number, (view, seen, truth) in enumerate(moments(load("standard"), 2, None, deals=1)):
        if number % 20 == 0 or view.result:
            assert knowledge_of(view, seen).allows(truth)
            world = determinize(view, number)
            assert sum(map(len, world)) == sum(map(len, truth))
    assert view.result is not None
    assert world == truth


def test_a_seed_gives_one_world_and_another_seed_another() -> None:
    view, seen, _ = next(moments(load("standard"), 1, 0))
    assert determinize(view, 4, events=seen) == determinize(view, 4, events=seen) == determinize(view, 4)
    assert determinize(view, 4) != determinize(view, 5)


def test_the_moment_of_a_view_can_be_played_on_in_each_of_its_worlds() -> None:
    played = list(moments(load("standard"), 3, 2, deals=1))
    asked = [now for now, (_, later, _) in pairwise(played) if isinstance(later[-1], Played | Passed)]
    for number, (view, seen, truth) in enumerate(asked[::5]):
        state = state_in(truth, view)
        assert (state.turn, state.finished, state.level) == (view.turn, view.finished, view.level)
        assert state.to_beat == (view.to_beat and view.to_beat.combo)
        assert state_in(determinize(view, number, events=seen), view).counts == tuple(map(len, truth))
    with pytest.raises(EngineError, match="nobody is to play"):
        state_in(truth, played[-1][0])


def test_a_view_that_has_forgotten_plays_says_so() -> None:
    later = [view for view, _, _ in moments(load("standard"), 1, 0, deals=1)][40]
    with pytest.raises(EngineError, match=r"memory\.events"):
        determinize(later, 1)


@pytest.mark.parametrize("seat", [0, 1])
def test_events_that_miss_a_play_of_a_known_hand_are_refused(seat: int) -> None:
    view, seen, _ = list(moments(load("openguandan"), 1, 0, deals=1))[40]
    played = next(event for event in seen if isinstance(event, Played) and event.seat == seat)
    with pytest.raises(EngineError, match="do not account"):
        determinize(view, 1, events=[event for event in seen if event is not played])


def held(count: int, known: str = "", barred: str = "") -> Held:
    return Held(count, Hand.parse(known), frozenset(map(Card.parse, barred.split())))


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Hand.parse(text))


ENDINGS = [
    Knowledge((held(2, "S2 H2"), held(2), held(1), held(1)), cards("S3 S4 S4 C5")),
    Knowledge(
        (held(1, "S2"), held(2, barred="C5"), held(2, "SB"), held(1, barred="S3")),
        cards("S3 S3 H4 C5"),
    ),
    Knowledge((held(0), held(0), held(2, barred="HR SB"), held(3)), cards("S3 C3 C3 SB HR")),
]


def enumerated(known: Knowledge) -> Counter[Hands]:
    """All ways to hand out the loose cards, copies told apart, that fit: each world with its number of ways."""
    slots = [seat for seat, one in enumerate(known.hands) for _ in range(one.open)]
    ways: Counter[Hands] = Counter()
    for owners in set(permutations(slots)):
        hands = [one.known for one in known.hands]
        for card, seat in zip(known.loose, owners, strict=True):
            hands[seat] = hands[seat].plus(Hand.of((card,)))
        world = (hands[0], hands[1], hands[2], hands[3])
        if known.allows(world):
            ways[world] += 1
    return ways


@pytest.mark.parametrize("known", ENDINGS)
def test_worlds_of_a_small_ending_are_those_of_an_enumeration_as_often_as_there(known: Knowledge) -> None:
    expected, draws = enumerated(known), 3000
    worlds = Worlds(known)
    assert worlds.count == sum(expected.values())
    drawn = Counter(worlds.draw(seed) for seed in range(draws))
    assert set(drawn) == set(expected)
    for world, ways in expected.items():
        assert drawn[world] / draws == pytest.approx(ways / worlds.count, abs=0.04)


def test_big_jokers_that_were_shown_lie_with_the_payers() -> None:
    found = 0
    for seed in range(40):
        for view, seen, truth in moments(load("standard"), seed, 0, deals=2):
            if isinstance(seen[-1], AntiTribute) and 0 not in seen[-1].seats:
                found += 1
                world = determinize(view, seed, events=seen)
                assert [hand.count(BIG_JOKER) for hand in world] == [hand.count(BIG_JOKER) for hand in truth]
        if found:
            return
    pytest.fail("no deal without tribute in forty matches")


def test_contradictions_are_refused() -> None:
    known = Knowledge((held(1, barred="S3"), held(0), held(0), held(0)), (Card.parse("S3"),))
    with pytest.raises(EngineError, match="contradict"):
        Worlds(known)


def test_a_payer_of_a_nine_holds_nothing_higher_but_wilds() -> None:
    rules = load("standard")
    for view, seen, _ in moments(rules, 7, 0, deals=3):
        paid = next((event for event in seen if isinstance(event, TributePaid) and event.seat != 0), None)
        if paid is not None:
            top = rank_strength(paid.card.rank, rules, view.level)
            barred = knowledge_of(view, seen).hands[paid.seat].barred
            assert barred >= {c for c in map(Card, range(54)) if _higher(c, top, view.level, rules)}
            return
    pytest.fail("nobody else paid")


def _higher(card: Card, top: int, level: Rank, rules: RuleSet) -> bool:
    return rank_strength(card.rank, rules, level) > top and not card.is_wild(level)
