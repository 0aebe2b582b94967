"""Combos, readings, plays and actions as short texts for people, and back.

=============  =========================================================================================
a reading      ``Straight 3``
a combo        ``ThreeWithTwo 9+2 *2``, ``Bomb 9 x6``, ``StraightFlush T/S *1`` (``*``: wilds among the cards),
               ``Straight 7-Q`` where the level is skipped or stands above the ace, ``Pair SB-HR``
a play         ``Straight 3: H2=H7 S3 C4 D5 S6`` (the wild H2 stands for H7)
an action      a play, or cards alone when they have one reading (``S9 D9``); ``pass``; ``give H7``;
               ``resist`` (anti-tribute); ``choose 3`` (the card or the seat)
=============  =========================================================================================
"""

from __future__ import annotations

import re
from typing import Final

from guandan_engine.actions import Action, Choose, Give, Lay, Pass, Play, Resist
from guandan_engine.cards import SUIT_CHARS, Card, Rank, Suit
from guandan_engine.combos import Combo, Kind, Reading, combo
from guandan_engine.errors import EngineError, MalformedText
from guandan_engine.plays import declared_cards

__all__ = [
    "SEATS",
    "action_text",
    "combo_text",
    "parse_action",
    "parse_combo",
    "parse_reading",
    "play_text",
    "reading_text",
]

SEATS: Final = ("0", "1", "2", "3")
_COMBO: Final = re.compile(
    r"(?P<kind>[A-Za-z]+) (?P<rank>\w+)(\+(?P<pair>\w+))?(-(?P<top>\w+))?(/(?P<suit>[SHCD]))?"
    r"( x(?P<size>\d+))?( \*(?P<wilds>[12]))?"
)


def combo_text(combo: Combo) -> str:
    """Write a combo with all that tells it from others."""
    pair = f"+{combo.pair}" if combo.pair is not None else ""
    suit = f"/{combo.suit}" if combo.suit is not None else ""
    size = f" x{combo.size}" if combo.kind is Kind.BOMB else ""
    wilds = f" *{combo.wilds}" if combo.wilds else ""
    top = f"-{combo.top}" if combo.top is not None else ""
    return f"{combo.kind} {combo.rank}{pair}{top}{suit}{size}{wilds}"


def parse_combo(text: str) -> Combo:
    """Read what ``combo_text`` writes; raise MalformedText otherwise."""
    match = _COMBO.fullmatch(text)
    if match is None:
        raise MalformedText(f"{text!r} is not a combo; write kind and rank, as 'Pair 9' or 'Bomb 9 x6 *1'")
    pair, suit, size = match["pair"], match["suit"], match["size"]
    try:
        return combo(
            Kind.parse(match["kind"]),
            Rank.parse(match["rank"]),
            size=int(size) if size else None,
            pair=Rank.parse(pair) if pair else None,
            wilds=int(match["wilds"] or 0),
            suit=Suit(SUIT_CHARS.index(suit)) if suit else None,
            top=Rank.parse(match["top"]) if match["top"] else None,
        )
    except MalformedText:
        raise
    except EngineError as error:
        raise MalformedText(f"{text!r}: {error}") from error


def reading_text(reading: Reading) -> str:
    """Write a reading."""
    return f"{reading.kind} {reading.rank}"


def parse_reading(text: str) -> Reading:
    """Read what ``reading_text`` writes; raise MalformedText otherwise."""
    kind, _, rank = text.partition(" ")
    return Reading(Kind.parse(kind), Rank.parse(rank))


def play_text(play: Play, level: Rank) -> str:
    """Write a play with its cards; a wild that stands for another card is followed by that card."""
    stands_for = zip(play.cards, declared_cards(play, level), strict=True)
    cards = (str(card) if card == meant else f"{card}={meant}" for card, meant in stands_for)
    return f"{play.combo.kind} {play.combo.rank}: {' '.join(cards)}"


def action_text(action: Action) -> str:
    """Write an action."""
    if isinstance(action, Pass):
        return "pass"
    if isinstance(action, Give):
        return f"give {action.card}"
    if isinstance(action, Resist):
        return "resist"
    if isinstance(action, Choose):
        return f"choose {action.seat}"
    cards = " ".join(map(str, action.cards))
    return cards if action.reading is None else f"{reading_text(action.reading)}: {cards}"


def parse_action(text: str) -> Action:
    """Read what ``action_text`` and ``play_text`` write; raise MalformedText naming the part it does not understand."""
    words = text.split()
    if words == ["pass"]:
        return Pass()
    if words == ["resist"]:
        return Resist()
    if words[:1] == ["choose"]:
        if len(words) != 2 or words[1] not in SEATS:
            raise MalformedText(f"{text!r}: choose one seat from 0 to 3, as 'choose 3'")
        return Choose(int(words[1]))
    if words[:1] == ["give"]:
        if len(words) != 2:
            raise MalformedText(f"{text!r}: give one card, as 'give H7'")
        return Give(Card.parse(words[1]))
    declared, colon, cards = text.rpartition(":")
    reading = parse_reading(declared.strip()) if colon else None
    return Lay(_parse_cards(cards), reading)


def _parse_cards(text: str) -> tuple[Card, ...]:
    """Read cards separated by blanks. What a wild stands for follows from the reading, so ``=H7`` is only checked."""
    cards = []
    for word in text.split():
        card, _, meant = word.partition("=")
        cards.append(Card.parse(card))
        if meant:
            Card.parse(meant)
    if not cards:
        raise MalformedText(f"{text!r} holds no card; write cards such as 'S9 D9', or 'pass'")
    return tuple(cards)
