"""Where what a seat knows stands in its 128 bytes: ``kernel.observing`` says what each name holds."""

from __future__ import annotations

from typing import Final

from guandan_engine.combos import Combo

__all__ = [
    "COUNTS",
    "HAND",
    "KIND",
    "LAID",
    "LEVEL",
    "OWNER",
    "PAIR",
    "PASSES",
    "PLACES",
    "RANK",
    "ROW_BYTES",
    "SIZE",
    "SUIT",
    "TOP",
    "TURN",
    "WILDS",
    "combo_bytes",
]

ROW_BYTES: Final = 128
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


def combo_bytes(combo: Combo | None) -> bytes:
    """Return the bytes from ``KIND`` to ``TOP``: what is to beat, or zeros."""
    if combo is None:
        return bytes(TOP + 1 - KIND)
    from_one = (0 if part is None else part + 1 for part in (combo.pair, combo.suit, combo.top))
    return bytes((combo.kind, combo.rank + 1, combo.size, combo.wilds, *from_one))
