"""What a seat knows as 128 bytes, and all actions by number: the same for a bot at a table and ``guandan_sdk.envs``.

Seats are counted from the seat that looks: 0 is itself, 1 the next to play, 2 its partner, 3 the one before it.

| bytes | hold |
|---|---|
| ``HAND`` | own copies of each of the 54 faces (``Card.index``), 0 to 2 |
| ``LAID`` | copies of each face that were laid in this deal, by anybody |
| ``COUNTS`` | cards left of seats 0 to 3: counted along, which rules of announcing forbid nobody (§6.7) |
| ``PLACES`` | place of seats 0 to 3, from 1; 0 while the seat holds cards |
| ``LEVEL`` | rank of the level card, 0 is two, 12 is ace |
| ``KIND`` | kind of the combo to beat (``Kind``), 0 when none lies: whoever is on turn leads |
| ``RANK`` ``SIZE`` ``WILDS`` | its rank + 1, its cards, its wilds; all 0 when none lies |
| ``PAIR`` ``SUIT`` ``TOP`` | its pair + 1, its suit + 1, its top + 1; 0 where it has none |
| ``OWNER`` | seat that laid it, 0 also when none lies |
| ``PASSES`` | passes since |
| ``TURN`` | seat on turn; 0 when it is this one; in a deal that is over as well |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from guandan_engine.combos import ALL_COMBOS, Combo
from guandan_engine.kernel import ACTIONS, action_of

if TYPE_CHECKING:
    from guandan_engine.cards import Card, Rank
    from guandan_engine.rules import RuleSet
    from guandan_engine.view import SeatView
    from guandan_sdk.memory import Memory

__all__ = ["ACTIONS", "OBSERVATION_BYTES", "action_count", "action_of", "describe", "observe"]

OBSERVATION_BYTES: Final = 128
HAND: Final = slice(0, 54)
LAID: Final = slice(54, 108)
COUNTS: Final = slice(108, 112)
PLACES: Final = slice(112, 116)
LEVEL: Final = 116
KIND: Final = 117
RANK: Final = 118
SIZE: Final = 119
WILDS: Final = 120
PAIR: Final = 121
SUIT: Final = 122
TOP: Final = 123
OWNER: Final = 124
PASSES: Final = 125
TURN: Final = 126


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


def _combo_bytes(combo: Combo | None) -> bytes:
    if combo is None:
        return bytes(TOP + 1 - KIND)
    from_one = (0 if part is None else part + 1 for part in (combo.pair, combo.suit, combo.top))
    return bytes((combo.kind, combo.rank + 1, combo.size, combo.wilds, *from_one))


_COMBO_BYTES: Final = tuple(map(_combo_bytes, ACTIONS))
