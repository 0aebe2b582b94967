"""The rows of the conformity table: every kind of request, every combo to beat, and what else a table may say."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from guandan_engine.actions import Ask, Question
from guandan_engine.combos import Kind

__all__ = ["FOLLOWING", "WORDS", "Row", "rows_of"]


class Row(StrEnum):
    """One thing that every bot must be able to meet."""

    LEAD = "lead"
    SINGLE = "follow_single"
    PAIR = "follow_pair"
    TRIPS = "follow_trips"
    THREE_PAIR = "follow_three_pair"
    THREE_WITH_TWO = "follow_three_with_two"
    TWO_TRIPS = "follow_two_trips"
    STRAIGHT = "follow_straight"
    STRAIGHT_FLUSH = "follow_straight_flush"
    BOMB = "follow_bomb"
    JOKER_BOMB = "follow_joker_bomb"
    WILDS = "follow_wilds"
    NO_CHOICE = "no_choice"
    PAY = "pay"
    RETURN = "return"
    ANTI = "anti"
    CHOOSE_TRIBUTE = "choose_tribute"
    CHOOSE_RETURN = "choose_return"
    CHOOSE_LEADER = "choose_leader"
    REFUSAL = "refusal"
    ANNOUNCE = "announce"
    BATCH = "batch"


FOLLOWING: Final = {kind: Row[kind.name] for kind in Kind}

WORDS: Final = {
    Row.LEAD: "asked to lead",
    **{row: f"asked to beat a {kind}" for kind, row in FOLLOWING.items()},
    Row.WILDS: "asked to beat a play with a wild card",
    Row.NO_CHOICE: "asked when only a pass is legal",
    Row.PAY: "asked for tribute",
    Row.RETURN: "asked for a card to return",
    Row.ANTI: "asked whether to resist tribute",
    Row.CHOOSE_TRIBUTE: "asked to choose between equal tributes",
    Row.CHOOSE_RETURN: "asked to choose between returns",
    Row.CHOOSE_LEADER: "asked who leads",
    Row.REFUSAL: "told that an answer was refused",
    Row.ANNOUNCE: "left with few enough cards to announce them",
    Row.BATCH: "playing at several tables at once",
}


def rows_of(question: Question) -> frozenset[Row]:
    """Return what a question puts to the test."""
    if question.ask is not Ask.PLAY:
        return frozenset({Row[question.ask.name]})
    if question.to_beat is None:
        return frozenset({Row.LEAD})
    rows = {FOLLOWING[question.to_beat.combo.kind]}
    if question.to_beat.combo.wilds:
        rows.add(Row.WILDS)
    if question.options == (None,):
        rows.add(Row.NO_CHOICE)
    return frozenset(rows)
