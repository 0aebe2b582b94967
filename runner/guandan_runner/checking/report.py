"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass

from guandan_engine.conduct import Verdict
from guandan_proto.codec import Wishes
from guandan_runner.checking.boards import BoardsEnd
from guandan_runner.checking.limits import Usage
from guandan_runner.checking.rows import Row
from guandan_runner.checking.stages import Outcome, StageEnd

__all__ = ["Report"]


@dataclass(frozen=True, slots=True)
class Report:
    """The stages as far as the check came, the last of which may have failed, and what they showed beside.

    ``sandbox``: the kind in which the bot ran. ``met``: rows of the conformity table, in the table's order.
    """

    name: str
    digest: str
    sandbox: str
    stages: tuple[StageEnd, ...]
    met: tuple[Row, ...] = ()
    wishes: Wishes | None = None
    boards: BoardsEnd | None = None
    usage: Usage | None = None

    @property
    def passed(self) -> bool:
        """Whether no stage failed."""
        return all(end.outcome is not Outcome.FAILED for end in self.stages)

    @property
    def failure(self) -> StageEnd | None:
        """The stage that failed."""
        return next((end for end in self.stages if end.outcome is Outcome.FAILED), None)

    @property
    def verdict(self) -> Verdict:
        """OK, or the verdict of the stage that failed."""
        return Verdict.OK if self.failure is None else self.failure.verdict
