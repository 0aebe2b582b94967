"""Tables under conduct: slow, silent and ruled-upon seats. Every replay verifies, and nothing hidden is shown."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from guandan_engine.actions import Ask
from guandan_engine.cards import Rank
from guandan_engine.conduct import Offence, Sanction
from guandan_engine.errors import BrokenReplay
from guandan_engine.events import (
    DealEnded,
    DealStarted,
    LeadPassed,
    MatchEnd,
    MatchEnded,
    Passed,
    Played,
    Ruling,
    TrickWon,
)
from guandan_engine.replay import read, verify
from guandan_engine.replay.chain import START, canonical, link, mark
from guandan_engine.rules import load, presets
from guandan_engine.table import Answer, AskSeat, Over, Refuse, RulingRefused
from guandan_engine.view import SeatView, cut, fold
from tests.dealing import STANDARD
from tests.umpiring import HURRIED, PATIENT, lay, play_badly, replay_of, ruling, sanctions, seated, table_of, wired

SECOND = 1_000
HUAIAN = load("huaian_2017")


def events_of(table):
    return tuple(record.event for record in table.log)


def played_badly(name, seed, **fields):
    table = table_of(load(name), clocks=HURRIED, seed=seed, **fields)
    play_badly(table, random.Random(seed))
    return table


# Whole tables


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", presets())
def test_a_replay_with_rulings_warnings_and_skipped_turns_verifies_and_round_trips(name, seed):
    table = played_badly(name, seed, deals=3)
    replay = verify(replay_of(table))
    assert [record.event for record in replay.records] == list(events_of(table))


@pytest.mark.parametrize("name", presets())
def test_a_board_may_be_ruled_upon_as_well(name):
    verify(replay_of(played_badly(name, 3)))


@pytest.mark.parametrize("name", presets())
def test_no_view_holds_a_count_or_a_play_that_its_rules_hide(name):
    table, rules = played_badly(name, 4), load(name)
    for seat in range(4):
        view = SeatView(seat, rules)
        for event in events_of(table):
            view = fold(view, cut(event, seat))
            assert view.counts[seat] == len(view.hand)
            plays = [seen for seen in view.history if isinstance(seen, Played)]
            if rules.review == "none":
                assert len(plays) <= 1
            elif rules.review == "current_trick" and view.turn is not None:
                assert len(plays) == sum(move.play is not None for move in view.trick)
    if rules.count_view == "always":
        assert all(event.told or not event.left for event in events_of(table) if isinstance(event, Played))


def test_a_count_is_hidden_until_it_is_announced_and_counted_on_from_there():
    table = table_of(STANDARD)
    play_badly(table, random.Random(5), ruled=0)
    view, told = SeatView(1, STANDARD), set()
    for event in events_of(table):
        shown = cut(event, 1)
        view = fold(view, shown)
        if isinstance(event, Played) and event.seat != 1:
            assert (shown.left is None) is (not event.told and event.left > 0)
            told |= {event.seat} if event.told else set()
            assert (view.counts[event.seat] is None) is (event.seat not in told and event.left > 0)
            assert view.counts[event.seat] in (None, event.left)


def test_spectators_see_how_many_cards_are_left():
    table = table_of(STANDARD)
    play_badly(table, random.Random(5), ruled=0)
    assert all(cut(event, None) is event for event in events_of(table) if isinstance(event, Played))


# Slow play


def test_a_violation_on_the_lead_passes_the_lead_to_the_next_seat():
    table = table_of(HUAIAN)
    ask = seated(table)
    table.tick(20 * SECOND)
    effects = table.tick(30 * SECOND)
    warned, charged, ruled, passed = events_of(table)[1:]
    assert sanctions((warned, charged)) == [(ask.seat, "slow", "warn"), (ask.seat, "slow", "skip_lap")]
    assert (ruled, passed) == (Ruling(ask.seat, "skipped", Ask.PLAY), LeadPassed(ask.seat, (ask.seat + 1) % 4))
    assert wired(table, effects, 30 * SECOND).seat == (ask.seat + 1) % 4


def test_a_seat_that_skips_a_lap_is_passed_over_until_the_trick_is_over():
    table = table_of(HUAIAN)
    skipped = seated(table).seat
    now = 30 * SECOND
    ask = wired(table, table.tick(now), now)
    asked = [ask.seat]
    while not any(isinstance(event, TrickWon) for event in events_of(table)):
        ask = wired(table, table.answered(ask.seat, ask.request.id, Answer(0), now), now)
        asked.append(ask.seat)
    assert asked[:3] == [(skipped + step) % 4 for step in (1, 2, 3)]
    assert Passed(skipped) in events_of(table)
    assert skipped not in asked[:-1]


def test_an_answer_that_comes_after_the_turn_was_skipped_is_stale_and_costs_nothing_more():
    table = table_of(HUAIAN)
    ask = seated(table)
    effects = table.answered(ask.seat, ask.request.id, Answer(0), 31 * SECOND)
    assert [effect.refusal.code for effect in effects if isinstance(effect, Refuse)] == ["stale"]
    assert len(sanctions(events_of(table))) == 2


def test_the_table_clock_comes_first_where_it_is_shorter():
    table = table_of(HUAIAN, clocks=replace(HURRIED, move_ms=5 * SECOND, bank_ms=0))
    seated(table)
    table.tick(40 * SECOND)
    assert sanctions(events_of(table)) == []
    assert any(isinstance(event, Ruling) and event.fault == "timeout" for event in events_of(table))


def test_without_the_play_clock_nobody_is_slow():
    table = table_of(HUAIAN, clocks=replace(HURRIED, move_ms=500 * SECOND, play_clock=False))
    seated(table)
    table.tick(400 * SECOND)
    assert len(table.log) == 1


def test_a_slow_tribute_is_warned_and_then_costs_the_first_trick():
    table, asks = _at_tribute(HUAIAN, payers=1)
    table.tick(15 * SECOND)
    table.tick(30 * SECOND)
    assert sanctions(events_of(table)) == [(asks[0].seat, "slow", "warn"), (asks[0].seat, "slow", "skip_lap")]


def _at_tribute(rules, *, payers, clocks=PATIENT):
    """A classic table that has just asked so many payers for tribute, and the questions, on the wire since 0."""
    for seed in range(1, 60):
        table, rng = table_of(rules, clocks=clocks, seed=seed, deals=3), random.Random(seed)
        asks = [effect for seat in range(4) for effect in table.joined(seat, 0) if isinstance(effect, AskSeat)]
        while len(asks) == 1 and asks[0].request.question.ask is Ask.PLAY:
            (ask,) = asks
            option = rng.randrange(len(ask.request.question.options))
            effects = table.answered(ask.seat, ask.request.id, Answer(option), 0)
            asks = [effect for effect in effects if isinstance(effect, AskSeat)]
        if len(asks) == payers and asks[0].request.question.ask is Ask.PAY:
            for ask in asks:
                table.sent(ask.seat, ask.request.id, 0)
            return table, asks
    raise AssertionError("no such tribute after sixty first deals")


# Announcing


def test_a_silence_is_seen_by_all_and_the_count_is_told_all_the_same():
    table = table_of(STANDARD)
    ask = seated(table)
    while True:
        options = ask.request.question.options
        most = max(range(len(options)), key=lambda i: 0 if options[i] is None else options[i].size)
        effects = table.answered(ask.seat, ask.request.id, Answer(most, announce=False), 0)
        if sanctions(events_of(table)):
            break
        ask = wired(table, effects, 0)
    (played,) = [event for event in events_of(table) if isinstance(event, Played) and event.silent]
    assert played.told
    assert sanctions(events_of(table)) == [(played.seat, "unannounced", "warn")]
    assert table.view((played.seat + 1) % 4).counts[played.seat] == played.left


# Bad moves


@pytest.mark.parametrize(("policy", "answers"), [("reject_retry", 2), ("auto_pass", 1), ("foul", 1)])
def test_nonsense_is_answered_for_after_as_many_tries_as_the_rules_forgive(policy, answers):
    table = table_of(replace(STANDARD, bad_move_policy=policy, foul_effect="record"))
    ask = seated(table)
    for _ in range(answers):
        assert len(table.log) == 1
        table.answered(ask.seat, ask.request.id, Answer(-1), 0)
    faults = [event.fault for event in events_of(table) if isinstance(event, Ruling)]
    assert faults == ["illegal"]
    assert sanctions(events_of(table)) == ([(ask.seat, "bad_move", "foul")] if policy == "foul" else [])


def test_where_a_bad_move_is_a_foul_that_loses_the_deal_nothing_is_played_for_the_seat():
    table = table_of(replace(STANDARD, bad_move_policy="foul", foul_effect="lose_deal"))
    ask = seated(table)
    effects = table.answered(ask.seat, ask.request.id, Answer(-1), 0)
    assert isinstance(effects[-1], Over)
    assert not any(isinstance(event, Ruling) for event in events_of(table))
    assert table.result.side == 1 - ask.seat % 2
    verify(replay_of(table))


# Rulings


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
    table, (ask,) = _at_tribute(rules, payers=1)
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
    table, asks = _at_tribute(STANDARD, payers=2, clocks=HURRIED)
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


# Forged replays


def forged(data, change):
    """The replay with one line changed, its chain made to fit."""
    lines = [json.loads(line) for line in data.splitlines()]
    change(lines)
    value, texts = START, []
    for n, line in enumerate(lines):
        if "n" in line:
            line["n"] = n
        bare = {key: text for key, text in line.items() if key not in ("h", "chain")}
        value = link(value, bare)
        hashes = {"chain": value.hex()} if n == len(lines) - 1 else {"h": mark(value)}
        texts.append(canonical(bare | hashes) + b"\n")
    return b"".join(texts)


def of(kind, **wanted):
    def found(lines):
        return next(
            i for i, line in enumerate(lines) if line["e"] == kind and all(line.get(k) == v for k, v in wanted.items())
        )

    return found


def dropped(where):
    return lambda lines: lines.pop(where(lines))


def changed(where, **values):
    return lambda lines: lines[where(lines)].update(values)


def slow_and_silent():
    table = table_of(HUAIAN, clocks=HURRIED, seed=7, deals=2)
    play_badly(table, random.Random(11), ruled=0)
    return replay_of(table)


@pytest.mark.parametrize(
    "change",
    [
        dropped(of("sanction", offence="slow", sanction="warn")),
        dropped(of("sanction", offence="slow", sanction="skip_lap")),
        dropped(of("sanction", offence="unannounced")),
        changed(of("sanction", offence="slow", sanction="warn"), sanction="foul"),
        changed(of("sanction", offence="unannounced"), sanction="lose_deal"),
        changed(of("sanction", offence="slow"), offence="signal"),
        dropped(of("ruling", fault="skipped")),
        changed(of("play", silent=True), told=None),
    ],
)
def test_conduct_that_does_not_follow_from_the_rules_is_found(change):
    data = slow_and_silent()
    verify(data)
    with pytest.raises(BrokenReplay):
        verify(forged(data, change))


def test_a_ruling_is_the_referees_own_but_what_it_brings_about_is_not():
    table = table_of(STANDARD, deals=2)
    seated(table)
    table.ruled(ruling(1, sanction=Sanction.LOSE_DEAL, reason="seen with another's cards"), 0)
    while not table.ended:
        table.tick(table.deadline_ms)
    data = replay_of(table)
    line = read(data).records[1].event
    assert (line.referee, line.reason) == (True, "seen with another's cards")
    with pytest.raises(BrokenReplay):
        verify(forged(data, changed(of("deal_end"), side=1)))
    with pytest.raises(BrokenReplay):
        verify(forged(data, changed(of("sanction"), sanction="warn")))
