"""What spectators are sent while a table plays."""

from __future__ import annotations

import json

from guandan_engine.cards import Hand
from guandan_engine.exchange import TableSpec
from guandan_engine.rules import load
from guandan_engine.shuffle import board, deal_secret
from guandan_engine.table import Table
from guandan_runner.feed import SpectatorLines


def test_a_deal_is_shown_without_its_hands_and_each_record_once() -> None:
    secret = deal_secret(b"x" * 32, "board/1")
    rules = load("standard")
    table = Table(TableSpec("t", rules, board=board(secret, rules)))
    for seat in range(4):
        table.joined(seat, 0)
    lines = SpectatorLines(table.spec.rules)
    shown = lines.new(table.log)
    assert json.loads(shown[0])["hands"] is None
    dealt = table.log[0].event.hands  # type: ignore[union-attr]
    assert not [hand for hand in dealt if isinstance(hand, Hand) and str(hand) in "".join(shown)]
    assert lines.new(table.log) == []
