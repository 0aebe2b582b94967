"""A referee's rulings at a running table: what each costs, and which are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guandan_engine.cards import Rank
from guandan_engine.conduct import Offence, Sanction
from guandan_engine.events import DealEnded, DealStarted, MatchEnd, MatchEnded, Passed
from guandan_engine.exchange import Answer, Over, RulingRefused
from guandan_engine.replay import verify
from guandan_engine.rules import load
from tests.dealing import STANDARD
from tests.umpiring import HURRIED, at_tribute, events_of, lay, replay_of, ruling, sanctions, seated, table_of, wired

SECOND = 1_000


def test_the_same_ruling_comes_to_effect_once():
    table = table_of(STANDARD)
    seated(table)
    made = ruling(1, sanction=Sanction.WARN)
    table.ruled(made, 0)
    assert table.ruled(made, 5) == ()
    assert len(sanctions(events_of(table))) == 1


def test_a_ruling_on_the_seat_that_is_asked_passes_it_over_at_once():
    table = table_of(STANDARD)
    ask = seated(table)
    ask = wired(table, table.answered(ask.seat, ask.request.id, Answer(0), 0), 0)
    effects = table.ruled(ruling(ask.seat, sanction=Sanction.SKIP_LAP, reason="talks"), 7_000)
    passed = table.log[-1]
    assert (passed.event, passed.ms) == (Passed(ask.seat), 7_000)
    assert wired(table, effects, 7_000).seat == (ask.seat + 1) % 4


def test_exposed_cards_are_led_first_and_one_by_one():
    rules = load("library_shift3")
    table = table_of(rules)
    ask = seated(table)
    held = tuple(table.view(ask.seat).hand)
    shown = (held[5], held[9])
    again = wired(table, table.ruled(ruling(ask.seat, Offence.EXPOSED, cards=shown), 0), 0)
    assert again.seat == ask.seat
    assert {option.rank for option in again.request.question.options} == {card.rank for card in shown}
    assert table.view(ask.seat).exposed[ask.seat] == tuple(sorted(shown))
    (refused,) = table.answered(again.seat, again.request.id, Answer(lay(str(held[0]))), 0)
    assert refused.refusal.code == "exposed_first"
    table.answered(again.seat, again.request.id, Answer(0), 0)
    assert events_of(table)[-1].play.cards[0] in shown
    assert len(table.view(None).exposed[ask.seat]) == 1


def test_an_exposed_card_that_is_given_away_need_not_be_led():
    rules = replace(STANDARD, exposed_card="lead_singly", out_of_turn="warn_or_exposed")
    table, (ask,) = at_tribute(rules, payers=1)
    card = ask.request.question.options[0]
    table.ruled(ruling(ask.seat, Offence.EXPOSED, cards=(card,)), 0)
    assert table.view(ask.seat).exposed[ask.seat] == (card,)
    table.answered(ask.seat, ask.request.id, Answer(0), 0)
    assert table.view(None).exposed[ask.seat] == ()
    while not table.ended:
        table.tick(table.deadline_ms)
    verify(replay_of(table))


def test_a_sanction_on_another_leaves_the_clock_of_the_seat_with_exposed_cards_alone():
    table = table_of(load("library_shift3"))
    ask = seated(table)
    shown = tuple(table.view(ask.seat).hand)[:1]
    again = wired(table, table.ruled(ruling(ask.seat, Offence.EXPOSED, cards=shown), 0), 0)
    assert table.ruled(ruling((ask.seat + 1) % 4), 10 * SECOND)
    table.tick(30 * SECOND)
    table.answered(again.seat, again.request.id, Answer(0), 40 * SECOND)
    assert table.log[-1].ms == 40 * SECOND
    assert [cost for _, offence, cost in sanctions(events_of(table)) if offence == "slow"] == ["warn"]


@pytest.mark.parametrize(
    ("sanction", "reason"), [(Sanction.LOSE_MATCH, MatchEnd.FORFEITED), (Sanction.BAN, MatchEnd.DISQUALIFIED)]
)
def test_a_lost_match_ends_the_table_for_the_other_side(sanction, reason):
    table = table_of(STANDARD, deals=4)
    seated(table)
    effects = table.ruled(ruling(2, sanction=sanction), 0)
    assert isinstance(effects[-1], Over)
    told, ended, end = events_of(table)[1:]
    assert isinstance(ended, DealEnded)
    assert isinstance(end, MatchEnded)
    assert (told.sanction, end.side, end.reason) == (sanction, 1, reason)
    verify(replay_of(table))


def test_a_lost_deal_is_followed_by_tribute_a_foul_under_the_standard_rules_is_not():
    for sanction, leads in ((Sanction.LOSE_DEAL, False), (Sanction.FOUL, True)):
        table = table_of(STANDARD, deals=4)
        seated(table)
        table.ruled(ruling(2, sanction=sanction), 0)
        second = [event for event in events_of(table) if isinstance(event, DealStarted)][1]
        assert (second.leader is not None) is leads
        assert second.levels == (Rank.TWO, Rank.FIVE)


def test_levels_moved_by_a_ruling_stay_moved_and_never_pass_the_final_level():
    table = table_of(STANDARD, deals=2)
    seated(table)
    table.ruled(ruling(0, sanction=Sanction.LEVEL_TO_OPPONENTS, amount=20), 0)
    assert events_of(table)[-1].levels == (Rank.TWO, Rank.ACE)
    table.ruled(ruling(0, Offence.SIGNAL, sanction=Sanction.LOSE_DEAL), 0)
    deals = [event for event in events_of(table) if isinstance(event, DealStarted)]
    assert deals[1].levels == (Rank.TWO, Rank.ACE)
    assert not table.ended


def test_on_a_board_levels_are_points():
    table = table_of(STANDARD)
    seated(table)
    table.ruled(ruling(1, sanction=Sanction.LOSE_LEVEL, amount=2), 0)
    table.ruled(ruling(1, Offence.SIGNAL, sanction=Sanction.LOSE_DEAL), 0)
    assert table.result.points == (3, -2)
    verify(replay_of(table))


def test_a_deal_lost_while_tributes_are_sealed_takes_their_time_back():
    table, asks = at_tribute(STANDARD, payers=2, clocks=HURRIED)
    table.answered(asks[0].seat, asks[0].request.id, Answer(0), 900)
    table.ruled(ruling(0, sanction=Sanction.LOSE_DEAL), 1_000)
    while not table.ended:
        table.tick(table.deadline_ms)
    verify(replay_of(table))


@pytest.mark.parametrize("code", ["not_playing", "not_held", "no_fault", "no_cards"])
def test_a_ruling_that_cannot_be_is_refused_and_may_be_made_again(code):
    table = table_of(load("library_shift3"))
    if code != "not_playing":
        seated(table)
    made = {
        "not_playing": ruling(0),
        "not_held": ruling(0, Offence.EXPOSED, cards=lay("S3 S3 S3").cards),
        "no_fault": ruling(0, Offence.UNANNOUNCED),
        "no_cards": ruling(0, Offence.EXPOSED),
    }[code]
    (refused,) = table.ruled(made, 0)
    assert isinstance(refused, RulingRefused)
    assert (refused.ruling_id, refused.code) == (made.id, code)
    assert refused.hint
    assert sanctions(events_of(table)) == []
