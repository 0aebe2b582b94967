"""Tables and moments of play under conduct: slow, silent and ruled-upon seats, seeded for tests."""

from __future__ import annotations

import random
from collections import deque

from guandan_engine import shuffle
from guandan_engine.actions import Action, Ask, Lay
from guandan_engine.cards import Card
from guandan_engine.clock import Clocks
from guandan_engine.combos import Reading
from guandan_engine.conduct import Offence, Sanction, umpire
from guandan_engine.conduct.rulings import RefereeRuling
from guandan_engine.conduct.umpire import Sitting
from guandan_engine.deal import Deal
from guandan_engine.events import Event, Sanctioned
from guandan_engine.exchange import Answer, AskSeat, Effect, TableSpec
from guandan_engine.match import Match
from guandan_engine.replay import Header, write
from guandan_engine.rules import RuleSet
from guandan_engine.table import Table
from tests.dealing import endgame, seat_names

PATIENT = Clocks(connect_ms=10_000, move_ms=600_000, bank_ms=0, increment_ms=0)
"""Ten minutes for each decision: only the clock of the rules is heard."""

HURRIED = Clocks(connect_ms=10_000, move_ms=20_000, bank_ms=200_000, increment_ms=100)

ELEVEN = "S3 S4 S5 S6 S7 S8 S9 D3 D4 D5 D6"
"""Eleven cards, none of them wild at level 2: after one of them ten are left."""


def moment(hands: tuple[str, str, str, str], **fields: object) -> Sitting:
    """A deal of a classic match in which these few cards are left, with a clean ledger."""
    deal: Deal = endgame(hands, **fields)
    return Sitting(Match(deal, 200))


def eleven_each(**fields: object) -> Sitting:
    return moment((ELEVEN, ELEVEN.replace("S", "H"), ELEVEN.replace("S", "C"), ELEVEN), **fields)


def lay(cards: str, reading: Reading | None = None) -> Action:
    return Lay(tuple(map(Card.parse, cards.split())), reading)


def ruling(seat: int, offence: Offence = Offence.OTHER, **fields: object) -> RefereeRuling:
    given = {"id": f"{offence} of {seat}"} | fields
    return RefereeRuling(seat=seat, offence=offence, **given)


def sanctions(events: tuple[Event, ...]) -> list[tuple[int, str, str]]:
    return [(event.seat, event.offence, event.sanction) for event in events if isinstance(event, Sanctioned)]


def table_of(rules: RuleSet, *, clocks: Clocks = PATIENT, seed: int = 1, deals: int | None = None) -> Table:
    """A table of these rules: a board, or a classic match of so many deals."""

    def secret(n: int) -> bytes:
        return shuffle.deal_secret(bytes([seed % 256]) * 32, f"m/deal/{n}")

    board = None if deals else shuffle.board(secret(1), rules)
    spec = TableSpec("m", rules, clocks, board=board, deal_limit=deals)
    return Table(spec, lambda n: shuffle.deal(secret(n), rules))


def header_of(table: Table) -> Header:
    spec = table.spec
    board = None if spec.board is None else 1
    return Header(
        rules=spec.rules, table="m", seats=seat_names(), clocks=spec.clocks, board=board, deal_limit=spec.deal_limit
    )


def replay_of(table: Table) -> bytes:
    return write(header_of(table), table.log)


def seated(table: Table, now_ms: int = 0) -> AskSeat:
    """Seat all four and put the first question on the wire."""
    effects = [effect for seat in range(4) for effect in table.joined(seat, now_ms)]
    return wired(table, effects, now_ms)


def wired(table: Table, effects: list[Effect] | tuple[Effect, ...], now_ms: int) -> AskSeat:
    """Put the one question among the effects on the wire."""
    (ask,) = [effect for effect in effects if isinstance(effect, AskSeat)]
    table.sent(ask.seat, ask.request.id, now_ms)
    return ask


def play_badly(table: Table, rng: random.Random, *, ruled: float = 0.001) -> None:
    """Play a table out with seats that dawdle, keep silent and answer nonsense, and a referee who rules at random."""
    queue: deque[Effect] = deque(effect for seat in range(4) for effect in table.joined(seat, 0))
    now = 0
    while not table.ended:
        if rng.random() < ruled:
            queue.extend(_ruled(table, rng, now))
        if not queue:
            now = table.deadline_ms or now
            queue.extend(table.tick(now))
            continue
        effect = queue.popleft()
        if isinstance(effect, AskSeat):
            table.sent(effect.seat, effect.request.id, now)
            now += _thinking_ms(rng)
            queue.extend(_answered(table, effect, rng, now))


def _thinking_ms(rng: random.Random) -> int:
    return rng.choice((0, 10, 100)) if rng.random() > 0.03 else rng.randrange(10_000, 60_000)


def _answered(table: Table, ask: AskSeat, rng: random.Random, now: int) -> list[Effect]:
    mood, announce = rng.random(), rng.choice((None, True, False))
    if mood < 0.004:
        return []
    effects: list[Effect] = []
    if mood < 0.02:
        effects += table.answered(ask.seat, ask.request.id, Answer(10_000), now)
    option = rng.randrange(len(ask.request.question.options))
    return [*effects, *table.answered(ask.seat, ask.request.id, Answer(option, announce=announce), now)]


def _ruled(table: Table, rng: random.Random, now: int) -> tuple[Effect, ...]:
    seat = rng.randrange(4)
    held = list(table.view(seat).hand or ())
    sanction = rng.choice((None, None, None, *(one for one in Sanction if one.weight < Sanction.LOSE_MATCH.weight)))
    made = RefereeRuling(
        id=str(rng.random()),
        seat=seat,
        offence=rng.choice([offence for offence in Offence if offence is not Offence.LATE]),
        sanction=sanction,
        cards=tuple(rng.sample(held, min(len(held), rng.randrange(3)))),
        noticed_late=rng.random() < 0.5,
        previous_passed=rng.random() < 0.5,
        reason="as seen",
    )
    return table.ruled(made, now)


def silent_play(sitting: Sitting, cards: str, rules: RuleSet) -> tuple[Sitting, tuple[Event, ...]]:
    """The seat on turn lays cards and does not say how many it keeps."""
    return umpire.act(sitting, sitting.deal.trick.turn, lay(cards), rules, announce=False)


def events_of(table: Table) -> tuple[Event, ...]:
    return tuple(record.event for record in table.log)


def at_tribute(rules: RuleSet, *, payers: int, clocks: Clocks = PATIENT) -> tuple[Table, list[AskSeat]]:
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
