"""Hands made to order, and tables played to their end by seeded seats, some of which misbehave."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace

from guandan_engine import shuffle
from guandan_engine.board import Board, Hands
from guandan_engine.cards import DECK, Card, Hand, Rank, order_key
from guandan_engine.clock import Clocks
from guandan_engine.combos import Combo
from guandan_engine.deal import Deal, Phase
from guandan_engine.dealing import Dealt
from guandan_engine.exchange import Answer, AskSeat, Effect, Request, TableSpec
from guandan_engine.replay import Header, SeatName
from guandan_engine.rules import RuleSet, load
from guandan_engine.table import Table
from guandan_engine.trick import Trick

STANDARD = load("standard")

# A seat's mind: what it answers to a request after how many milliseconds; None says nothing at all.
Mind = Callable[[Request, random.Random], tuple[Answer, int] | None]


def dealt(wanted: Mapping[int, str], level: Rank = Rank.TWO) -> Hands:
    """Deal the whole deck so that these seats hold these cards, filled up with the lowest cards left (no wilds)."""
    hands = {seat: Hand.parse(text) for seat, text in wanted.items()}
    rest = Hand.of(DECK)
    for hand in hands.values():
        rest = rest.minus(hand)
    cards = sorted(rest, key=lambda card: (card.is_wild(level), order_key(card.rank, level), card.index))
    for seat in (*wanted, *(seat for seat in range(4) if seat not in wanted)):
        held = hands.get(seat, Hand())
        missing = 27 - len(held)
        hands[seat], cards = held.plus(Hand.of(cards[:missing])), cards[missing:]
    return (hands[0], hands[1], hands[2], hands[3])


def endgame(hands: tuple[str, str, str, str], *, turn: int = 0, level: Rank = Rank.TWO, **fields: object) -> Deal:
    """A deal in which these few cards are left; seats without cards need ``finished`` in ``fields``."""
    finished = fields.pop("finished", ())
    a, b, c, d = map(Hand.parse, hands)
    given = {"number": 1, "levels": (level, level), "order": ()} | fields
    return Deal(level=level, hands=(a, b, c, d), phase=Phase.PLAYING, trick=Trick(turn, finished=finished), **given)


def any_legal(request: Request, rng: random.Random) -> tuple[Answer, int]:
    """Any option, at once."""
    return Answer(rng.randrange(len(request.question.options))), rng.randrange(50)


def thrifty(request: Request, rng: random.Random) -> tuple[Answer, int]:
    """Leads what takes most cards, follows as low as it can, keeps bombs for the end: games fit for reading."""
    options = request.question.options
    plays = [(i, option) for i, option in enumerate(options) if isinstance(option, Combo)]
    if not plays:
        return Answer(0), 3
    leading = options[0] is not None
    plain = [(i, play) for i, play in plays if not play.kind.is_bomb and not play.wilds]
    if plain:
        best = max(plain, key=lambda item: (item[1].size if leading else 0, -item[0]))
        return Answer(best[0]), 2 + len(plain)
    return Answer(plays[0][0] if leading or rng.random() < 0.3 else 0), 5


def unruly(request: Request, rng: random.Random) -> tuple[Answer, int] | None:
    """Mostly any option; now and then silence, a late answer, or nonsense."""
    mood = rng.random()
    if mood < 0.003:
        return None
    if mood < 0.01:
        return Answer(0), 20_000
    if mood < 0.05:
        return Answer(10_000), 10
    return any_legal(request, rng)


def seat_names() -> tuple[SeatName, SeatName, SeatName, SeatName]:
    return (SeatName("ann", "a1"), SeatName("bob", "b1"), SeatName("ann", "a1"), SeatName("bob", "b1"))


def board_of(secret: bytes, level: Rank | None = None, rules: RuleSet = STANDARD) -> Board:
    board = shuffle.board(secret, rules)
    return board if level is None else replace(board, level=level)


def play_out(table: Table, mind: Mind, rng: random.Random) -> list[Effect]:
    """Seat four equal minds and play the table to its end; return every effect it gave."""
    now, given, queue = 0, [], deque()
    for seat in range(4):
        queue.extend(table.joined(seat, now))
    while queue or not table.ended:
        if not queue:
            now = table.deadline_ms
            queue.extend(table.tick(now))
            continue
        effect = queue.popleft()
        given.append(effect)
        if isinstance(effect, AskSeat):
            table.sent(effect.seat, effect.request.id, now)
            now = _answer(table, effect, mind, rng, now, queue)
    return given


def _answer(table: Table, ask: AskSeat, mind: Mind, rng: random.Random, now: int, queue: deque[Effect]) -> int:
    for _ in range(table.spec.rules.bad_move_retries + 1):
        answer = mind(ask.request, rng)
        if answer is None:
            return now
        now += answer[1]
        effects = table.answered(ask.seat, ask.request.id, answer[0], now)
        queue.extend(effects)
        if ask.request.id not in {getattr(getattr(e, "refusal", None), "request_id", None) for e in effects}:
            return now
    return now


class Night:
    """Secrets, tables and headers of an imaginary event, all from one seed."""

    def __init__(self, seed: int, rules: RuleSet = STANDARD) -> None:
        self.secret = seed.to_bytes(32, "big")
        self.event = f"night-{seed}"
        self.rules = rules

    def deal_secrets(self, label: str, deals: int) -> tuple[bytes, ...]:
        return tuple(shuffle.deal_secret(self.secret, f"{label}/deal/{n}") for n in range(1, deals + 1))

    def classic(self, label: str = "match/1", *, deal_limit: int | None = None, clocks: Clocks | None = None) -> Table:
        def dealer(n: int) -> Dealt:
            return shuffle.deal(shuffle.deal_secret(self.secret, f"{label}/deal/{n}"), self.rules)

        return Table(TableSpec(label, self.rules, clocks or Clocks(), deal_limit=deal_limit), dealer)

    def board(self, label: str = "round/1/board/1", level: Rank | None = None) -> Table:
        board = board_of(shuffle.deal_secret(self.secret, label), level, self.rules)
        return Table(TableSpec(label, self.rules, board=board))

    def header(self, table: Table, **fields: object) -> Header:
        spec = table.spec
        given = {"label": spec.table_id, "table": spec.table_id, "board": None if spec.board is None else 1} | fields
        commit = shuffle.commit(self.secret, self.event)
        return Header(
            rules=spec.rules,
            seats=seat_names(),
            clocks=spec.clocks,
            event=self.event,
            commit=commit,
            created="2026-01-01T00:00:00Z",
            deal_limit=spec.deal_limit,
            **given,
        )

    def secrets(self, table: Table) -> tuple[bytes, ...]:
        if table.spec.board is not None:
            return (shuffle.deal_secret(self.secret, table.spec.table_id),)
        return self.deal_secrets(table.spec.table_id, table.view(None).deal)


def cards_of_hands(hands: Hands) -> list[Card]:
    return sorted(card for hand in hands for card in hand)
