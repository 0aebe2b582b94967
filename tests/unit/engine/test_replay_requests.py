"""What a seat was asked, found again in the replay of its table."""

from __future__ import annotations

import random

import pytest

from guandan_engine import replay, shuffle
from guandan_engine.actions import Question
from guandan_engine.clock import Clocks
from guandan_engine.exchange import AskSeat, TableSpec
from guandan_engine.replay import Header, SeatName, requests_to
from guandan_engine.rules import load
from guandan_engine.table import Table
from guandan_engine.view import cut, view_of
from tests.dealing import any_legal, play_out

SECRET = bytes(range(32))
Put = list[tuple[int, int, Question, int]]


class Listening(Table):
    """A table that keeps what it asks: (number of the last record, seat, question, bank)."""

    put: Put

    def _ask(self, sitting, question, now_ms):
        effects = super()._ask(sitting, question, now_ms)
        for effect in effects:
            if isinstance(effect, AskSeat):
                self.put.append((len(self.log), question.seat, question, effect.request.bank_ms))
        return effects


def played(rules: str, *, deals: int = 0) -> tuple[Table, bytes, Put]:
    parameters = load(rules)
    board = None if deals else shuffle.board(SECRET, parameters)
    secrets = [shuffle.deal_secret(SECRET, f"deal/{n}") for n in range(1, deals + 1)] or [SECRET]
    spec = TableSpec("t", parameters, Clocks(), board=board, deal_limit=deals or None)
    table = Listening(spec, lambda n: shuffle.deal(secrets[n - 1], parameters))
    table.put = []
    play_out(table, any_legal, random.Random(7))
    header = Header(
        rules=parameters, table="t", seats=(SeatName("a"), SeatName("b"), SeatName("c"), SeatName("d")),
        clocks=spec.clocks, board=None if deals else 1, deal_limit=deals or None,
    )  # fmt: skip
    shown = sum(record.event.__class__.__name__ == "DealStarted" for record in table.log)
    return table, replay.write(header, table.log, secrets=secrets[:shown]), table.put


@pytest.mark.parametrize(("rules", "deals"), [("standard", 0), ("standard", 4), ("library_shift3", 3)])
def test_every_request_is_found_again_with_its_options_its_bank_and_its_place(rules: str, deals: int) -> None:
    _, data, put = played(rules, deals=deals)
    found = replay.read(data)
    for seat in range(4):
        again = [(past.n, past.seat, past.question, past.bank_ms) for past in requests_to(found, seat)]
        assert again == [asked for asked in put if asked[1] == seat]


def test_the_answer_that_follows_is_the_seats_own() -> None:
    table, data, _ = played("standard")
    for past in requests_to(replay.read(data), 2):
        assert past.answer is not None
        assert past.answer.event.seat == 2
        assert past.answer.n > past.n
        assert past.ruling is None
        view = view_of(2, table.spec.rules, (cut(record.event, 2) for record in table.log[: past.n]))
        assert view.turn == 2
