"""The first line of a replay: what was played, by whom, under which rules."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final

from guandan_engine.clock import STANDARD, Clocks
from guandan_engine.errors import MalformedText
from guandan_engine.replay.chain import Line
from guandan_engine.replay.lines import is_text, is_whole
from guandan_engine.rules import RuleSet, from_dict

PRODUCER = "guandan-engine/0.1.0"
FORMAT, VERSION = "gdr", 1

# What held before a file could say otherwise: nobody announced, all could be looked at again, no play clock ran.
RULES_BEFORE: Final = {"announce": "none", "review": "all"}
CLOCKS_BEFORE: Final = {"play_clock": False}


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


_TEXTS = ("table", "event", "match", "label", "commit", "created", "producer")
_NUMBERS = ("board", "way", "deal_limit")
_PLAIN = (*_TEXTS, *_NUMBERS)
HEADER_KEYS = frozenset((*_PLAIN, "e", "fmt", "v", "rules", "seats", "clocks"))


def header_line(header: Header) -> Line:
    """Return the line of a header, every rule parameter written out."""
    return {
        "e": "header",
        "fmt": FORMAT,
        "v": VERSION,
        "rules": header.rules.as_dict(),
        "clocks": _clocks(header.clocks),
        "seats": [asdict(seat) for seat in header.seats],
        **{name: getattr(header, name) for name in _PLAIN},
    }


def _clocks(clocks: Clocks) -> Line:
    """Return the clocks; of the play clock only that it is kept."""
    return {name: value for name, value in asdict(clocks).items() if value is not False}


def read_header(line: Line) -> Header:
    """Return the header of a line; raise MalformedText, KeyError, TypeError or ValueError when it is none."""
    if line.get("fmt") != FORMAT or line.get("e") != "header":
        raise MalformedText("the first line is not a gdr header")
    if line.get("v") != VERSION:
        raise MalformedText(f"version {line.get('v')!r}; this engine reads version {VERSION}")
    plain = {name: line[name] for name in _PLAIN}
    texts = [*(plain[name] for name in _TEXTS), *(text for seat in line["seats"] for text in seat.values())]
    clocks = CLOCKS_BEFORE | line["clocks"]
    times = [value for name, value in clocks.items() if name != "play_clock"]
    numbers = [*(plain[name] for name in _NUMBERS if plain[name] is not None), *times]
    if not all(map(is_text, texts)) or not all(map(is_whole, numbers)) or type(clocks["play_clock"]) is not bool:
        raise MalformedText("a header field is neither text nor a whole number, as it must be")
    a, b, c, d = (SeatName(seat["name"], seat["version"]) for seat in line["seats"])
    rules = from_dict(RULES_BEFORE | line["rules"])
    return Header(rules=rules, clocks=Clocks(**clocks), seats=(a, b, c, d), **plain)
