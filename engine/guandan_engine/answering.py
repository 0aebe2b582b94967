"""What an answer to a table means, and how a table says no."""

from __future__ import annotations

from typing import Final

from guandan_engine.actions import Action, Question
from guandan_engine.chair import JOINS_ALLOWED, Chair
from guandan_engine.conduct import umpire
from guandan_engine.conduct.umpire import Sitting
from guandan_engine.errors import IllegalAction
from guandan_engine.exchange import Answer, Refusal
from guandan_engine.rules import RuleSet

__all__ = ["TOO_MANY_JOINS", "attempts", "chosen", "refuse_joining", "refuse_stale"]

TOO_MANY_JOINS: Final = Refusal(
    0, "too_many_streams", f"this seat has opened more than {JOINS_ALLOWED} streams", "keep one stream for a table"
)


def chosen(sitting: Sitting, question: Question, answer: Answer) -> Action:
    """Return the action an answer means; raise IllegalAction for an index that is not there."""
    if not isinstance(answer.choice, int):
        return answer.choice
    options = question.options
    if not 0 <= answer.choice < len(options):
        reason = f"there is no option {answer.choice}"
        raise IllegalAction("no_such_option", reason, f"options are 0 to {len(options) - 1}")
    return umpire.taken(sitting, question, options[answer.choice])


def attempts(rules: RuleSet) -> int:
    """Return how many answers a question gets before the table answers it (§11.2)."""
    return 1 + rules.bad_move_retries if rules.bad_move_policy == "reject_retry" else 1


def refuse_joining(here: Chair, *, ended: bool) -> Refusal | None:
    """Return why a stream may not join at a seat, None when it may."""
    if ended:
        return Refusal(0, "table_over", "this table has ended", "nothing more is asked of you")
    if here.out:
        return Refusal(0, "replaced", f"the table plays for this seat: {here.out}", "you may disconnect")
    if here.connected:
        return Refusal(0, "already_joined", "this seat has a stream already", "close the other stream first")
    return None


def refuse_stale(here: Chair, request_id: int, allowed: int) -> Refusal:
    """Return the refusal of an answer to a request that is not open; ``allowed``: answers a question gets."""
    hint = f"the open request is {here.open.request.id}" if here.open else "wait for a request"
    left = allowed - here.open.illegal if here.open else 0
    return Refusal(request_id, "stale", f"request {request_id} is not open", hint, left)
