"""Playing a replay again and comparing every line."""

from __future__ import annotations

from collections.abc import Iterator

from guandan_engine import match as matches
from guandan_engine import shuffle
from guandan_engine.actions import Action, Give, Lay, Pass, Question
from guandan_engine.board import Board
from guandan_engine.combos import Reading
from guandan_engine.conduct import substitute
from guandan_engine.errors import BrokenReplay, EngineError
from guandan_engine.events import DealStarted, Event, Passed, Played, Ruling, TributePaid, TributeReturned
from guandan_engine.exchange import Record
from guandan_engine.match import Match
from guandan_engine.replay.header import Header
from guandan_engine.replay.record import Replay, read


def verify(data: bytes, *, secret: bytes | None = None) -> Replay:
    """Check chain, cards, shuffle, rules, clocks and results; with the event's ``secret`` the commitment too.

    Raise BrokenReplay with the first line that does not follow from those before it.
    """
    replay = read(data)
    _verify_shuffle(replay, secret)
    again = _Again(replay.header)
    for number, record in zip(replay.lines, replay.records, strict=True):
        try:
            again.follow(record)
        except EngineError as error:
            raise BrokenReplay(number, str(error)) from error
    if again.unshown:
        raise BrokenReplay(replay.lines[-1], f"the rules also say: {again.unshown[0]}")
    return replay


def _verify_shuffle(replay: Replay, secret: bytes | None) -> None:
    """Check that the cards follow from the deal secrets, and those from the event's secret."""
    header, last = replay.header, replay.lines[-1]
    if secret is not None and shuffle.commit(secret, header.event) != header.commit:
        raise BrokenReplay(1, "the event's secret does not open the commitment")
    dealt = list(_dealt(replay))
    if replay.secrets and len(replay.secrets) != len(dealt):
        raise BrokenReplay(last, f"{len(replay.secrets)} secrets for {len(dealt)} deals")
    for i, (number, event) in enumerate(dealt):
        label = shuffle.deal_label(header.label, None if header.board is not None else i + 1)
        derived = None if secret is None else shuffle.deal_secret(secret, label)
        revealed = replay.secrets[i] if replay.secrets else derived
        if derived is not None and revealed != derived:
            raise BrokenReplay(last, f"the secret of deal {i + 1} does not follow from the event's secret")
        if revealed is not None:
            _verify_hands(number, event, revealed, classic=header.board is None)


def _dealt(replay: Replay) -> Iterator[tuple[int, DealStarted]]:
    for number, record in zip(replay.lines, replay.records, strict=True):
        if isinstance(record.event, DealStarted):
            yield number, record.event


def _verify_hands(number: int, event: DealStarted, deal_secret: bytes, *, classic: bool) -> None:
    if shuffle.shuffle(deal_secret) != event.hands:
        raise BrokenReplay(number, "the hands do not follow from the deal's secret")
    if event.deal == 1 and event.leader != shuffle.first_leader(deal_secret):
        raise BrokenReplay(number, "the first leader does not follow from the deal's secret")
    if not classic and event.level != shuffle.board_level(deal_secret):
        raise BrokenReplay(number, "the level does not follow from the deal's secret")


class _Again:
    """The engine following a log: what was claimed is played, what the rules then say is compared."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self._match: Match | None = None
        self._claimed: list[Event] = []  # acted on, not yet shown: sealed tributes and returns
        self._rulings: dict[int, Ruling] = {}
        self._banks = [header.clocks.bank_ms] * 4
        self.unshown: list[Event] = []

    def follow(self, record: Record) -> None:
        """Take the next record; raise EngineError when it does not follow."""
        event = record.event
        if isinstance(event, Ruling):
            self._rule(event)
            return
        if isinstance(event, Played | Passed | TributePaid | TributeReturned):
            self._time(event.seat, record)
        self._claimed.append(event)
        if not self.unshown:
            self.unshown += self._play(event)
        while self.unshown and self._claimed:
            expected, claimed = self.unshown.pop(0), self._claimed.pop(0)
            if expected != claimed:
                raise EngineError(f"the rules say: {expected}")

    def _play(self, event: Event) -> tuple[Event, ...]:
        """Let the engine do what the event claims was done."""
        if isinstance(event, DealStarted):
            return self._deal(event)
        if self._match is None:
            raise EngineError("the first event is not a deal")
        if not isinstance(event, Played | Passed | TributePaid | TributeReturned):
            raise EngineError("nothing of the kind happens here")
        action = _action(event)
        if event.seat in self._rulings:
            self._compare_substitute(event.seat, action)
        self._match, events = matches.apply(self._match, event.seat, action, self._header.rules)
        return events

    def _deal(self, event: DealStarted) -> tuple[Event, ...]:
        a, b, c, d = event.hands
        if a is None or b is None or c is None or d is None:
            raise EngineError("a hand is missing")
        hands, header = (a, b, c, d), self._header
        if self._match is not None:
            self._match, events = matches.next_deal(self._match, hands, header.rules)
        elif event.leader is None:
            raise EngineError("the first deal has a leader")
        elif header.board is not None:
            self._match, events = matches.start_board(Board(hands, event.level, event.leader), header.rules)
        else:
            self._match, events = matches.start(hands, header.rules, leader=event.leader, deal_limit=header.deal_limit)
        return events

    def _rule(self, ruling: Ruling) -> None:
        if ruling.ask is not self._question(ruling.seat).ask or ruling.seat in self._rulings:
            raise EngineError(f"seat {ruling.seat} was not asked to {ruling.ask}")
        self._rulings[ruling.seat] = ruling

    def _compare_substitute(self, seat: int, action: Action) -> None:
        deal = self._match.deal if self._match else None
        if deal is None or substitute(self._question(seat), deal.hands[seat], deal.level) != action:
            raise EngineError("the table would have answered otherwise for this seat")
        del self._rulings[seat]

    def _question(self, seat: int) -> Question:
        asked = matches.questions(self._match, self._header.rules) if self._match else ()
        question = next((question for question in asked if question.seat == seat), None)
        if question is None:
            raise EngineError(f"seat {seat} is not asked now")
        return question

    def _time(self, seat: int, record: Record) -> None:
        """Check the bank after a decision: only one made for a seat that is out may leave it as it was."""
        clocks, bank = self._header.clocks, self._banks[seat]
        charged = clocks.left(bank, record.ms)
        untouched = record.ms == 0 and record.left == bank and seat in self._rulings
        if not untouched and not (0 <= record.ms <= clocks.allowance(bank) and record.left == charged):
            raise EngineError(f"after {record.ms} ms a bank of {bank} has {charged} left, not {record.left}")
        self._banks[seat] = record.left


def _action(event: Played | Passed | TributePaid | TributeReturned) -> Action:
    if isinstance(event, Passed):
        return Pass()
    if isinstance(event, Played):
        return Lay(event.play.cards, Reading(event.play.combo.kind, event.play.combo.rank))
    return Give(event.card)
