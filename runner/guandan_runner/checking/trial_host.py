"""The table host of a trial: the real one, at which three seats are ours and one good answer may be refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from guandan_engine.actions import Ask
from guandan_engine.exchange import AskSeat, Refusal, TableSpec
from guandan_proto import codec
from guandan_proto.codec import Answered, Wishes
from guandan_runner.checking.positions import SEAT
from guandan_runner.checking.rows import Row, rows_of
from guandan_runner.host import TableHost
from guandan_runner.line import Line, Stream

__all__ = ["TrialHost"]

REFUSAL: Final = "refused_by_check"


class TrialHost(TableHost):
    """A table host that seats our own players without a wire, and may refuse one good answer of the bot."""

    def __init__(self, spec: TableSpec, folders: Sequence[Path], *, refuses: bool = False) -> None:
        super().__init__(spec, folders)
        self.asked: list[frozenset[Row]] = []
        self.answered_again: bool | None = None
        self.first_ns: int | None = None
        self._refuses = refuses
        self._refused_id: int | None = None
        self._to_refuse: int | None = None

    @property
    def wishes(self) -> Wishes:
        """What the bot wished in its Hello."""
        return self._lines[SEAT].wishes

    async def sit(self, seat: int, stream: Stream) -> None:
        """Hold a stream that comes over no socket of ours to its end."""
        await self.serve(self._lines[seat], stream)

    def _ask(self, effect: AskSeat) -> None:
        question = effect.request.question
        if effect.seat == SEAT:
            self.asked.append(rows_of(question))
            choice = question.ask is Ask.PLAY and question.to_beat is not None and len(question.options) > 1
            if self._refuses and choice and self._refused_id is None:
                self._to_refuse = effect.request.id
        super()._ask(effect)

    def _answered(self, line: Line, answered: Answered, read_ns: int) -> None:
        if line.seat == SEAT:
            self.first_ns = self.first_ns or read_ns
            if answered.request_id == self._to_refuse and self._refused_id is None:
                self._refuse(line, answered.request_id)
                return
            if answered.request_id == self._refused_id:
                self.answered_again = True
        super()._answered(line, answered, read_ns)

    def _refuse(self, line: Line, request_id: int) -> None:
        """Refuse an answer without having it judged: the request stays open and its clock runs on."""
        self._refused_id, self.answered_again = request_id, False
        refusal = Refusal(
            request_id,
            REFUSAL,
            "this check refuses one answer, whatever it is",
            "answer the same request again",
            attempts_left=1,
        )
        line.send(codec.encode_refusal(refusal, table_id=self.spec.table_id))
