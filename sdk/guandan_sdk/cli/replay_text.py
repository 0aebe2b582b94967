"""A game as lines of text: cards with coloured suits, wild cards with what they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from rich.text import Text

from guandan_engine.actions import Ask, Play
from guandan_engine.cards import Card, Hand, Rank, Suit, order_key
from guandan_engine.events import (
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
from guandan_engine.plays import declared_cards
from guandan_engine.quoting import quoted
from guandan_engine.replay import Header, Replay
from guandan_engine.view import SeatView, cut, fold
from guandan_sdk.errors import InvalidInput

_STYLES: Final = {Suit.SPADES: "bold", Suit.HEARTS: "bold red", Suit.CLUBS: "bold green", Suit.DIAMONDS: "bold blue"}
_PLACES: Final = ("", "first (头游)", "second (二游)", "third (三游)", "last (末游)")


def card_text(card: Card) -> Text:
    """Write a card in the colour of its suit."""
    if card.suit is None:
        return Text(str(card), style="bold magenta")
    return Text(str(card), style=_STYLES[card.suit])


def cards_text(cards: Iterable[Card]) -> Text:
    """Write cards in the order given."""
    return Text(" ").join(card_text(card) for card in cards)


def hand_text(hand: Hand, level: Rank) -> Text:
    """Write a hand from its lowest card to its highest."""
    return cards_text(sorted(hand, key=lambda card: (order_key(card.rank, level), card.index)))


def play_text(play: Play, level: Rank) -> Text:
    """Write a play: its kind and rank, its cards, and after a wild card what it stands for."""
    text = Text(f"{play.combo.kind} {play.combo.rank}  ")
    parts = []
    for card, meant in zip(play.cards, declared_cards(play, level), strict=True):
        part = card_text(card)
        if card != meant:
            part.append("=").append_text(card_text(meant))
        parts.append(part)
    return text.append_text(Text(" ").join(parts))


def game_text(replay: Replay, *, seat: int | None = None, move: int | None = None) -> Iterator[Text]:
    """Yield the lines of a game, as one seat saw it or whole; up to a record's number, and the hands after it."""
    if move is not None and move > len(replay.records):
        raise InvalidInput(f"there is no move {move}", f"the last is {len(replay.records)}")
    yield from _header(replay.header)
    views = [SeatView(number, replay.header.rules) for number in range(4)]
    for record in replay.records[:move]:
        views = [fold(view, cut(record.event, number)) for number, view in enumerate(views)]
        yield from _record(record, views[0].level, seat)
    if move is not None:
        for number in range(4) if seat is None else (seat,):
            view = views[number]
            held = hand_text(view.hand or Hand(), view.level)
            yield Text(f"      seat {number} holds ").append_text(held)


def _header(header: Header) -> Iterator[Text]:
    yield Text(quoted(f"table {header.table}, rules {header.rules.name}"), style="dim")
    for number, name in enumerate(header.seats):
        yield Text(quoted(f"seat {number}  {name.name}"))


def _record(record: Record, level: Rank, seat: int | None) -> Iterator[Text]:
    number = Text(f"{record.n:>4}  ", style="dim")
    for i, line in enumerate(_event(record.event, level, seat)):
        yield (Text("      ") if i else number) + line


def _event(event: Event, level: Rank, seat: int | None) -> Iterator[Text]:
    """Write what happened; ``seat`` None shows every hand."""
    match event:
        case DealStarted():
            yield from _deal_started(event, seat)
        case Played():
            yield (
                Text(f"seat {event.seat}  ").append_text(play_text(event.play, level)).append(f"  ({event.left} left)")
            )
        case Passed():
            yield Text(f"seat {event.seat}  pass", style="dim")
        case Finished():
            yield Text(f"seat {event.seat} is {_PLACES[event.place]}", style="bold")
        case TrickWon():
            yield Text(f"seat {event.seat} leads{' for its partner (接风)' if event.jiefeng else ''}")
        case LeadPassed():
            yield Text(f"seat {event.seat} may not lead, seat {event.to} does", style="yellow")
        case Ruling():
            yield Text(quoted(f"the table answers for seat {event.seat}: {event.fault} {event.detail}"), style="yellow")
        case Sanctioned():
            by = "the referee rules" if event.referee else "the rules say"
            why = f" ({event.reason})" if event.reason else ""
            yield Text(quoted(f"{by}: seat {event.seat}, {event.offence}: {event.sanction}{why}"), style="yellow")
        case DealEnded() | DealVoided():
            yield from _deal_over(event, level)
        case LegEnded() | MatchEnded():
            yield _over(event)
        case _:
            yield _tribute(event)


def _deal_started(event: DealStarted, seat: int | None) -> Iterator[Text]:
    yield Text(f"deal {event.deal}, level {event.level}, levels {event.levels[0]} and {event.levels[1]}")
    for number, hand in enumerate(event.hands):
        if hand is not None and seat in (None, number):
            yield Text(f"seat {number} holds ").append_text(hand_text(hand, event.level))
    if event.face_up is not None:
        yield Text("face up (明牌) ").append_text(card_text(event.face_up))
    if event.leader is not None:
        yield Text(f"seat {event.leader} leads")


def _tribute(event: Event) -> Text:
    match event:
        case AntiTribute():
            return Text(f"anti-tribute (抗贡) by {_seats(event.seats)}: both big jokers, nobody pays")
        case Resisted():
            return Text(f"seat {event.seat} resists tribute (抗贡)")
        case CardOffered():
            what = "tribute" if event.ask is Ask.PAY else "return"
            return Text(f"seat {event.seat} offers ").append_text(card_text(event.card)).append(f" as {what}")
        case Chose():
            what = "as leader" if event.ask is Ask.CHOOSE_LEADER else "to take its card"
            return Text(f"seat {event.seat} chooses seat {event.chosen} {what}")
        case TributePaid():
            return Text(f"seat {event.seat} pays ").append_text(card_text(event.card)).append(f" to {event.to}")
        case TributeReturned():
            return Text(f"seat {event.seat} returns ").append_text(card_text(event.card)).append(f" to {event.to}")
        case LeaderNamed():
            return Text(f"seat {event.seat} leads")
    return Text(str(event))


def _over(event: LegEnded | MatchEnded) -> Text:
    won = "level" if event.side is None else f"side {event.side} wins"
    if isinstance(event, LegEnded):
        wins = f"matches won {event.wins[0]}:{event.wins[1]}"
        return Text(f"match {event.leg} of the meeting: {won}, {wins} ({event.reason})", style="bold")
    return Text(f"{won}, points {event.points[0]}:{event.points[1]} ({event.reason})", style="bold")


def _deal_over(event: DealEnded | DealVoided, level: Rank) -> Iterator[Text]:
    levels = f"levels {event.levels[0]} and {event.levels[1]}"
    if isinstance(event, DealEnded):
        order = " ".join(map(str, event.order))
        yield Text(f"deal over: order {order}, side {event.side} gains {event.gain}, {levels}", style="bold")
    else:
        yield Text(f"the time is up: the deal does not count, {levels}", style="bold")
    for number, hand in enumerate(event.hands):
        if len(hand):
            yield Text(f"seat {number} was left with ").append_text(hand_text(hand, level))


def _seats(seats: tuple[int, ...]) -> str:
    return " and ".join(f"seat {seat}" for seat in seats)
