"""Playing a replay again and comparing every line."""

from __future__ import annotations

from collections.abc import Iterator

from guandan_engine import match as matches
from guandan_engine import shuffle
from guandan_engine.actions import Action, Ask, Choose, Give, Lay, Pass, Question, Resist
from guandan_engine.board import Board
from guandan_engine.cards import BIG_JOKER
from guandan_engine.combos import Reading
from guandan_engine.conduct import Fault, umpire
from guandan_engine.conduct.umpire import Sitting
from guandan_engine.dealing import Dealt, face_up_of
from guandan_engine.errors import BrokenReplay, EngineError
from guandan_engine.events import (
    DECISIONS,
    Chose,
    DealStarted,
    Decision,
    Event,
    LeadPassed,
    Passed,
    Played,
    Resisted,
    Ruling,
    Sanctioned,
    TributePaid,
)
from guandan_engine.exchange import Record
from guandan_engine.paying import Step
from guandan_engine.replay.conduct import Conduct
from guandan_engine.replay.header import Header
from guandan_engine.replay.record import Replay, read

__all__ = ["Again", "action_of_event", "verify"]


def verify(data: bytes, *, secret: bytes | None = None) -> Replay:
    """Check chain, cards, shuffle, rules, clocks and results; with the event's ``secret`` the commitment too.

    Raise BrokenReplay with the first line that does not follow from those before it.
    """
    replay = read(data)
    _verify_shuffle(replay, secret)
    again = Again(replay.header)
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
            _verify_hands(number, event, revealed, header)


def _dealt(replay: Replay) -> Iterator[tuple[int, DealStarted]]:
    for number, record in zip(replay.lines, replay.records, strict=True):
        if isinstance(record.event, DealStarted):
            yield number, record.event


def _verify_hands(number: int, event: DealStarted, deal_secret: bytes, header: Header) -> None:
    dealt = shuffle.deal(deal_secret, header.rules)
    if dealt.hands != event.hands:
        raise BrokenReplay(number, "the hands do not follow from the deal's secret")
    if (not event.order or event.face_up is not None) and event.leader != dealt.leader:
        raise BrokenReplay(number, "the first leader does not follow from the deal's secret")
    if header.board is not None and event.level != shuffle.board_level(deal_secret, header.rules):
        raise BrokenReplay(number, "the level does not follow from the deal's secret")
    face_up = face_up_of(dealt, event.order, header.rules)
    shown = event.face_up if event.face_up or not event.order else face_up  # a ruling may have named the leader
    if event.lot is not None and (event.lot, shown) != (dealt.lot, face_up):
        raise BrokenReplay(number, "the face-up card or the lot does not follow from the deal's secret")


