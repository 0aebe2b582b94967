"""Tables at which four seats have sat down, and what they are asked, refused and ruled."""

from __future__ import annotations

from dataclasses import replace

from guandan_engine.cards import DECK
from guandan_engine.clock import Clocks
from guandan_engine.events import Ruling
from guandan_engine.exchange import Answer, AskSeat, Refuse, TableSpec
from guandan_engine.table import Table
from tests.dealing import STANDARD, board_of

CLOCKS = Clocks(connect_ms=1_000, move_ms=100, bank_ms=500, increment_ms=50)
SECRET = b"hostile"


def seated(**changed):
    table = Table(TableSpec("t", replace(STANDARD, **changed), CLOCKS, board=board_of(SECRET)))
    effects = [effect for seat in range(4) for effect in table.joined(seat, 0)]
    return table, only_ask(effects)


def only_ask(effects):
    (ask,) = [effect for effect in effects if isinstance(effect, AskSeat)]
    return ask


def refusals(effects):
    return [effect.refusal for effect in effects if isinstance(effect, Refuse)]


def rulings(table):
    return [record.event for record in table.log if isinstance(record.event, Ruling)]


def answer(table, ask, choice, now_ms=0):
    return table.answered(ask.seat, ask.request.id, Answer(choice), now_ms)


def not_held(table, seat):
    return next(card for card in DECK if card not in table.spec.board.hands[seat])
