"""The ladder of what faults cost, announcing, the times of the rules, and what sanctions do to a match."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guandan_engine.actions import Ask, Pass
from guandan_engine.cards import Rank
from guandan_engine.conduct import Ledger, Offence, Sanction, umpire
from guandan_engine.conduct.announcing import hears, owes, silence
from guandan_engine.conduct.appeals import Terms, terms
from guandan_engine.conduct.ledger import booked, next_deal, next_rung, violation
from guandan_engine.conduct.offences import OFFENCE_WORDS, SANCTION_WORDS
from guandan_engine.conduct.pace import Stage, pace_of
from guandan_engine.conduct.penalties import lost_order
from guandan_engine.errors import IllegalAction
from guandan_engine.events import LeadPassed, MatchEnd, Passed
from guandan_engine.rules import load, presets
from tests.dealing import STANDARD
from tests.umpiring import eleven_each, lay, moment, ruling, sanctions

names = st.sampled_from(presets())
SECOND = 1_000


def costs(rules, *seats, least=Sanction.WARN):
    """What faults of these seats cost one after the other; "deal" begins another deal."""
    ledger, found = Ledger(), []
    for seat in seats:
        if seat == "deal":
            ledger = next_deal(ledger, rules)
            continue
        found.append(next_rung(ledger, seat, rules, least=least))
        ledger = booked(ledger, seat, Offence.OTHER, found[-1], rules)
    return [str(sanction) for sanction in found]


# The ladder


@pytest.mark.parametrize(
    ("name", "faults", "expected"),
    [
        ("standard", (1, 1, 1, 1), ["warn", "skip_lap", "foul", "foul"]),
        ("standard", (1, 3, "deal", 1), ["warn", "warn", "skip_lap"]),
        ("level_penalty", (1, 3), ["warn", "foul"]),
        ("level_penalty", (1, "deal", 3), ["warn", "warn"]),
        ("canmou_tournament", (0, 2, 0, 2), ["warn", "foul", "foul", "lose_match"]),
        ("anhui_jianzhu_2017", (0,) * 5, ["warn", "skip_turn", "lose_point", "lose_point", "ban"]),
        ("library_shift3", (0,) * 4, ["warn", "lose_level", "ban", "ban"]),
        ("digest_004", (0,) * 4, ["warn", "skip_lap", "lose_deal", "ban"]),
    ],
)
def test_faults_cost_more_as_the_preset_says(name, faults, expected):
    assert costs(load(name), *faults) == expected


def test_a_grave_fault_skips_the_milder_rungs():
    assert costs(load("canmou_tournament"), 0, 0, 0, least=Sanction.FOUL) == ["foul", "foul", "lose_match"]
    assert costs(load("standard"), 0, least=Sanction.LOSE_MATCH) == ["lose_match"]


def test_a_violation_is_the_ladders_own_or_a_lap():
    assert [violation(load(name)) for name in ("standard", "anhui_jianzhu_2017", "canmou_tournament")] == [
        "skip_lap",
        "skip_turn",
        "skip_lap",
    ]


def test_being_warned_for_slow_play_is_not_held_against_a_seat():
    assert booked(Ledger(), 0, Offence.SLOW, Sanction.WARN, STANDARD) == Ledger()
    assert booked(Ledger(), 0, Offence.SIGNAL, Sanction.WARN, STANDARD) != Ledger()


@pytest.mark.parametrize("name", presets())
def test_a_ladder_never_gets_milder(name):
    weights = [Sanction(sanction).weight for sanction in costs(load(name), *[2] * 8)]
    assert weights == sorted(weights)


def test_every_offence_and_sanction_has_its_words():
    assert set(OFFENCE_WORDS) == set(Offence)
    assert set(SANCTION_WORDS) == set(Sanction)
    assert all(en and zh for en, zh in (*OFFENCE_WORDS.values(), *SANCTION_WORDS.values()))


# Announcing


@pytest.mark.parametrize(
    ("name", "owing"),
    [
        ("standard", [10]),
        ("level_penalty", [6, 5, 4, 3, 2, 1]),
        ("anhui_shangmao", []),
        ("elim40_531", []),
        ("canmou_tournament", [10]),
        ("library_shift3", []),
    ],
)
def test_who_goes_down_card_by_card_owes_the_number_when_the_preset_says(name, owing):
    rules, told, found = load(name), False, []
    for left in range(26, -1, -1):
        if owes(left, told=told, rules=rules):
            found.append(left)
            told = True
    assert found == owing


@pytest.mark.parametrize(
    ("name", "left", "heard"),
    [
        ("anhui_shangmao", 6, True),
        ("anhui_shangmao", 7, False),
        ("elim40_531", 7, True),
        ("elim40_531", 8, False),
        ("canmou_tournament", 9, True),
        ("standard", 9, False),
        ("library_shift3", 9, False),
        ("openguandan", 26, True),
    ],
)
def test_where_players_may_ask_the_others_know(name, left, heard):
    assert hears(left, owed=False, said=False, rules=load(name)) is heard


def test_more_than_is_announced_is_not_told_even_when_it_is_said():
    assert not hears(11, owed=False, said=True, rules=STANDARD)
    assert hears(9, owed=False, said=True, rules=STANDARD)


@pytest.mark.parametrize(
    ("fault", "at_once", "again", "late", "out"),
    [
        ("none", None, None, None, None),
        ("skip_follow", "skip_turn", "skip_turn", "skip_turn", "skip_turn"),
        ("warn_then_skip_lap", "warn", "skip_lap", "warn", "warn"),
        ("replay_then_foul", "warn", "foul", "warn", "warn"),
        ("graded", "warn", "warn", "skip_lap", "foul"),
    ],
)
def test_silence_costs_what_the_rules_say(fault, at_once, again, late, out):
    rules = replace(STANDARD, announce_fault=fault)
    before = Ledger(silences=(1, 0, 0, 0))
    assert silence(Ledger(), 0, rules) == at_once
    assert silence(before, 0, rules) == again
    assert silence(Ledger(), 0, rules, late=True) == late
    assert silence(Ledger(), 0, rules, out_first=True) == out


# The times of the rules


@pytest.mark.parametrize(
    ("name", "ask", "warned", "over"),
    [
        ("standard", Ask.PLAY, 20, 30),
        ("huaian_2017", Ask.PLAY, 20, 30),
        ("huaian_2017", Ask.PAY, 15, 30),
        ("huaian_2017", Ask.RETURN, 30, 45),
        ("canmou_tournament", Ask.PLAY, 30, 45),
        ("canmou_tournament", Ask.PAY, None, None),
        ("canmou_tournament", Ask.RETURN, None, 40),
        ("elim40_531", Ask.PLAY, 25, 30),
        ("anhui_shangmao", Ask.PLAY, None, None),
        ("library_shift3", Ask.PLAY, 15, None),
        ("level_penalty", Ask.PLAY, 30, None),
        ("digest_004", Ask.PLAY, None, 30),
    ],
)
def test_each_preset_has_its_times(name, ask, warned, over):
    pace = pace_of(ask, load(name))
    in_ms = [None if seconds is None else seconds * SECOND for seconds in (warned, over)]
    assert [pace.warn_ms, pace.over_ms] == in_ms


def test_a_player_that_was_warned_late_has_its_time_all_the_same():
    pace = pace_of(Ask.PLAY, load("huaian_2017"))
    assert pace.over_after(20 * SECOND) == 30 * SECOND
    assert pace.over_after(30 * SECOND) == 40 * SECOND


def test_stages_follow_one_another():
    pace = pace_of(Ask.PLAY, STANDARD)
    assert [pace.stage(ms) for ms in (0, 19_999, 20_000, 29_999, 30_000)] == [
        Stage.IN_TIME,
        Stage.IN_TIME,
        Stage.WARNED,
        Stage.WARNED,
        Stage.OVER,
    ]


# What sanctions do


def imposed(sanction, sitting=None, rules=STANDARD, seat=1, **fields):
    before = sitting or moment(("S3 S4", "H3 H4", "C3 C4", "D3 D4"), levels=(Rank.FIVE, Rank.NINE), order=(1, 0, 2, 3))
    return umpire.rule(before, ruling(seat, sanction=sanction, **fields), rules)


@pytest.mark.parametrize(
    ("sanction", "amount", "levels"),
    [
        (Sanction.LEVEL_TO_OPPONENTS, 1, (Rank.SIX, Rank.NINE)),
        (Sanction.LEVEL_TO_OPPONENTS, 12, (Rank.ACE, Rank.NINE)),
        (Sanction.LOSE_LEVEL, 2, (Rank.FIVE, Rank.SEVEN)),
        (Sanction.LOSE_LEVEL, 12, (Rank.FIVE, Rank.TWO)),
    ],
)
def test_levels_move_neither_past_the_final_one_nor_below_two(sanction, amount, levels):
    after, (event,) = imposed(sanction, amount=amount)
    assert event.levels == levels
    assert after.deal.level == Rank.TWO


def test_a_side_that_a_ruling_lifted_to_the_final_level_has_not_passed_it_with_that_deal():
    at_king = moment(("S3", "H3 H4", "C3", "D3 D4"), level=Rank.KING, levels=(Rank.KING, Rank.TWO), order=(0, 2, 1, 3))
    lifted, (event,) = imposed(Sanction.LEVEL_TO_OPPONENTS, at_king)
    assert event.levels == (Rank.ACE, Rank.TWO)
    after, _ = umpire.act(lifted, 0, lay("S3"), STANDARD)
    for seat in (1, 2, 3):
        after, _ = umpire.act(after, seat, Pass(), STANDARD)
    after, events = umpire.act(after, 2, lay("C3"), STANDARD)
    assert after.match.ended is None
    assert events[-1].levels == (Rank.ACE, Rank.TWO)


def test_points_are_lost_where_levels_do_not_move():
    rules = load("anhui_jianzhu_2017")
    after, (event,) = imposed(Sanction.LOSE_POINT, rules=rules, amount=2)
    assert (after.match.points, after.match.leg.points, event.levels) == ((0, -2), (0, -2), None)


@pytest.mark.parametrize(
    ("finished", "loser", "order"),
    [
        ((), 1, (2, 0, 3, 1)),
        ((0,), 0, (1, 3, 0, 2)),
        ((3, 0), 3, (0, 2, 3, 1)),
        ((2, 1), 1, (2, 0, 1, 3)),
    ],
)
def test_who_came_out_keeps_the_order_within_its_side_when_a_deal_is_lost(finished, loser, order):
    hands = tuple("" if seat in finished else f"{suit}3 {suit}4" for seat, suit in enumerate("SHCD"))
    sitting = moment(hands, turn=next(seat for seat in range(4) if seat not in finished), finished=finished)
    assert lost_order(sitting.deal, loser) == order


def test_a_ban_and_a_lost_match_end_it_whatever_the_deal_would_have_brought():
    for sanction, reason in ((Sanction.BAN, MatchEnd.DISQUALIFIED), (Sanction.LOSE_MATCH, MatchEnd.FORFEITED)):
        after, events = imposed(sanction)
        assert (after.match.ended.side, after.match.ended.reason) == (0, reason)
        assert events[-1] == after.match.ended


def test_skipped_turns_are_turns_to_follow_and_end_when_they_are_used_up():
    rules = load("anhui_jianzhu_2017")
    sitting, _ = umpire.rule(eleven_each(), ruling(1, sanction=Sanction.SKIP_TURN, amount=1), rules)
    sitting, _ = umpire.act(sitting, 0, lay("S8"), rules)
    assert umpire.bars(sitting, 1)
    sitting, events = umpire.skip(sitting, 1, rules)
    assert events == (Passed(1),)
    assert sitting.ledger.skips == (0, 0, 0, 0)


def test_skipped_turns_do_not_take_the_lead_away():
    sitting, _ = umpire.rule(eleven_each(), ruling(0, sanction=Sanction.SKIP_TURN), STANDARD)
    assert not umpire.bars(sitting, 0)


def test_when_nobody_else_may_lead_the_lap_is_not_skipped():
    sitting = eleven_each()
    for seat in range(4):
        sitting, _ = umpire.rule(sitting, ruling(seat, sanction=Sanction.SKIP_LAP), STANDARD)
    assert not umpire.bars(sitting, 0)


def test_the_lead_passes_over_all_that_skip_the_lap():
    sitting = eleven_each()
    for seat in (0, 1):
        sitting, _ = umpire.rule(sitting, ruling(seat, sanction=Sanction.SKIP_LAP), STANDARD)
    sitting, events = umpire.skip(sitting, 0, STANDARD)
    assert events == (LeadPassed(0, 2),)
    assert sitting.deal.trick.turn == 2


def test_exposed_cards_bind_only_the_lead_and_are_forgotten_when_laid():
    rules = load("library_shift3")
    made = ruling(1, Offence.EXPOSED, cards=lay("H9 H3").cards)
    sitting, events = umpire.rule(eleven_each(), made, rules)
    assert sanctions(events) == [(1, "exposed", "warn")]
    sitting, _ = umpire.act(sitting, 0, lay("S8"), rules)
    sitting, _ = umpire.act(sitting, 1, lay("H9"), rules)
    assert sitting.ledger.exposed[1] == lay("H3").cards
    for seat in (2, 3, 0):
        sitting, _ = umpire.act(sitting, seat, Pass(), rules)
    with pytest.raises(IllegalAction) as caught:
        umpire.act(sitting, 1, lay("H4"), rules)
    assert caught.value.code == "exposed_first"
    sitting, _ = umpire.act(sitting, 1, lay("H3"), rules)
    assert sitting.ledger.exposed[1] == ()


def test_a_card_exposed_twice_is_one_card_and_two_copies_are_two():
    rules = load("library_shift3")
    sitting = moment(("S3 S4", "H3 H4 H4", "C3 C4", "D3 D4"))
    for cards in ("H4", "H4", "H4 H4", "H3"):
        sitting, _ = umpire.rule(sitting, ruling(1, Offence.EXPOSED, cards=lay(cards).cards), rules)
    assert sitting.ledger.exposed[1] == lay("H3 H4 H4").cards


@given(names, st.sampled_from(Sanction), st.integers(0, 3), st.integers(1, 12))
def test_every_sanction_can_be_imposed_under_every_preset_and_leaves_108_cards_alone(name, sanction, seat, amount):
    rules, before = load(name), eleven_each(levels=(Rank.FIVE, Rank.FIVE), order=(0, 1, 2, 3))
    after, events = umpire.rule(before, ruling(seat, sanction=sanction, amount=amount), rules)
    assert sanctions(events) == [(seat, "other", str(sanction))]
    assert after.deal.hands == before.deal.hands
    assert all(Rank.TWO <= level <= rules.final_level for level in after.deal.levels)


def test_a_new_deal_forgets_what_concerned_the_last_one():
    shown = lay("S3").cards
    ledger = Ledger((1, 0, 0, 0), (1, 0, 0, 0), (2, 0, 0, 0), (True,) * 4, (True,) * 4, (shown, (), (), ()), 1)
    assert next_deal(ledger, STANDARD) == Ledger((1, 0, 0, 0), (1, 0, 0, 0))


def test_an_appeal_has_its_terms_where_the_rules_know_one():
    assert terms(STANDARD, ended_ms=5) is None
    assert terms(load("canmou_tournament"), ended_ms=5) == Terms(30 * 60_000 + 5, 500, 24 * 3_600_000)