class Again:
    """The engine following a log: what was claimed is played, what the rules then say is compared."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self.sitting: Sitting | None = None
        self._claimed: list[Event] = []  # acted on, not yet shown: sealed tributes and returns
        self._early: list[tuple[Decision, int]] = []  # decided, but not before another seat has
        self._rulings: dict[int, Ruling] = {}
        self._conduct = Conduct(header)
        self._banks = [header.clocks.bank_ms] * 4
        self.unshown: list[Event] = []

    def follow(self, record: Record) -> None:
        """Take the next record; raise EngineError when it does not follow."""
        event = record.event
        if isinstance(event, Ruling):
            self._rule(event)
            return
        self._claimed.append(event)
        if not self.unshown:
            if isinstance(event, DECISIONS):
                self._time(event.seat, record)
            self.unshown += self._play(event, record.ms)
        while self.unshown and self._claimed:
            expected, claimed = self.unshown.pop(0), self._claimed.pop(0)
            if expected != claimed:
                raise EngineError(f"the rules say: {expected}")

    def _play(self, event: Event, ms: int) -> tuple[Event, ...]:
        """Let the engine do what the event claims was done."""
        if isinstance(event, DealStarted):
            return self._deal(event)
        if self.sitting is None:
            raise EngineError("the first event is not a deal")
        if isinstance(event, Sanctioned):
            self.sitting, events = self._conduct.sanctioned(self.sitting, event)
            return events
        if not isinstance(event, DECISIONS):
            raise EngineError("nothing of the kind happens here")
        if isinstance(event, TributePaid) and self._resisting_before(event.seat):
            self._early.append((event, ms))
            return ()
        events = self._act(event, ms)
        while self._early and not self._resisting_before(self._early[0][0].seat):
            events += self._act(*self._early.pop(0))
        return events

    def _act(self, event: Decision, ms: int) -> tuple[Event, ...]:
        if self.sitting is None:
            raise EngineError("the first event is not a deal")
        seat, rules = event.seat, self._header.rules
        ruling = self._rulings.pop(seat, None)
        self._conduct.decided(self.sitting, seat, ms, ruling)
        if ruling is not None and ruling.fault == Fault.SKIPPED:
            self.sitting, events = umpire.skip(self.sitting, seat, rules, ms=ms)
            return events
        claimed = action_of_event(event)
        action = claimed if ruling is None else self._stood_in(self.sitting, seat, claimed)
        announce = False if isinstance(event, Played) and event.silent else _said(event)
        self.sitting, events = umpire.act(self.sitting, seat, action, rules, announce=announce, ms=ms)
        return events

    def _resisting_before(self, seat: int) -> bool:
        """Whether others are asked to resist before this payer is asked; tributes are shown sorted by payer."""
        paying = self.sitting.deal.paying if self.sitting else None
        return paying is not None and paying.step is Step.RESIST and seat not in paying.asked

    def _deal(self, event: DealStarted) -> tuple[Event, ...]:
        a, b, c, d = event.hands
        if a is None or b is None or c is None or d is None:
            raise EngineError("a hand is missing")
        dealt, header = Dealt((a, b, c, d), event.leader, event.face_up, event.lot), self._header
        if self.sitting is not None:
            self.sitting, events = umpire.next_dealt(self.sitting, dealt, header.rules)
            return events
        if event.leader is None and not event.order:
            raise EngineError("the first deal has a leader")
        if header.board is not None:
            board = Board(dealt.hands, event.level, event.leader or 0, event.order)
            match, events = matches.start_board(board, header.rules)
        else:
            match, events = matches.start(dealt, header.rules, deal_limit=header.deal_limit)
        self.sitting = Sitting(match)
        return events

    def _rule(self, ruling: Ruling) -> None:
        ask = Ask.PAY if self._resisting_before(ruling.seat) else self.question(ruling.seat).ask
        if ruling.ask is not ask or ruling.seat in self._rulings:
            raise EngineError(f"seat {ruling.seat} was not asked to {ruling.ask}")
        self._rulings[ruling.seat] = ruling

    def _stood_in(self, sitting: Sitting, seat: int, claimed: Action) -> Action:
        """Return what the table had to answer for a seat; raise EngineError when something else is claimed.

        A seat for which the table resisted gave its big joker when the other holder would not resist.
        """
        action = umpire.stand_in(sitting, self.question(seat))
        if not (claimed == action or (isinstance(action, Resist) and claimed == Give(BIG_JOKER))):
            raise EngineError("the table would have answered otherwise for this seat")
        return action

    def question(self, seat: int) -> Question:
        """Return what a seat is asked now; raise EngineError when it is not."""
        asked = umpire.questions(self.sitting, self._header.rules) if self.sitting else ()
        question = next((question for question in asked if question.seat == seat), None)
        if question is None:
            raise EngineError(f"seat {seat} is not asked now")
        return question

    def _time(self, seat: int, record: Record) -> None:
        """Check the bank after a decision: only one made for a seat that is not asked may leave it as it was."""
        clocks, bank = self._header.clocks, self._banks[seat]
        charged = clocks.left(bank, record.ms)
        untouched = record.ms == 0 and record.left == bank and seat in self._rulings
        if not untouched and not (0 <= record.ms <= clocks.allowance(bank) and record.left == charged):
            raise EngineError(f"after {record.ms} ms a bank of {bank} has {charged} left, not {record.left}")
        self._banks[seat] = record.left


def _said(event: Decision) -> bool | None:
    """Return whether a player told how many cards are left though it was not owed; what was owed is told anyway."""
    return True if isinstance(event, Played) and event.told else None


def action_of_event(event: Decision) -> Action:
    """Return the action by which a seat did what a record tells of it."""
    if isinstance(event, Passed):
        return Pass()
    if isinstance(event, Played):
        return Lay(event.play.cards, Reading(event.play.combo.kind, event.play.combo.rank))
    if isinstance(event, Resisted):
        return Resist()
    if isinstance(event, Chose):
        return Choose(event.chosen)
    if isinstance(event, LeadPassed):
        return Pass()
    return Give(event.card)
