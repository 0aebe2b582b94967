"""Replays of tables under conduct that were forged: what does not follow from the rules is found."""

from __future__ import annotations

import json
import random

import pytest

from guandan_engine.conduct import Sanction
from guandan_engine.errors import BrokenReplay
from guandan_engine.replay import read, verify
from guandan_engine.replay.chain import START, canonical, link, mark
from guandan_engine.rules import load
from tests.dealing import STANDARD
from tests.umpiring import HURRIED, play_badly, replay_of, ruling, seated, table_of

HUAIAN = load("huaian_2017")


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
