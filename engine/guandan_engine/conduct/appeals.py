"""Appeals against a ruling (申诉): data for those who run an event; the table itself hears none (§11.12)."""

from __future__ import annotations

from dataclasses import dataclass

from guandan_engine.rules import RuleSet

_MINUTE_MS = 60_000
_HOUR_MS = 60 * _MINUTE_MS


@dataclass(frozen=True, slots=True)
class Terms:
    """Until when an appeal is taken, what is paid with it, and how long after it the answer is due."""

    until_ms: int
    fee: int
    answer_ms: int


def terms(rules: RuleSet, *, ended_ms: int) -> Terms | None:
    """Return the terms of an appeal in a match that ended then; None where the referee's word is final."""
    if rules.appeal is None:
        return None
    until_ms = ended_ms + rules.appeal.window_min * _MINUTE_MS
    return Terms(until_ms, rules.appeal.fee, rules.appeal.reply_h * _HOUR_MS)
