"""Tie-breaks."""

from __future__ import annotations

from enum import StrEnum


class Tiebreak(StrEnum):
    """What may order a standing, by its customary code; an event names an ordered list of them."""

    MP = "MP"
    LVL = "LVL"
    BH = "BH"
    BH_C1 = "BH-C1"
    DE = "DE"
    SB = "SB"
    PS = "PS"
    WIN = "WIN"
    WON = "WON"
