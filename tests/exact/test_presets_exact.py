"""Whole matches of every preset at a table: each replay verifies and keeps what its rule set says.

300 matches of each preset with GUANDAN_EXACT=1, else a few. Two seats in three play by chance or greedily and think for
less than a second, so that matches are passed; the third kind is so slow that time ends what time can end.
"""

from __future__ import annotations

import os
import random

import pytest

from guandan_engine.actions import Ask
from guandan_engine.cards import BIG_JOKER, DECK, Hand, Rank, order_key
from guandan_engine.clock import Clocks
from guandan_engine.events import (
    DealStarted,
    DealVoided,
    Finished,
    LegEnded,
    MatchEnd,
    MatchEnded,
)
from guandan_engine.exchange import AskSeat, Tell
from guandan_engine.replay import verify, write
from guandan_engine.rules import load, presets
from tests.dealing import Night, any_legal, play_out, thrifty

MATCHES = 300 if os.environ.get("GUANDAN_EXACT") == "1" else 3
PATIENT = Clocks(move_ms=60_000)
MINUTE = 60_000


def quick(mind):
    return lambda request, rng: (mind(request, rng)[0], rng.randrange(800))


def slow(request, rng):
    return any_legal(request, rng)[0], rng.randrange(10_000)


MINDS = (quick(any_legal), quick(thrifty), slow)


@pytest.mark.parametrize("name", presets())
def test_every_match_of_a_preset_keeps_its_rules_and_verifies(name):
    rules = load(name)
    for seed in range(MATCHES):
        night = Night(seed, rules)
        table = night.classic(clocks=PATIENT)
        effects = play_out(table, MINDS[seed % len(MINDS)], random.Random(seed))
        data = write(night.header(table), table.log, secrets=night.secrets(table))
        assert verify(data, secret=night.secret).records == tuple(table.log)
        _nobody_who_is_out_is_asked(effects)
        _Check(rules).follow(table.log)


def _nobody_who_is_out_is_asked(effects):
    finished = set()
    for effect in effects:
        if isinstance(effect, Tell) and isinstance(effect.record.event, DealStarted):
            finished = set()
        elif isinstance(effect, Tell) and isinstance(effect.record.event, Finished):
            finished.add(effect.record.event.seat)
        elif isinstance(effect, AskSeat) and effect.request.question.ask is Ask.PLAY:
            assert effect.seat not in finished


