"""Replays: written, read, played again; damage is found on its line."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guandan_engine import shuffle
from guandan_engine.cards import Card
from guandan_engine.errors import BrokenReplay, EngineError
from guandan_engine.events import (
    DealEnded,
    DealStarted,
    Finished,
    MatchEnded,
    Passed,
    Played,
    Ruling,
    TributePaid,
    TrickWon,
)
from guandan_engine.replay import SeatName, read, verify, write
from guandan_engine.replay.chain import START, canonical, link
from guandan_engine.table import Table
from tests.dealing import STANDARD, Night, any_legal, play_out, unruly


def played(seed, *, classic=True, mind=unruly):
    """An event, a table of it played to its end, and the replay."""
    night = Night(seed)
    table = night.classic(deal_limit=3) if classic else night.board()
    play_out(table, mind, random.Random(seed))
    return night, table, write(night.header(table), table.log, secrets=night.secrets(table))


@pytest.fixture(scope="module")
def match():
    return played(11)


@pytest.fixture(scope="module")
def board():
    return played(4, classic=False, mind=any_legal)


def rewritten(data, change):
    """The file after ``change`` of its list of objects, with a chain that fits again."""
    lines = [json.loads(line) for line in data.splitlines()]
    change(lines)
    value, texts = START, []
    for line in lines:
        line.pop("h", None)
        line.pop("chain", None)
        value = link(value, line)
        hashes = {"chain": value.hex()} if line is lines[-1] else {"h": value.hex()[:4]}
        texts.append(canonical(line | hashes) + b"\n")
    return b"".join(texts)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_every_replay_written_verifies_and_comes_back_as_it_was(seed, classic):
    night, table, data = played(seed, classic=classic)
    replay = verify(data, secret=night.secret)
    assert replay.header == night.header(table)
    assert replay.records == tuple(table.log)
    assert replay.secrets == night.secrets(table)
    assert write(replay.header, replay.records, secrets=replay.secrets) == data


def test_a_replay_needs_no_revealed_secret_and_may_be_checked_against_the_events(match):
    night, table, _ = match
    sealed = write(night.header(table), table.log)
    assert verify(sealed).secrets == ()
    assert verify(sealed, secret=night.secret).records == tuple(table.log)


def test_only_an_ended_table_has_a_replay(match):
    night, table, _ = match
    with pytest.raises(EngineError, match="has ended"):
        write(night.header(table), table.log[:-1])


def test_lines_are_canonical_json_of_whole_numbers_with_every_rule_written_out(match):
    night, table, data = match
    lines = data.decode().splitlines()
    header = json.loads(lines[0])
    assert header["rules"] == table.spec.rules.as_dict()
    assert header["commit"] == shuffle.commit(night.secret, night.event)
    for line in lines:
        again = json.dumps(json.loads(line), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert again == line


def test_wild_cards_are_written_with_what_they_stand_for(match):
    _, _, data = match
    wild = [json.loads(line) for line in data.splitlines() if b'"as"' in line]
    assert wild
    assert all(len(line["as"]) == len(line["c"]) for line in wild)


def test_an_answer_given_by_the_table_says_why(match):
    _, table, data = match
    faults = [record.event.fault for record in table.log if isinstance(record.event, Ruling)]
    lines = [json.loads(line) for line in data.splitlines()]
    assert faults
    assert [line["by"] for line in lines if "by" in line] == faults


@pytest.mark.parametrize("kind", ["match", "board"])
def test_every_single_character_of_sampled_lines_is_guarded(kind, request):
    _, _, data = request.getfixturevalue(kind)
    rng = random.Random(1)
    lines = data.splitlines(keepends=True)
    at = 0
    places = []
    for number, line in enumerate(lines, 1):
        chosen = rng.sample(range(len(line)), min(len(line), 3 if number > 1 else 12))
        places += [(number, at + place) for place in chosen]
        at += len(line)
    for number, place in rng.sample(places, 150):
        damaged = bytearray(data)
        damaged[place] ^= 1 << rng.randrange(7)
        with pytest.raises(BrokenReplay) as broken:
            verify(bytes(damaged))
        assert broken.value.line == number


def test_every_character_of_one_line_is_guarded(board):
    _, _, data = board
    start = data.index(b"\n") + 1
    end = data.index(b"\n", start)
    for place in range(start, end):
        damaged = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with pytest.raises(BrokenReplay) as broken:
            read(damaged)
        assert broken.value.line == 2


@pytest.mark.parametrize("cut", [1, 50, 1_000])
def test_a_file_that_is_cut_off_is_broken(board, cut):
    with pytest.raises(BrokenReplay):
        read(board[2][:-cut])


def test_lines_that_are_missing_doubled_or_swapped_break_the_chain(board):
    lines = board[2].splitlines(keepends=True)
    for wrong in (
        lines[:5] + lines[6:],
        [*lines[:5], lines[4], *lines[5:]],
        [*lines[:5], lines[6], lines[5], *lines[7:]],
    ):
        with pytest.raises(BrokenReplay) as broken:
            read(b"".join(wrong))
        assert broken.value.line == 6


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"{}\n", b"[]\n[]\n", b"\xff\n\xff\n", b"{}\n{}\n", b"[" * 100_000 + b"\n{}\n", b'{"n":1.5}\n{}\n'],
)
def test_what_is_no_replay_at_all_is_refused(data):
    with pytest.raises(BrokenReplay):
        read(data)


def test_unknown_keys_and_events_are_passed_over_but_chained(board):
    night, _, data = board

    def add(lines):
        lines[3]["mood"] = "cheerful"
        lines.insert(5, {"e": "x-weather", "rain": True})

    extended = rewritten(data, add)
    assert verify(extended, secret=night.secret).records == read(data).records
    with pytest.raises(BrokenReplay, match="altered"):
        read(extended.replace(b"cheerful", b"gloomier"))


def test_a_rule_parameter_younger_than_the_file_has_its_default(board):
    older = rewritten(board[2], lambda lines: lines[0]["rules"].pop("bad_move_policy"))
    assert verify(older).header.rules == board[1].spec.rules


def _first(lines, e):
    return next(line for line in lines if line.get("e") == e)


FORGERIES = {
    "another version": lambda lines: lines[0].update(v=2),
    "an unknown rule": lambda lines: lines[0]["rules"].update(luck=1),
    "a seat too few": lambda lines: lines[0]["seats"].pop(),
    "another limit": lambda lines: lines[0].update(deal_limit=1),
    "an unknown event": lambda lines: _first(lines, "pass").update(e="sing"),
    "a number out of order": lambda lines: lines[4].update(n=9),
    "a number that is a text": lambda lines: lines[4].update(n="4"),
    "a hand of another deal": lambda lines: lines[1].update(hands=lines[1]["hands"][::-1]),
    "a card too many": lambda lines: lines[1]["hands"].__setitem__(0, lines[1]["hands"][0] + " S2"),
    "another leader": lambda lines: lines[1].update(leader=(lines[1]["leader"] + 1) % 4),
    "another level": lambda lines: lines[1].update(level="3"),
    "a play of another kind": lambda lines: _first(lines, "play").update(k="Bomb"),
    "a wrong count": lambda lines: _first(lines, "play").update(cards=1),
    "a play by another seat": lambda lines: _first(lines, "play").update(s=(_first(lines, "play")["s"] + 1) % 4),
    "a seat that is not there": lambda lines: _first(lines, "play").update(s=7),
    "a pass by another seat": lambda lines: _first(lines, "pass").update(s=(_first(lines, "pass")["s"] + 1) % 4),
    "a decision without time": lambda lines: _first(lines, "play").pop("ms"),
    "time that was not charged": lambda lines: _first(lines, "play").update(ms=9_999),
    "negative time": lambda lines: _first(lines, "play").update(ms=-1),
    "another trick winner": lambda lines: _first(lines, "trick").update(s=(_first(lines, "trick")["s"] + 1) % 4),
    "another finisher": lambda lines: _first(lines, "finish").update(place=2),
    "another order": lambda lines: _first(lines, "deal_end").update(order=[3, 2, 1, 0]),
    "another gain": lambda lines: _first(lines, "deal_end").update(gain=4),
    "other levels": lambda lines: _first(lines, "deal_end").update(levels=["A", "2"]),
    "another winner": lambda lines: lines[-1].update(side=1 - (lines[-1]["side"] or 0)),
    "another secret": lambda lines: lines[-1].update(secrets=["00" * 32] * 3),
    "a secret that is none": lambda lines: lines[-1].update(secrets=["zz"]),
    "a line after the end": lambda lines: lines.append({"e": "pass", "n": len(lines), "s": 0, "ms": 0, "left": 0}),
    "no end": lambda lines: lines.pop(),
    "only an end": lambda lines: lines.__delitem__(slice(1, -1)),
    "a false ruling": lambda lines: _first(lines, "ruling").update(fault="boredom"),
    "a hidden ruling": lambda lines: next(line for line in lines if "by" in line).pop("by"),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forgery_with_a_fitting_chain_is_still_found(match, what):
    night, _, data = match
    with pytest.raises(BrokenReplay):
        verify(rewritten(data, FORGERIES[what]), secret=night.secret)


leaves = st.sampled_from([None, True, -1, 0, 3, 10**30, "", "S2", "2", "x", [], [0], ["2", "2"], {}, {"a": 1}])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_value_anywhere_is_either_harmless_or_found(board, data):
    def distort(lines):
        line = data.draw(st.sampled_from([lines[0], lines[1], lines[-1], *lines[1:]]))
        holder = data.draw(st.sampled_from([line, *(v for v in line.values() if isinstance(v, dict))]))
        holder[data.draw(st.sampled_from(sorted(holder)))] = data.draw(leaves)

    with suppress(BrokenReplay):
        verify(rewritten(board[2], distort))


def test_a_play_that_the_rules_forbid_is_named_by_its_line(board):
    night, table, _ = board
    at = next(i for i, r in enumerate(table.log) if isinstance(r.event, Passed))
    leader = table.log[1].event
    forged = list(table.log)
    forged[at] = replace(forged[at], event=Played(forged[at].event.seat, leader.play, leader.left))
    with pytest.raises(BrokenReplay) as broken:
        verify(write(night.header(table), forged))
    assert broken.value.line == at + 2


def test_a_ruling_for_another_action_than_the_substitutes_is_found(board):
    night, table, _ = board
    at = next(i for i, r in enumerate(table.log) if isinstance(r.event, Played) and r.event.play.combo.size > 1)
    event = table.log[at].event
    forged = [*table.log[:at], replace(table.log[at], event=Ruling(event.seat, "timeout", "play", ""))]
    forged += [replace(record, n=record.n + 1) for record in table.log[at:]]
    with pytest.raises(BrokenReplay, match="otherwise") as broken:
        verify(write(night.header(table), forged))
    assert broken.value.line == at + 3


def test_a_wrong_event_secret_does_not_open_the_commitment(match):
    with pytest.raises(BrokenReplay, match="commitment") as broken:
        verify(match[2], secret=b"another")
    assert broken.value.line == 1


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda dealt: replace(dealt, leader=(dealt.leader + 1) % 4, face_up=None), "first leader"),
        (lambda dealt: replace(dealt, face_up=max(dealt.hands[dealt.leader])), "face-up card"),
        (lambda dealt: replace(dealt, lot=3 - dealt.lot), "the lot"),
    ],
)
def test_chance_that_does_not_follow_from_the_secret_is_found(change, found):
    night = Night(3, replace(STANDARD, first_drawer="any"))
    honest = night.classic(deal_limit=1)
    secret = night.deal_secrets("match/1", 1)
    table = Table(honest.spec, lambda n: change(shuffle.deal(secret[n - 1], night.rules)))
    play_out(table, any_legal, random.Random(3))
    with pytest.raises(BrokenReplay, match=found):
        verify(write(night.header(table), table.log, secrets=secret))


def test_hostile_names_stay_on_their_line(board):
    night, table, _ = board
    hostile = SeatName('x"\n{"e":"end"}\u2028\ud800<script>', "v")
    header = replace(night.header(table), seats=(hostile,) * 4)
    data = write(header, table.log)
    assert len(data.splitlines()) == len(table.log) + 1
    assert "?<script>" in verify(data).header.seats[0].name


def test_a_log_reads_as_the_game_it_was(board):
    _, table, data = board
    records = read(data).records
    assert isinstance(records[0].event, DealStarted)
    assert isinstance(records[-2].event, DealEnded)
    assert isinstance(records[-1].event, MatchEnded)
    kinds = {type(record.event) for record in records}
    assert {Played, Passed, TrickWon, Finished} <= kinds
    assert records == tuple(table.log)


def test_tribute_is_part_of_the_log(match):
    _, table, _ = match
    paid = [record.event for record in table.log if isinstance(record.event, TributePaid)]
    assert paid
    assert all(isinstance(event.card, Card) for event in paid)
