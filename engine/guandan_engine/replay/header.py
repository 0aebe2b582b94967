"""The first line of a replay: what was played, by whom, under which rules."""

from __future__ import annotations

from dataclasses import dataclass

from guandan_engine.clock import STANDARD, Clocks
from guandan_engine.rules import RuleSet

PRODUCER = "guandan-engine/0.1.0"


@dataclass(frozen=True, slots=True)
class SeatName:
    """Who sat at a seat: the bot's name and the digest of its version."""

    name: str
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """``board`` None is a classic match. ``label``: of the deal secret, as ``round/3/board/2``.

    ``commit``: the commitment published by the event. ``created``: UTC time as text, given by the caller.
    """

    rules: RuleSet
    table: str
    seats: tuple[SeatName, SeatName, SeatName, SeatName]
    clocks: Clocks = STANDARD
    event: str = ""
    match: str = ""
    board: int | None = None
    way: int = 0
    label: str = ""
    commit: str = ""
    created: str = ""
    deal_limit: int | None = None
    producer: str = PRODUCER
