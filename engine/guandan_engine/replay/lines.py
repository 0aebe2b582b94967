"""Each event as a line and back. A table per event: its ``e``, its keys, and the two directions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from guandan_engine.actions import Ask, Play
from guandan_engine.board import Hands
from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.combos import Kind, Reading
from guandan_engine.conduct import Fault, Offence, Sanction
from guandan_engine.errors import MalformedText
from guandan_engine.events import (
    DECISIONS,
    AntiTribute,
    CardOffered,
    Chose,
    DealEnded,
    DealStarted,
    DealVoided,
    Event,
    Finished,
    LeaderNamed,
    LeadPassed,
    LegEnded,
    MatchEnd,
    MatchEnded,
    Passed,
    Played,
    Resisted,
    Ruling,
    Sanctioned,
    TributePaid,
    TributeReturned,
    TrickWon,
)
from guandan_engine.exchange import Record
from guandan_engine.plays import declared_cards, interpret
from guandan_engine.promotion import Levels
from guandan_engine.replay.chain import Line
from guandan_engine.rules import RuleSet

__all__ = ["KEYS", "Context", "from_line", "is_text", "is_whole", "to_line"]


@dataclass(slots=True)
class Context:
    """What a line leans on: the rules, the level of the deal, and the rulings whose action is still to come."""

    rules: RuleSet
    level: Rank = Rank.TWO
    rulings: dict[int, str] = field(default_factory=dict)


def to_line(record: Record, context: Context) -> Line:
    """Return the line of a record."""
    event = record.event
    line = {"n": record.n, **_WRITERS[type(event)](event, context)}
    if isinstance(event, DECISIONS):
        line |= {"left": record.left, "ms": record.ms}
        if event.seat in context.rulings:
            line["by"] = context.rulings.pop(event.seat)
    return line


def from_line(line: Line, context: Context) -> Record:
    """Return the record of a line; raise MalformedText, KeyError, TypeError, ValueError or IllegalAction if none."""
    kind = line["e"]
    if kind not in _READERS:
        raise MalformedText(f"unknown event {kind!r}; only names that begin with x- are passed over")
    for key, allowed in _ALLOWED.items():
        if key in line and not allowed(line[key]):
            raise MalformedText(f"{key} cannot be {line[key]!r}")
    return Record(line["n"], _READERS[kind](line, context), line.get("ms", 0), line.get("left", 0))


def is_whole(value: object) -> bool:
    """Whether this is a whole number from 0; true and false are not."""
    return type(value) is int and value >= 0


def is_text(value: object) -> bool:
    """Whether this is a text."""
    return isinstance(value, str)


def _is_seat(value: object) -> bool:
    return is_whole(value) and value in range(4)


def _is_lot(value: object) -> bool:
    return is_whole(value) and value in range(4)


def _are_numbers(value: object) -> bool:
    return isinstance(value, list) and all(map(is_whole, value))


def _are_seats(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_seat, value))


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(is_text, value))


# What may stand under each key that is not a code of its own.
_ALLOWED: Final[dict[str, Callable[[object], bool]]] = {
    **dict.fromkeys(("n", "ms", "left", "cards", "deal", "place", "gain", "leg", "amount"), is_whole),
    **dict.fromkeys(("c", "face_up", "k", "r", "level", "fault", "ask", "detail", "reason"), is_text),
    **dict.fromkeys(("offence", "sanction"), is_text),
    **dict.fromkeys(("hands", "levels"), _are_texts),
    **dict.fromkeys(("order", "seats"), _are_seats),
    **dict.fromkeys(("s", "to", "drawer", "chosen", "next"), _is_seat),
    **dict.fromkeys(("told", "silent", "referee"), lambda value: value is True),
    "lot": _is_lot,
    "shown": lambda value: value is False,
    "leader": lambda value: value is None or _is_seat(value),
    "side": lambda value: value is None or value in (0, 1),
    "wins": _are_numbers,
    "points": lambda value: isinstance(value, list) and all(type(one) is int for one in value),
}

# Every key that has a meaning; others are passed over, though the chain covers them.
_GENERAL = ("e", "n", "s", "ms", "left", "by")
_OF_CARDS = ("c", "as", "k", "r", "cards", "hands", "to")
_OF_DEALS = ("deal", "level", "levels", "leader", "order", "seats", "place", "side", "gain", "points", "reason")
_OF_CHANCE = ("drawer", "face_up", "lot")
_OF_CHOICE = ("ask", "chosen", "shown")
_OF_CONDUCT = ("told", "silent", "offence", "sanction", "amount", "next", "referee", "fault", "detail")
KEYS: Final = frozenset((*_GENERAL, *_OF_CARDS, *_OF_DEALS, *_OF_CHANCE, *_OF_CHOICE, *_OF_CONDUCT, "leg", "wins"))


def _deal(event: DealStarted, context: Context) -> Line:
    context.level = event.level
    context.rulings.clear()
    line = {
        "e": "deal",
        "deal": event.deal,
        "level": str(event.level),
        "levels": _texts(event.levels),
        "leader": event.leader,
        "hands": _texts(event.hands),
        "order": list(event.order),
    }
    chance = {"drawer": event.drawer, "lot": event.lot, "face_up": event.face_up and str(event.face_up)}
    return line | {key: value for key, value in chance.items() if value is not None}


def _anti(event: AntiTribute, _: Context) -> Line:
    line: Line = {"e": "anti", "seats": list(event.seats)}
    return line if event.shown else line | {"shown": False}


def _void(event: DealVoided, _: Context) -> Line:
    return {"e": "void", "deal": event.deal, "levels": _texts(event.levels), "hands": _texts(event.hands)}


def _leg(event: LegEnded, _: Context) -> Line:
    line: Line = {"e": "leg", "leg": event.leg, "side": event.side, "levels": _texts(event.levels)}
    return line | {"wins": list(event.wins), "reason": str(event.reason)}


def _offer(event: CardOffered, _: Context) -> Line:
    return {"e": "offer", "s": event.seat, "ask": str(event.ask), "c": str(event.card)}


def _choice(event: Chose, _: Context) -> Line:
    return {"e": "choose", "s": event.seat, "ask": str(event.ask), "chosen": event.chosen}


def _play(event: Played, context: Context) -> Line:
    play = event.play
    line: Line = {"e": "play", "s": event.seat, "c": _cards(play.cards), "cards": event.left}
    line |= {"k": str(play.combo.kind), "r": str(play.combo.rank)}
    if play.combo.wilds:
        line["as"] = _cards(declared_cards(play, context.level))
    return line | {key: True for key in ("told", "silent") if getattr(event, key)}


def _sanction(event: Sanctioned, _: Context) -> Line:
    line: Line = {"e": "sanction", "s": event.seat, "offence": event.offence, "sanction": event.sanction}
    more = {
        "amount": event.amount or None,
        "levels": event.levels and _texts(event.levels),
        "c": _cards(event.cards) or None,
        "next": event.leader,
        "referee": event.referee or None,
        "detail": event.reason or None,
    }
    return line | {key: value for key, value in more.items() if value is not None}


def _ruling(event: Ruling, context: Context) -> Line:
    context.rulings[event.seat] = event.fault
    return {"e": "ruling", "s": event.seat, "fault": event.fault, "ask": str(event.ask), "detail": event.detail}


def _gift(name: str) -> Callable[[TributePaid | TributeReturned, Context], Line]:
    return lambda event, _: {"e": name, "s": event.seat, "to": event.to, "c": str(event.card)}


def _deal_end(event: DealEnded, _: Context) -> Line:
    return {
        "e": "deal_end",
        "deal": event.deal,
        "order": list(event.order),
        "side": event.side,
        "gain": event.gain,
        "levels": _texts(event.levels),
        "hands": _texts(event.hands),
    }


def _end(event: MatchEnded, _: Context) -> Line:
    return {
        "e": "end",
        "side": event.side,
        "points": list(event.points),
        "levels": _texts(event.levels),
        "reason": str(event.reason),
    }


_WRITERS: Final[dict[type[Event], Callable[[Any, Context], Line]]] = {
    DealStarted: _deal,
    Resisted: lambda event, _: {"e": "resist", "s": event.seat},
    AntiTribute: _anti,
    CardOffered: _offer,
    Chose: _choice,
    TributePaid: _gift("tribute"),
    TributeReturned: _gift("return"),
    LeaderNamed: lambda event, _: {"e": "lead", "s": event.seat},
    Ruling: _ruling,
    Sanctioned: _sanction,
    LeadPassed: lambda event, _: {"e": "lead_passed", "s": event.seat, "to": event.to},
    Played: _play,
    Passed: lambda event, _: {"e": "pass", "s": event.seat},
    Finished: lambda event, _: {"e": "finish", "s": event.seat, "place": event.place},
    TrickWon: lambda event, _: {"e": "wind" if event.jiefeng else "trick", "s": event.seat},
    DealEnded: _deal_end,
    DealVoided: _void,
    LegEnded: _leg,
    MatchEnded: _end,
}


def _read_play(line: Line, context: Context) -> Played:
    cards = tuple(Card.parse(word) for word in line["c"].split(" "))
    reading = Reading(Kind.parse(line["k"]), Rank.parse(line["r"]))
    play = Play(interpret(cards, reading, context.rules, context.level), cards)
    return Played(line["s"], play, line["cards"], line.get("told", False), line.get("silent", False))


def _read_sanction(line: Line, _: Context) -> Sanctioned:
    return Sanctioned(
        line["s"],
        Offence(line["offence"]),
        Sanction(line["sanction"]),
        line.get("amount", 0),
        _levels(line["levels"]) if "levels" in line else None,
        tuple(Card.parse(word) for word in line["c"].split(" ")) if "c" in line else (),
        line.get("next"),
        line.get("referee", False),
        line.get("detail", ""),
    )


def _read_deal(line: Line, context: Context) -> DealStarted:
    context.level = Rank.parse(line["level"])
    hands, levels = _hands(line["hands"]), _levels(line["levels"])
    face_up = Card.parse(line["face_up"]) if "face_up" in line else None
    order, chance = tuple(line["order"]), (line.get("drawer"), face_up, line.get("lot"))
    return DealStarted(line["deal"], context.level, levels, line["leader"], hands, order, *chance)


def _read_deal_end(line: Line, _: Context) -> DealEnded:
    a, b, c, d = line["order"]
    hands, levels = _hands(line["hands"]), _levels(line["levels"])
    return DealEnded(line["deal"], (a, b, c, d), line["side"], line["gain"], levels, hands)


def _read_void(line: Line, _: Context) -> DealVoided:
    return DealVoided(line["deal"], _levels(line["levels"]), _hands(line["hands"]))


def _read_leg(line: Line, _: Context) -> LegEnded:
    a, b = line["wins"]
    return LegEnded(line["leg"], line["side"], _levels(line["levels"]), (a, b), MatchEnd(line["reason"]))


def _read_end(line: Line, _: Context) -> MatchEnded:
    a, b = line["points"]
    return MatchEnded(line["side"], (a, b), _levels(line["levels"]), MatchEnd(line["reason"]))


_READERS: Final[dict[str, Callable[[Line, Context], Event]]] = {
    "deal": _read_deal,
    "resist": lambda line, _: Resisted(line["s"]),
    "anti": lambda line, _: AntiTribute(tuple(line["seats"]), line.get("shown", True)),
    "offer": lambda line, _: CardOffered(line["s"], Ask(line["ask"]), Card.parse(line["c"])),
    "choose": lambda line, _: Chose(line["s"], Ask(line["ask"]), line["chosen"]),
    "tribute": lambda line, _: TributePaid(line["s"], line["to"], Card.parse(line["c"])),
    "return": lambda line, _: TributeReturned(line["s"], line["to"], Card.parse(line["c"])),
    "lead": lambda line, _: LeaderNamed(line["s"]),
    "ruling": lambda line, _: Ruling(line["s"], Fault(line["fault"]), Ask(line["ask"]), line["detail"]),
    "sanction": _read_sanction,
    "lead_passed": lambda line, _: LeadPassed(line["s"], line["to"]),
    "play": _read_play,
    "pass": lambda line, _: Passed(line["s"]),
    "finish": lambda line, _: Finished(line["s"], line["place"]),
    "trick": lambda line, _: TrickWon(line["s"]),
    "wind": lambda line, _: TrickWon(line["s"], jiefeng=True),
    "deal_end": _read_deal_end,
    "void": _read_void,
    "leg": _read_leg,
    "end": _read_end,
}


def _cards(cards: tuple[Card, ...]) -> str:
    return " ".join(map(str, cards))


def _texts(values: tuple[Any, ...]) -> list[str]:
    return [str(value) for value in values]


def _hands(texts: list[str]) -> Hands:
    a, b, c, d = map(Hand.parse, texts)
    return (a, b, c, d)


def _levels(texts: list[str]) -> Levels:
    a, b = map(Rank.parse, texts)
    return (a, b)
