"""What a seat knows of a deal in play, as 128 bytes in sixteen words, the lowest byte of each first.

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

The names stand in ``kernel.layout``.
"""

from __future__ import annotations

from typing import Final

from guandan_engine.kernel.actions import ACTIONS
from guandan_engine.kernel.hands import ONES, SEAT, SIZE, TWOS
from guandan_engine.kernel.layout import KIND, ROW_BYTES, WILDS, combo_bytes
from guandan_engine.kernel.layout import PLACES as PLACE_BYTES
from guandan_engine.kernel.play import LAID_ONES, LAID_TWOS, ORDER, OUT, OWNER, PASSES, PLACES, TO_BEAT, TURN
from guandan_engine.kernel.types import i64, vec

ROW_WORDS: Final = ROW_BYTES // 8


def _spread_byte(byte: int) -> int:
    return sum([(byte >> i & 1) << 8 * i for i in range(8)])


_SPREAD: Final = vec[i64]([_spread_byte(byte) for byte in range(256)])
# The last two words hold the bytes from PLACES and from WILDS on; these are the combo's shares of them.
_BEFORE: Final = KIND - PLACE_BYTES.start
_FIRST_BYTES: Final = WILDS - KIND
_FIRST: Final = vec[i64](
    [int.from_bytes(bytes(_BEFORE) + combo_bytes(one)[:_FIRST_BYTES], "little") for one in ACTIONS]
)
_SECOND: Final = vec[i64]([int.from_bytes(combo_bytes(one)[_FIRST_BYTES:], "little") for one in ACTIONS])


def observe(w: vec[i64], at: i64, seat: i64, level: i64, rows: vec[i64], row: i64) -> None:
    """Write what a seat knows into sixteen words."""
    hand = at + SEAT * seat
    ones, twos = w[hand + ONES], w[hand + TWOS]
    laid_ones, laid_twos = w[at + LAID_ONES], w[at + LAID_TWOS]
    i: i64
    for i in range(6):
        rows[row + i] = _SPREAD[ones >> 8 * i & 255] + _SPREAD[twos >> 8 * i & 255]
    rows[row + 6] = _SPREAD[ones >> 48 | (laid_ones & 3) << 6] + _SPREAD[twos >> 48 | (laid_twos & 3) << 6]
    for i in range(6):
        by = 2 + 8 * i
        rows[row + 7 + i] = _SPREAD[laid_ones >> by & 255] + _SPREAD[laid_twos >> by & 255]
    counts: i64 = 0
    for i in range(4):
        counts |= w[at + SEAT * (seat + i & 3) + SIZE] << 8 * i
    rows[row + 13] = _SPREAD[laid_ones >> 50] + _SPREAD[laid_twos >> 50] | counts << 32
    places: i64 = 0
    if w[at + OUT]:
        order = w[at + ORDER]
        for i in range(w[at + PLACES]):
            other = order >> 2 * i & 3
            if w[at + OUT] >> other & 1:
                places |= i + 1 << 8 * (other - seat & 3)
    to_beat = w[at + TO_BEAT]
    rows[row + 14] = places | level << 32 | _FIRST[to_beat]
    last = _SECOND[to_beat]
    if to_beat:
        last |= (w[at + OWNER] - seat & 3) << 32 | w[at + PASSES] << 40
    if w[at + PLACES] < 4:
        last |= (w[at + TURN] - seat & 3) << 48
    rows[row + 15] = last


def row_bytes(row: vec[i64]) -> bytes:
    """Return sixteen words as bytes."""
    found = b""
    for i in range(ROW_WORDS):
        word: int = row[i]
        found += word.to_bytes(8, "little")
    return found