class _Check:
    """What a log must keep, told again without the engine's own functions."""

    def __init__(self, rules):
        self.rules = rules
        self.hands = []
        self.laid = []
        self.level = Rank.TWO
        self.levels = None
        self.elapsed = 0
        self.deals = 0
        self.order = ()
        self.paid = {}
        self.passed = None

    def follow(self, log):
        for record in log:
            self.elapsed += record.ms
            step = getattr(self, f"_{type(record.event).__name__.lower()}", None)
            if step:
                step(record.event)
        assert isinstance(log[-1].event, MatchEnded)

    def _dealstarted(self, event):
        self.hands, self.laid, self.paid = list(event.hands), [], {}
        self.level, self.levels, self.order = event.level, event.levels, event.order
        if self.rules.fixed_level is not None:
            assert event.level is self.rules.fixed_level
        elif event.order:
            assert event.level is event.levels[event.order[0] % 2]
        owes = event.order and self.rules.tribute
        assert (event.leader is None) is bool(owes)

    def _payers(self):
        double = self.order[0] % 2 == self.order[1] % 2
        return self.order[2:] if double else self.order[3:]

    def _antitribute(self, event):
        assert sum(self.hands[seat].count(BIG_JOKER) for seat in event.seats) == 2
        assert set(event.seats) <= set(self._payers())

    def _tributepaid(self, event):
        held = [card for card in self.hands[event.seat] if not card.is_wild(self.level)]
        assert event.seat in self._payers()
        assert self._strength(event.card) == max(map(self._strength, held))
        big = sum(self.hands[seat].count(BIG_JOKER) for seat in self._payers())
        assert big < 2 or self.rules.anti_mode == "optional" or self.paid
        self._move(event)
        self.paid[event.seat] = event

    def _tributereturned(self, event):
        assert event.seat in self.order[: len(self.paid)]
        to_partner = (event.seat - event.to) % 2 == 0
        limit = self.rules.return_max_partner if to_partner else self.rules.return_max_opponent
        allowed = [card for card in self.hands[event.seat] if self._may_return(card, limit)]
        assert event.card in allowed or not allowed
        if not allowed and self.rules.return_fallback == "lowest":
            assert self._strength(event.card) == min(map(self._strength, self.hands[event.seat]))
        self._move(event)

    def _may_return(self, card, limit):
        if limit == "any":
            return True
        if limit == "below_level":
            return not card.is_joker and card.rank != self.level
        return card.rank <= limit - 2 and (self.rules.return_level_card or card.rank != self.level)

    def _strength(self, card):
        return order_key(card.rank, self.level)

    def _move(self, event):
        card = Hand.of((event.card,))
        self.hands[event.seat] = self.hands[event.seat].minus(card)
        self.hands[event.to] = self.hands[event.to].plus(card)

    def _played(self, event):
        self.hands[event.seat] = self.hands[event.seat].minus(Hand.of(event.play.cards))
        self.laid += event.play.cards

    def _conserved(self, event):
        assert tuple(self.hands) == event.hands
        assert sorted([*self.laid, *(card for hand in event.hands for card in hand)]) == list(DECK)

    def _dealvoided(self, event):
        self._conserved(event)
        assert event.levels == self.levels
        assert self.rules.time_cut == "void_deal"
        assert self.elapsed >= self.rules.end_minutes * MINUTE

    def _dealended(self, event):
        self._conserved(event)
        for before, now in zip(self.levels, event.levels, strict=True):
            assert now <= self.rules.final_level
            assert not any(before < stop < now for stop in self.rules.must_play)
        if self.rules.unit == "points":
            assert event.levels == self.levels
        own = not self.rules.a_owner_only or (bool(self.order) and self.order[0] % 2 == event.side)
        place = event.order.index((event.order[0] + 2) % 4) + 1
        worst = {"second_only": 2, "not_last": 3, "any_first": 4}[self.rules.a_pass]
        at_final = self.levels[event.side] is self.rules.final_level
        self.passed = event.side if own and at_final and place <= worst else None
        self.deals += 1
        if self.rules.time_cut == "void_deal":
            assert self.elapsed < self.rules.end_minutes * MINUTE

    def _legended(self, event):
        self._ended(event.side, event.reason)
        self.elapsed, self.deals, self.passed = 0, 0, None
        assert self.rules.best_of == 3

    def _matchended(self, event):
        if self.rules.best_of == 1:
            self._ended(event.side, event.reason)

    def _ended(self, side, reason):
        rules = self.rules
        if reason is MatchEnd.PASSED_FINAL:
            assert "final" in rules.end_on
            assert self.passed == side
        elif reason is MatchEnd.TIME_UP:
            assert "time" in rules.end_on
            assert self.elapsed >= rules.end_minutes * MINUTE
        elif reason is MatchEnd.DEAL_LIMIT:
            assert self.deals == rules.end_deals or self.deals >= 200
        else:
            assert reason is MatchEnd.EXTRA_DEAL
            assert "extra_deal" in rules.tie_break


@pytest.mark.parametrize("name", [name for name in presets() if "time" in load(name).end_on])
def test_time_ends_matches_of_slow_seats(name):
    table = Night(2, load(name)).classic(clocks=PATIENT)
    play_out(table, slow, random.Random(2))
    assert table.log[-1].event.reason in (MatchEnd.TIME_UP, MatchEnd.EXTRA_DEAL)
    assert sum(isinstance(record.event, DealVoided) for record in table.log) == (name == "library_shift3")


def test_both_legs_of_a_meeting_are_told():
    table = Night(1, load("freecard_531_bo3")).classic(clocks=PATIENT)
    play_out(table, MINDS[1], random.Random(1))
    legs = [record.event for record in table.log if isinstance(record.event, LegEnded)]
    assert len(legs) in (2, 3)
    assert max(legs[-1].wins) == 2
