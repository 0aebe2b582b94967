"""What a seat knows as 128 bytes, and all actions by number: the same for a bot at a table and ``guandan_sdk.envs``.

Seats are counted from the seat that looks: 0 is itself, 1 the next to play, 2 its partner, 3 the one before it.
``guandan_engine.kernel.observing`` has a table of what the bytes of each name hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from guandan_engine.combos import ALL_COMBOS, Combo
from guandan_engine.kernel import ACTIONS, ROW_BYTES, action_of
from guandan_engine.kernel.layout import (
    COUNTS,
    HAND,
    KIND,
    LAID,
    LEVEL,
    OWNER,
    PAIR,
    PASSES,
    PLACES,
    RANK,
    SIZE,
    SUIT,
    TOP,
    TURN,
    WILDS,
    combo_bytes,
)

if TYPE_CHECKING:
    from guandan_engine.cards import Card, Rank
    from guandan_engine.rules import RuleSet
    from guandan_engine.view import SeatView
    from guandan_sdk.memory import Memory

__all__ = [
    "ACTIONS",
    "COUNTS",
    "HAND",
    "KIND",
    "LAID",
    "LEVEL",
    "OBSERVATION_BYTES",
    "OWNER",
    "PAIR",
    "PASSES",
    "PLACES",
    "RANK",
    "SIZE",
    "SUIT",
    "TOP",
    "TURN",
    "WILDS",
    "action_count",
    "action_of",
    "describe",
    "observe",
]

OBSERVATION_BYTES: Final = ROW_BYTES


def action_count(rules: RuleSet) -> int:
    """Return how many of the ``ACTIONS`` a rule set needs: fewer where no unusual combo can be laid."""
    usual = rules.seq_level_card == "natural" and not rules.seq_wrap
    usual = usual and not (rules.mixed_joker_pair or rules.full_house_same_rank)
    return 1 + len(ALL_COMBOS) if usual else len(ACTIONS)


def observe(view: SeatView, memory: Memory) -> bytes:
    """Return what the seat of a view knows; ``memory`` is the bot's own (``Bot.memory``)."""
    seat = view.seat
    if seat is None or view.hand is None:
        raise ValueError("a spectator holds no hand to observe")
    owner, passes = None, 0
    for move in view.trick:
        owner, passes = (owner, passes + 1) if move.play is None else (move.seat, 0)
    return describe(
        seat,
        hand=view.hand,
        laid=memory.shown,
        counts=memory.counts,
        finished=view.finished,
        level=view.level,
        to_beat=None if view.to_beat is None else view.to_beat.combo,
        owner=owner,
        passes=passes if view.to_beat else 0,
        turn=view.turn,
    )


def describe(
    seat: int,
    *,
    hand: Iterable[Card],
    laid: Iterable[Card],
    counts: Sequence[int],
    finished: Sequence[int],
    level: Rank,
    to_beat: Combo | None,
    owner: int | None,
    passes: int,
    turn: int | None,
) -> bytes:
    """Write down what a seat knows; seats are given by their number at the table."""
    row = bytearray(OBSERVATION_BYTES)
    for card in hand:
        row[HAND.start + card.index] += 1
    for card in laid:
        row[LAID.start + card.index] += 1
    for other in range(4):
        row[COUNTS.start + (other - seat) % 4] = counts[other]
    for place, other in enumerate(finished, 1):
        row[PLACES.start + (other - seat) % 4] = place
    row[LEVEL] = level
    row[TURN] = 0 if turn is None else (turn - seat) % 4
    if to_beat is not None and owner is not None:
        row[KIND : TOP + 1] = _COMBO_BYTES[action_of(to_beat)]
        row[OWNER] = (owner - seat) % 4
        row[PASSES] = passes
    return bytes(row)


_COMBO_BYTES: Final = tuple(map(combo_bytes, ACTIONS))
